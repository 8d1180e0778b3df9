/** The part of a prompt with notes of earlier iterations. */
import { truncateToBytes, divideSpace, byteSize } from './prompt-budget.ts'
import { closeFence, CLOSING_FENCE_MAX_BYTES } from './quoted-text.ts'
import { OMISSION_MARK } from './excerpt.ts'
import { truncationRemark, bulletList, EMPTY_PART, bullet, type PartContent } from './prompt-part.ts'
import type { PromptNote, TaskTexts } from './task-texts.ts'

export function journalPart({ recent, matching }: TaskTexts['notes'], room: number): PartContent {
  const heading = '## Notes of earlier iterations'
  const lists = [
    { says: 'From this run, newest first:', notes: recent.map(noteText) },
    { says: 'Others that may be relevant:', notes: matching.map(noteText) },
  ]
  const texts = lists.map(({ says, notes }) => bulletList(says, notes))
  const left = room - byteSize(heading) - 4
  const rooms = divideSpace(
    left,
    texts.map((text) => ({ need: byteSize(text), share: left / 2 })),
  )
  const said = lists.map(({ says, notes }, index) => fitNotes(says, notes, Math.floor(rooms[index] ?? 0)))
  const some = said.filter((one) => one !== '')
  if (some.length === 0) return EMPTY_PART
  return {
    text: [heading, ...some].join('\n\n'),
    from: ['journal'],
    remarks: texts.flatMap((text, index) => truncationRemark('notes', text, said[index] ?? '')),
  }
}

/** The guaranteed share of each note if not all fit: a very long note leaves space for others. */
const NOTE_SHARE = 1 / 4
/** Less than a sentence of a note is useless. */
const NOTE_MIN = 80

function fitNotes(says: string, notes: string[], room: number): string {
  const whole = bulletList(says, notes)
  if (byteSize(whole) <= room) return whole
  const points = notes.map(bullet)
  const left = room - byteSize(says) - byteSize(OMISSION_MARK) - 1
  const rooms = divideSpace(
    left,
    points.map((text) => ({ need: byteSize(text) + 1, share: left * NOTE_SHARE })),
  )
  const some = points.flatMap((text, index) => {
    const own = Math.floor(rooms[index] ?? 0) - 1
    if (byteSize(text) <= own) return [text]
    return own < NOTE_MIN ? [] : [closeFence(truncateToBytes(text, own - CLOSING_FENCE_MAX_BYTES))]
  })
  if (some.length === 0) return ''
  return [says, ...some, ...(some.length < points.length ? [OMISSION_MARK] : [])].join('\n')
}

const LOST = {
  undone: '; its work was reverted since',
  failed: '; its task failed, and its changes may be gone',
} as const

function noteText({ task, author, text, lost }: PromptNote): string {
  const who = task === null ? author : `${author} on ${task}`
  return `${who}${lost === undefined ? '' : LOST[lost]}: ${closeFence(text)}`
}
