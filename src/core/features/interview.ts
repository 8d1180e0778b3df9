/**
 * The transcript of a draft, `interview.md`: the request, and the messages of person and agent. Each entry has a mark, so that none is
 * written twice. An agent that cannot resume its conversation gets the transcript in its prompt.
 */
import { clip, stripControl } from '../text/sanitize.ts'

/** The transcript, and the source of the documents, in the folder of the documents. */
export const INTERVIEW_FILE = 'interview.md'
export const DRAFT_SOURCE_FILE = 'source.md'

/** The longest answer to a draft's question, in characters. */
export const INTERVIEW_ANSWER_MAX = 4_000

export interface InterviewEntry {
  /** A request of the person, a message of the person, or one of the agent. */
  by: 'wish' | 'person' | 'agent'
  /** Identifies the entry, so that it is written once. */
  mark: string
  text: string
}

const HEADINGS: Readonly<Record<InterviewEntry['by'], string>> = {
  wish: 'The goal',
  person: 'The person',
  agent: 'The agent',
}

const NOTE = 'The conversation of the draft. Ralph writes this file and reads it when the draft continues.'

/** The transcript with this entry; unchanged if it already has the entry. */
export function interviewWithEntry(interview: string, { by, mark, text }: InterviewEntry): string {
  if (hasEntry(interview, { by, mark })) return interview
  return `${withTitle(interview)}\n\n${markLine(by, mark)}\n## ${HEADINGS[by]}\n\n${escapeMarks(text)}\n`
}

function withTitle(interview: string): string {
  return interview.trim() === '' ? `# Interview\n\n${NOTE}` : interview.trimEnd()
}

export function hasEntry(interview: string, { by, mark }: Pick<InterviewEntry, 'by' | 'mark'>): boolean {
  return interview.split('\n').includes(markLine(by, mark))
}

/** The start of a turn that writes this file. `before`: its content then; null: it did not exist. The agent's entry has the same mark. */
export interface TurnStart {
  mark: string
  file: string
  before: string | null
}

export function interviewWithTurn(interview: string, { mark, file, before }: TurnStart): string {
  const begun = `<!-- turn ${mark} ${file} `
  if (interview.split('\n').some((line) => line.startsWith(begun))) return interview
  return `${withTitle(interview)}\n\n${begun}${before ?? NONE} -->\n`
}

const NONE = '-'
const TURN = /^<!-- turn (\S+) (\S+) (\S+) -->$/
const HEARD = /^<!-- agent (\S+) -->$/

/** Whether an interrupted turn wrote the file as it is now: it may be incomplete. */
export function isDocumentUnfinished(interview: string, { file, now }: { file: string; now: string }): boolean {
  let open: { mark: string; before: string }[] = []
  for (const line of interview.split('\n')) {
    const [, mark = '', of, before = ''] = TURN.exec(line) ?? []
    if (of === file) open.push({ mark, before })
    const [, heard] = HEARD.exec(line) ?? []
    // A turn that ended has seen the files of the turns before it.
    if (open.some((turn) => turn.mark === heard)) open = []
  }
  return open.some(({ before }) => before !== now)
}

function markLine(by: InterviewEntry['by'], mark: string): string {
  return `<!-- ${by} ${mark} -->`
}

/** Escapes marks and removes control characters. */
function escapeMarks(text: string): string {
  return stripControl(text).trim().replaceAll('<!--', '&lt;!--')
}

const ENTRY = /^<!-- (?:wish|person|agent) \S+ -->\n/m

/** The part of the transcript that fits: the requests, and the newest of the other entries. Empty: it has no entries. */
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
      told.unshift('[… earlier conversation omitted]')
      break
    }
    told.unshift(entry)
  }
  return [wanted, ...told].filter((part) => part !== '').join('\n\n')
}
