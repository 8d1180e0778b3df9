/**
 * Folds the tags of an agent's messages into a report, message by message. Invalid tags are dropped or cut, and the reason is kept as
 * text for the agent's next prompt.
 */
import { assertNever } from '../../assert-never.ts'
import { parseReviewTags } from '../../proof/review.ts'
import { clip, firstWords, oneLine } from '../../text/sanitize.ts'
import { emptyAgentReport, AGENT_REPORT_LIMITS, type ReportedKnowledge, type AgentReport } from '../agent-report.ts'
import { type TagProblem, isNoteTag, type TagScanResult, type Tag, type TagName } from './tag-scan.ts'

export interface AgentReportFold {
  /** A message that is not the last: its notes count, its verdicts do not. */
  take(message: TagScanResult): void
  /** `messages`: the last message as streamed and as the vendor repeats it; the first version with a verdict counts. */
  finish(messages: TagScanResult[]): AgentReport
}

export function createAgentReportFold(): AgentReportFold {
  const told = emptyAgentReport()
  const earlier = new Set<TagName>()
  return {
    take(message) {
      takeNotes(told, message)
      for (const { name } of message.tags) if (isVerdict(name)) earlier.add(name)
    },
    finish(messages) {
      for (const message of messages) takeNotes(told, message)
      const last = messages.find(({ tags }) => tags.some(({ name }) => isVerdict(name))) ?? messages[0] ?? NO_TAGS
      takeVerdicts(told, last)
      if (told.done.length + told.failed.length === 0) sayWhyNot(told, { last, earlier })
      return told
    },
  }
}

const NO_TAGS: TagScanResult = { tags: [], tagErrors: [], shown: false }
const TASK_WORDS = ['task-done', 'task-failed'] as const

/** Explains why a task verdict did not count; otherwise the agent would repeat the mistake. */
function sayWhyNot(told: AgentReport, { last, earlier }: { last: TagScanResult; earlier: Set<TagName> }): void {
  for (const name of TASK_WORDS)
    if (earlier.has(name)) problem(told, `<${name}> counts only in your last message; you wrote it earlier.`)
  if (last.shown) problem(told, 'A tag in code or quotes does not count; write it as plain text.')
}

function isVerdict(name: TagName): boolean {
  return !isNoteTag(name)
}

function takeNotes(told: AgentReport, { tags, tagErrors }: TagScanResult): void {
  for (const tag of tags) {
    if (tag.name === 'journal') takeNote(told, tag)
    if (tag.name === 'knowledge') takeKnowledge(told, tag)
  }
  for (const flaw of tagErrors) if (!('name' in flaw) || !isVerdict(flaw.name)) problem(told, sayFlaw(flaw))
}

function takeNote(told: AgentReport, { body, cut }: Tag): void {
  const said = body.trim()
  if (said === '') return problem(told, 'An empty <journal> does not count.')
  const text = clip(said, AGENT_REPORT_LIMITS.note)
  if (told.notes.includes(text)) return
  if (told.notes.length === AGENT_REPORT_LIMITS.notes)
    return problem(
      told,
      `Only ${AGENT_REPORT_LIMITS.notes} <journal> notes per reply are saved; the others were dropped.`,
    )
  told.notes.push(text)
  if (cut || text !== said)
    problem(told, `A <journal> note of more than ${AGENT_REPORT_LIMITS.note} characters was cut.`)
}

const ENTRY = '<knowledge title="…" tags="a, b">…</knowledge>'

function takeKnowledge(told: AgentReport, tag: Tag): void {
  const title = oneLine(tag.head['title'] ?? '', AGENT_REPORT_LIMITS.title)
  const tags = tagsIn(tag.head['tags'] ?? '')
  const said = tag.body.trim()
  const missing = [title === '' && 'title', tags.length === 0 && 'tags', said === '' && 'text'].find(
    (one) => one !== false,
  )
  if (missing !== undefined) return problem(told, `A <knowledge> without ${missing} does not count: ${ENTRY}`)
  const body = firstWords(said, AGENT_REPORT_LIMITS.words)
  if (told.knowledge.some((one) => isSame(one, { title, tags, body }))) return
  if (told.knowledge.length === AGENT_REPORT_LIMITS.knowledge)
    return problem(
      told,
      `Only ${AGENT_REPORT_LIMITS.knowledge} <knowledge> entries per reply are saved; the others were dropped.`,
    )
  told.knowledge.push({ title, tags, body })
  if (tag.cut || body !== said)
    problem(told, `<knowledge> "${clip(title, 60)}" was cut: an entry has at most ${AGENT_REPORT_LIMITS.words} words.`)
}

