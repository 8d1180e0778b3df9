/**
 * Masks an agent's messages once more when they are read. A vendor that streams sends a message in pieces of a few letters, each in a
 * line of its own, and a key that is split over several lines is not visible in any of them. So pieces of one message are masked as one
 * text; a piece whose end may be the beginning of a secret waits for the next one, or for the end of the message.
 */
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import type { Masker } from '../../system/mask/mask.ts'

export interface MessageMasker {
  take(event: AgentEvent): void
  /** The end of the stream: passes on what still waits. */
  end(): void
}

/** Every event is passed on once, in its original pieces. Text keeps its order; other events may overtake it. */
export function createMessageMasker(mask: Masker, give: (event: AgentEvent) => void): MessageMasker {
  let open: { kind: Kind; message: Message } | null = null

  function end(): void {
    open?.message.end()
    open = null
  }

  function hear(words: Words): void {
    const kind = kindOf(words)
    if (kind === 'whole' && !mask.mayContainSecret(words.text)) {
      end()
      return give(words)
    }
    if (open?.kind !== kind) {
      end()
      open = { kind, message: messageOf(mask, give) }
    }
    open?.message.add(words)
    if (kind === 'whole') end()
  }

  return {
    take(event) {
      if (event.type === 'text' || event.type === 'thought') return hear(event)
      // These come between two pieces, and the message continues after them.
      const isBeside = event.type === 'usage' || event.type === 'remark' || event.type === 'started'
      if (!isBeside) end()
      give(event)
    },
    end,
  }
}

type Words = Extract<AgentEvent, { type: 'text' | 'thought' }>

/** Texts of the same kind are joined. Vendors do not say whether a thought is a piece, so each may be one. */
type Kind = 'pieces' | 'whole' | 'thoughts'

function kindOf(words: Words): Kind {
  if (words.type === 'thought') return 'thoughts'
  return words.delta ? 'pieces' : 'whole'
}

interface Message {
  add(words: Words): void
  end(): void
}

function messageOf(mask: Masker, give: (event: AgentEvent) => void): Message {
  const waiting: Words[] = []
  let masked = Buffer.alloc(0)
  const stream = mask.stream((bytes) => {
    masked = Buffer.concat([masked, bytes])
  })

  /** The mask keeps lengths, so the pieces can be cut again by length. */
  function release(): void {
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const original = Buffer.from(next.text)
      if (masked.length < original.length) return
      const piece = masked.subarray(0, original.length)
      masked = masked.subarray(original.length)
      waiting.shift()
      // Half a character, which a vendor may send, does not survive as bytes: unmasked text is passed on unchanged.
      give(piece.equals(original) ? next : { ...next, text: piece.toString('utf8') })
    }
  }

  return {
    add(words) {
      waiting.push(words)
      stream.push(Buffer.from(words.text))
      release()
    },
    end() {
      stream.end()
      release()
    },
  }
}
