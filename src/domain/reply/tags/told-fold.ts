/**
 * What the tags of an agent's messages amount to, folded message by message. Whatever cannot be taken as it stands is dropped or cut, and
 * why is kept in words to the agent, for its next prompt.
 */
import { never } from '../../machine.ts'
import { readOpinionTags } from '../../proof/opinion.ts'
import { clip, oneLine } from '../../text/text.ts'
import { nothingTold, TOLD_MAX, type KnowledgeSaid, type Told } from '../told.ts'
import { type Flaw, isNote, type Scanned, type Tag, type TagName } from './tag-scan.ts'

export interface ToldFold {
  /** A message that others follow: its notes count, its verdicts do not. */
  take(message: Scanned): void
  /** `messages`: the last one, as it came and as the vendor repeats it; the first of them that has a verdict gives it. */
  finish(messages: Scanned[]): Told
}

export function toldFold(): ToldFold {
  const told = nothingTold()
  const earlier = new Set<TagName>()
  return {
    take(message) {
      takeNotes(told, message)
      for (const { name } of message.tags) if (isVerdict(name)) earlier.add(name)
    },
    finish(messages) {
      for (const message of messages) takeNotes(told, message)
      const last = messages.find(hasVerdict) ?? messages[0] ?? NO_TAGS
      takeVerdicts(told, last)
      if (told.done.length + told.failed.length === 0) sayWhyNot(told, { last, earlier })
      return told
    },
  }
}

const NO_TAGS: Scanned = { tags: [], flaws: [], shown: false }
const TASK_WORDS = ['task-done', 'task-failed'] as const

/** Whoever wrote the word about its task where it does not count would write it there again. */
function sayWhyNot(told: Told, { last, earlier }: { last: Scanned; earlier: Set<TagName> }): void {
  for (const name of TASK_WORDS)
    if (earlier.has(name))
      problem(told, `<${name}> counts in your last message only; you wrote it before that.`)
  if (last.shown)
    problem(told, 'A tag in code, quotation marks or a quotation does not count: write it plainly.')
}

function isVerdict(name: TagName): boolean {
  return !isNote(name)
}

function hasVerdict({ tags }: Scanned): boolean {
  return tags.some(({ name }) => isVerdict(name))
}

function takeNotes(told: Told, { tags, flaws }: Scanned): void {
  for (const tag of tags) {
    if (tag.name === 'journal') takeNote(told, tag)
    if (tag.name === 'knowledge') takeKnowledge(told, tag)
  }
  for (const flaw of flaws) if (!('name' in flaw) || !isVerdict(flaw.name)) problem(told, sayFlaw(flaw))
}

function takeNote(told: Told, { body, cut }: Tag): void {
  const said = body.trim()
  if (said === '') return problem(told, 'An empty <journal> says nothing.')
  const text = clip(said, TOLD_MAX.note)
  if (told.notes.includes(text)) return
  if (told.notes.length === TOLD_MAX.notes)
    return problem(
      told,
      `Only ${TOLD_MAX.notes} <journal> notes of a reply are kept; the others were dropped.`,
    )
  told.notes.push(text)
  if (cut || text !== said)
    problem(told, `A <journal> note of more than ${TOLD_MAX.note} characters was cut.`)
}

const ENTRY = '<knowledge title="…" tags="a, b">…</knowledge>'

function takeKnowledge(told: Told, tag: Tag): void {
  const title = oneLine(tag.head['title'] ?? '', TOLD_MAX.title)
  const tags = tagsIn(tag.head['tags'] ?? '')
  const said = tag.body.trim()
  const missing = [title === '' && 'title', tags.length === 0 && 'tags', said === '' && 'text'].find(
    (one) => one !== false,
  )
  if (missing !== undefined) return problem(told, `A <knowledge> without ${missing} does not count: ${ENTRY}`)
  const body = firstWords(said, TOLD_MAX.words)
  if (told.knowledge.some((one) => isSame(one, { title, tags, body }))) return
  if (told.knowledge.length === TOLD_MAX.knowledge)
    return problem(
      told,
      `Only ${TOLD_MAX.knowledge} <knowledge> entries of a reply are kept; the others were dropped.`,
    )
  told.knowledge.push({ title, tags, body })
  if (tag.cut || body !== said)
    problem(told, `<knowledge> "${clip(title, 60)}" was cut: an entry has at most ${TOLD_MAX.words} words.`)
}

function tagsIn(list: string): string[] {
  const tags = list.split(',').map((one) => oneLine(one, TOLD_MAX.tag).toLowerCase())
  return [...new Set(tags)].filter((one) => one !== '').slice(0, TOLD_MAX.tags)
}

function isSame(one: KnowledgeSaid, other: KnowledgeSaid): boolean {
  return one.title === other.title && one.body === other.body && one.tags.join() === other.tags.join()
}

/** As they stand, line by line, up to the last that counts. */
function firstWords(text: string, max: number): string {
  let count = 0
  for (const word of text.matchAll(/\S+/g)) {
    if (count === max) return text.slice(0, word.index).trimEnd()
    count++
  }
  return text
}

function takeVerdicts(told: Told, { tags, flaws }: Scanned): void {
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
  const opinion = readOpinionTags(tags)
  if (opinion.is !== 'none') told.opinion = opinion
  for (const flaw of flaws) if ('name' in flaw && isVerdict(flaw.name)) problem(told, sayFlaw(flaw))
}

const PROMISES: Readonly<Record<string, 'complete' | 'failure'>> = {
  COMPLETE: 'complete',
  FAILURE: 'failure',
}
const PHASES = ['spec', 'plan', 'build'] as const

/** Ids as they are written, each once. */
function tasksIn(told: Told, tags: Tag[]): string[] {
  const ids = new Set<string>()
  for (const { name, body, cut } of tags) {
    const id = body.trim()
    if (!cut && /^[^<>\s]{1,80}$/.test(id)) ids.add(id)
    else problem(told, `<${name}> takes the id of your task and nothing else.`)
  }
  return [...ids].slice(0, TOLD_MAX.tasks)
}

/** Said several times it must be the same each time. */
function theOne<T extends string>(
  told: Told,
  tags: Tag[],
  { read, takes }: { read: (body: string) => T | null; takes: string },
): T | null {
  const [first] = tags
  if (first === undefined) return null
  const said = new Set(tags.map(({ body }) => read(body.trim())))
  const [one = null] = said
  if (said.has(null)) problem(told, `<${first.name}> takes ${takes}.`)
  else if (said.size > 1)
    problem(told, `You wrote <${first.name}> several times, and not the same: none counts.`)
  return said.size === 1 ? one : null
}

function sayFlaw(flaw: Flaw): string {
  switch (flaw.is) {
    case 'unclosed':
      return `You did not close <${flaw.name}>, so it does not count. To speak of a tag, put it in backticks.`
    case 'nested':
      return `<${flaw.name}> inside <${flaw.within}> does not count: close one tag before the next.`
    case 'unreadable':
      return `A <${flaw.name} …> could not be read${flaw.name === 'knowledge' ? `: ${ENTRY}` : '.'}`
    case 'too-many':
      return 'You wrote more tags than are read in one message; the last ones were dropped.'
    case 'too-long':
      return 'Tags in a paragraph of more than 256 KB are not read; put an empty line before them.'
    default:
      return never(flaw)
  }
}

/** Each once: a vendor that repeats a message repeats its slips. */
function problem({ problems }: Told, text: string): void {
  if (problems.length < TOLD_MAX.problems && !problems.includes(text)) problems.push(text)
}