function tagsIn(list: string): string[] {
  const tags = list.split(',').map((one) => oneLine(one, AGENT_REPORT_LIMITS.tag).toLowerCase())
  return [...new Set(tags)].filter((one) => one !== '').slice(0, AGENT_REPORT_LIMITS.tags)
}

function isSame(one: ReportedKnowledge, other: ReportedKnowledge): boolean {
  return one.title === other.title && one.body === other.body && one.tags.join() === other.tags.join()
}

function takeVerdicts(told: AgentReport, { tags, tagErrors }: TagScanResult): void {
  const of = (name: TagName): Tag[] => tags.filter((tag) => tag.name === name)
  told.done = tasksIn(told, of('task-done'))
  told.failed = tasksIn(told, of('task-failed'))
  told.promise = theOne(told, of('promise'), {
    read: (body) => PROMISES[body.toUpperCase()] ?? null,
    takes: 'COMPLETE or FAILURE',
  })
  told.nextModel = theOne(told, of('next-model'), {
    read: (body) => (/^[\w@][\w.:/@[\]-]{0,99}$/.test(body) ? body : null),
    takes: 'the name of a model, or light, medium or strong',
  })
  told.phase = theOne(told, of('phase-complete'), {
    read: (body) => PHASES.find((phase) => phase === body.toLowerCase()) ?? null,
    takes: 'spec, plan or build',
  })
  told.tasksCreated = of('tasks-created').length > 0
  const review = parseReviewTags(tags)
  if (review.is !== 'none') told.review = review
  for (const flaw of tagErrors) if ('name' in flaw && isVerdict(flaw.name)) problem(told, sayFlaw(flaw))
}

const PROMISES: Readonly<Record<string, 'complete' | 'failure'>> = { COMPLETE: 'complete', FAILURE: 'failure' }
const PHASES = ['spec', 'plan', 'build'] as const

/** The ids as written, without duplicates. */
function tasksIn(told: AgentReport, tags: Tag[]): string[] {
  const ids = new Set<string>()
  for (const { name, body, cut } of tags) {
    const id = body.trim()
    if (!cut && /^[^<>\s]{1,80}$/.test(id)) ids.add(id)
    else problem(told, `<${name}> takes the id of your task and nothing else.`)
  }
  return [...ids].slice(0, AGENT_REPORT_LIMITS.tasks)
}

/** The value of a tag; if the tag is repeated, all values must be the same. */
function theOne<T extends string>(
  told: AgentReport,
  tags: Tag[],
  { read, takes }: { read: (body: string) => T | null; takes: string },
): T | null {
  const [first] = tags
  if (first === undefined) return null
  const said = new Set(tags.map(({ body }) => read(body.trim())))
  const [one = null] = said
  if (said.has(null)) problem(told, `<${first.name}> takes ${takes}.`)
  else if (said.size > 1)
    problem(told, `You wrote <${first.name}> several times with different content, so none counts.`)
  return said.size === 1 ? one : null
}

function sayFlaw(flaw: TagProblem): string {
  switch (flaw.is) {
    case 'unclosed':
      return `You did not close <${flaw.name}>, so it does not count. To mention a tag, put it in backticks.`
    case 'nested':
      return `<${flaw.name}> inside <${flaw.within}> does not count: close one tag before you open the next.`
    case 'unreadable':
      return `A <${flaw.name} …> could not be read${flaw.name === 'knowledge' ? `: ${ENTRY}` : '.'}`
    case 'too-many':
      return 'You wrote too many tags in one message; the last ones were dropped.'
    case 'too-long':
      return 'Ralph does not read tags in a paragraph of more than 256 KB; put an empty line before the tags.'
    default:
      return assertNever(flaw)
  }
}

/** Adds a problem once: a vendor that repeats a message repeats its problems. */
function problem({ problems }: AgentReport, text: string): void {
  if (problems.length < AGENT_REPORT_LIMITS.problems && !problems.includes(text)) problems.push(text)
}
