/** The part of a prompt with the knowledge pages for the task: complete pages, the best first, as many as fit. */
import type { RecalledKnowledge, RecalledPage } from '../memory/recall.ts'
import { oneLine } from '../text/sanitize.ts'
import { truncateToBytes, byteSize } from './prompt-budget.ts'
import { wrapInFrame, quoteFrame, escapeDocumentTags, type QuoteFrame } from './quoted-text.ts'
import { truncationRemark, EMPTY_PART, type PartContent } from './prompt-part.ts'

const HEADING = `## What this project knows

Written earlier by people and agents. If the code says otherwise, trust the code.`

/** A page is cut to the remaining space only if a paragraph fits into it. */
const CUT_MIN = 400

export function knowledgePart({ entries, remarks }: RecalledKnowledge, room: number): PartContent {
  const said: string[] = []
  const from: string[] = []
  const left: string[] = [...remarks]
  let free = room - byteSize(HEADING)
  for (const entry of entries) {
    const frame = frameFor(entry)
    const body = escapeDocumentTags(entry.body)
    const space = free - frame.size - 2
    // Only the best page may be cut: half of a worse one helps less than all of the next.
    if (byteSize(body) > space && (said.length > 0 || space < CUT_MIN)) {
      left.push(`${entry.from}: skipped, no room`)
      continue
    }
    const cut = truncateToBytes(body, space)
    const text = wrapInFrame(frame, cut)
    said.push(text)
    from.push(entry.from)
    left.push(...truncationRemark(entry.from, body, cut))
    if (entry.old !== null) left.push(`${entry.from}: not changed for ${entry.old} days`)
    free -= byteSize(text) + 2
  }
  if (said.length === 0) return { ...EMPTY_PART, remarks: left }
  return { text: [HEADING, ...said].join('\n\n'), from, remarks: left }
}

function frameFor({ title, tags, old }: RecalledPage): QuoteFrame {
  const quoted = (text: string, max: number): string => `"${oneLine(text, max).replaceAll('"', "'")}"`
  const age = old === null ? '' : ` old="not changed for ${old} days: check that it is still true"`
  return quoteFrame(`title=${quoted(title, 200)} tags=${quoted(tags.join(', '), 200)}${age}`)
}
