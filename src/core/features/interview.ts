/**
 * The transcript of a draft, `interview.md`: what is wanted, and what person and agent said, each entry under a mark of its own, so that
 * nothing is written down twice. Agents that cannot go on with their conversation are told it again.
 */
import { clip, stripControl } from '../text/sanitize.ts'

/** Where it lies, in the folder of the documents, and what the documents are made from beside it. */
export const INTERVIEW_FILE = 'interview.md'
export const SOURCE_FILE = 'source.md'

/** What a draft asks is answered at length, in so many characters. */
export const INTERVIEW_ANSWER_MAX = 4_000

export interface InterviewEntry {
  /** What the person wants, says or answers, or what the agent says. */
  by: 'wish' | 'person' | 'agent'
  /** Names the entry: it is written once. */
  mark: string
  text: string
}

const HEADINGS: Readonly<Record<InterviewEntry['by'], string>> = {
  wish: 'What is wanted',
  person: 'The person',
  agent: 'The agent',
}

const NOTE = 'What was said while these papers were drafted. Ralph writes it, and reads it when the draft goes on.'

/** The transcript with this entry; one that is in it already changes nothing. */
export function appendEntry(interview: string, { by, mark, text }: InterviewEntry): string {
  if (hasEntry(interview, { by, mark })) return interview
  return `${opened(interview)}\n\n${markLine(by, mark)}\n## ${HEADINGS[by]}\n\n${harmless(text)}\n`
}

function opened(interview: string): string {
  return interview.trim() === '' ? `# Interview\n\n${NOTE}` : interview.trimEnd()
}

export function hasEntry(interview: string, { by, mark }: Pick<InterviewEntry, 'by' | 'mark'>): boolean {
  return interview.split('\n').includes(markLine(by, mark))
}

/** A turn begins that is to write this file: how it was then, or null, it was not there. When the agent ends, its entry of the same mark follows. */
export interface TurnStart {
  mark: string
  file: string
  before: string | null
}

export function appendTurnStart(interview: string, { mark, file, before }: TurnStart): string {
  const begun = `<!-- turn ${mark} ${file} `
  if (interview.split('\n').some((line) => line.startsWith(begun))) return interview
  return `${opened(interview)}\n\n${begun}${before ?? NONE} -->\n`
}

const NONE = '-'
const TURN = /^<!-- turn (\S+) (\S+) (\S+) -->$/
const HEARD = /^<!-- agent (\S+) -->$/

/** Whether a turn that nobody heard the end of left this file as it is now: it may be half of what it was to be. */
export function isUnfinished(interview: string, { file, now }: { file: string; now: string }): boolean {
  let open: { mark: string; before: string }[] = []
  for (const line of interview.split('\n')) {
    const [, mark = '', of, before = ''] = TURN.exec(line) ?? []
    if (of === file) open.push({ mark, before })
    const [, heard] = HEARD.exec(line) ?? []
    // Whoever ended well has seen what those before it left.
    if (open.some((turn) => turn.mark === heard)) open = []
  }
  return open.some(({ before }) => before !== now)
}

function markLine(by: InterviewEntry['by'], mark: string): string {
  return `<!-- ${by} ${mark} -->`
}

/** What somebody says is no mark, and nothing that a terminal obeys. */
function harmless(text: string): string {
  return stripControl(text).trim().replaceAll('<!--', '&lt;!--')
}

const ENTRY = /^<!-- (?:wish|person|agent) \S+ -->\n/m

/** As much of it as there is room for: what is wanted, and of the rest the newest. Empty: nothing was said yet. */
export function interviewExcerpt(interview: string, room: number): string {
  const lines = interview.split('\n').filter((line) => !TURN.test(line))
  const [, ...entries] = lines
    .join('\n')
    .split(ENTRY)
    .map((entry) => entry.trim())
  const wishes = entries.filter((entry) => entry.startsWith(`## ${HEADINGS.wish}\n`))
  const others = entries.filter((entry) => !wishes.includes(entry))
  const wanted = clip(wishes.join('\n\n'), Math.floor(room / 2))
  let left = room - wanted.length
  const told: string[] = []
  for (const entry of others.toReversed()) {
    left -= entry.length
    if (left < 0) {
      told.unshift('[… what was said before is left out]')
      break
    }
    told.unshift(entry)
  }
  return [wanted, ...told].filter((part) => part !== '').join('\n\n')
}
