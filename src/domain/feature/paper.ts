/** The papers that an agent drafts, and whether one is whole: what is wrong is told in words to the agent that wrote it. */
import { never } from '../machine.ts'
import { fencedLines } from '../text/fences.ts'
import { oneLine, utf8Bytes } from '../text/text.ts'
import { leaveIn } from '../proof/leave.ts'
import { criticise, isError } from './critic.ts'
import { DOCUMENT_BYTES, readTasksDocument } from './document.ts'
import { isWideLeave } from './tests-in.ts'

export const PAPER_KINDS = ['spec', 'plan', 'tasks', 'prompt', 'fix-plan'] as const
export type PaperKind = (typeof PAPER_KINDS)[number]

/** Those of a feature, in the order in which they are made. */
export const FEATURE_PAPERS = ['spec', 'plan', 'tasks'] as const satisfies PaperKind[]
export type FeaturePaper = (typeof FEATURE_PAPERS)[number]

/** Those of a project: its own prompt and plan. */
export const PROJECT_PAPERS = ['prompt', 'fix-plan'] as const satisfies PaperKind[]

/** How its file is called, in the folder of its feature or in `.ralph`. */
export const PAPER_FILES: Readonly<Record<PaperKind, string>> = {
  spec: 'spec.md',
  plan: 'plan.md',
  tasks: 'tasks.json',
  prompt: 'PROMPT.md',
  'fix-plan': 'fix_plan.md',
}

const PROSE_BYTES = 512 * 1024

/** As much of a paper as anybody needs to read to see whether it is whole. */
export const PAPER_BYTES: Readonly<Record<PaperKind, number>> = {
  spec: PROSE_BYTES,
  plan: PROSE_BYTES,
  tasks: DOCUMENT_BYTES,
  prompt: PROSE_BYTES,
  'fix-plan': PROSE_BYTES,
}

/** Where the papers of a feature lie, in the project. */
export function featureFolder(name: string): string {
  return `.ralph/features/${name}`
}

export function paperPath(name: string, kind: FeaturePaper): string {
  return paperIn(featureFolder(name), kind)
}

/** Papers may lie in another folder than a feature's: the project's own prompt and plan. */
export function paperIn(folder: string, kind: PaperKind): string {
  return `${folder}/${PAPER_FILES[kind]}`
}

/** Empty: it is whole. */
export function paperProblems(kind: PaperKind, text: string): string[] {
  switch (kind) {
    case 'spec':
    case 'plan':
      return proseProblems(text, { chars: PROSE_MIN, heading: true })
    case 'prompt':
      return proseProblems(text, { chars: 1, heading: false })
    case 'fix-plan': {
      const problems = proseProblems(text, { chars: 1, heading: false })
      if (problems.length > 0) return problems
      const boxes = ['there is no open box in it: write each thing to do as a line "- [ ] what to do"']
      return [...(hasOpenBox(text) ? [] : boxes), ...leaveProblems(text)]
    }
    case 'tasks': {
      const { tasks, problems } = readTasksDocument(text)
      if (problems.length > 0) return problems
      return criticise(tasks)
        .filter(isError)
        .map(({ say, cure }) => `${say}. ${cure}`)
    }
    default:
      return never(kind)
  }
}

/** A plan that gives leave to change what judges the work is a person's: nobody is asked about one that an agent drafts. */
function leaveProblems(text: string): string[] {
  const { judge, tests } = leaveIn(text)
  const wide = tests.find(isWideLeave)
  return [
    ...(judge.length === 0
      ? []
      : ['only a person gives leave to change the judge: take "[judge: …]" out of it']),
    ...(wide === undefined
      ? []
      : [`"[tests: ${oneLine(wide, 60)}]" is leave for every such test: name those that are written`]),
  ]
}

/** A paper that says less says nothing. */
const PROSE_MIN = 200

function proseProblems(text: string, { chars, heading }: { chars: number; heading: boolean }): string[] {
  const words = text.trim()
  if (words === '') return ['it is empty']
  const bytes = utf8Bytes(text)
  if (bytes > PROSE_BYTES)
    return [`it has ${bytes} bytes, and ${PROSE_BYTES} are the most: nobody reads so much`]
  const problems: string[] = []
  if (words.includes('\0')) problems.push('it is no text: there is a null character in it')
  if (words.length < chars)
    problems.push(
      `it has ${words.length} characters, which is too few to say anything (${oneLine(words, 80)})`,
    )
  if (heading && !hasHeading(text))
    problems.push('it has no heading: begin its sections with lines such as "## Requirements"')
  return problems
}

function hasHeading(text: string): boolean {
  return outsideFences(text).some((line) => /^ {0,3}#{1,6}\s+\S/.test(line))
}

/** As the plan's reader counts them, so that what is whole here has something to do there. */
function hasOpenBox(text: string): boolean {
  return outsideFences(text).some((line) => /^\s*- \[ \]\s*\S/.test(line))
}

function outsideFences(text: string): string[] {
  const lines = text.split(/\r?\n/)
  const fenced = fencedLines(lines)
  return lines.filter((_, line) => !fenced.has(line))
}
