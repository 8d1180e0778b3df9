/** The documents that an agent drafts, and whether one is complete: problems are worded for the agent that wrote it. */
import { assertNever } from '../assert-never.ts'
import { fencedLines } from '../text/code-fences.ts'
import { oneLine, utf8Length } from '../text/sanitize.ts'
import { parseAllowedChanges } from '../proof/allowed-changes.ts'
import { validateDraftTasks, isTaskFileError } from './validate-draft-tasks.ts'
import { TASK_FILE_MAX_BYTES, parseTaskFile } from './task-file.ts'
import { isBroadAllowance } from './name-heuristics.ts'

export const DOCUMENT_KINDS = ['spec', 'plan', 'tasks', 'prompt', 'fix-plan'] as const
export type DocumentKind = (typeof DOCUMENT_KINDS)[number]

/** The documents of a feature, in the order in which they are written. */
export const FEATURE_DOCUMENTS = ['spec', 'plan', 'tasks'] as const satisfies DocumentKind[]
export type FeatureDocumentKind = (typeof FEATURE_DOCUMENTS)[number]

/** The documents of a project: its own prompt and plan. */
export const PROJECT_DOCUMENTS = ['prompt', 'fix-plan'] as const satisfies DocumentKind[]

/** The file name, in the folder of the feature or in `.ralph`. */
export const DOCUMENT_FILES: Readonly<Record<DocumentKind, string>> = {
  spec: 'spec.md',
  plan: 'plan.md',
  tasks: 'tasks.json',
  prompt: 'PROMPT.md',
  'fix-plan': 'fix_plan.md',
}

const PROSE_BYTES = 512 * 1024

/** How much of a document is read to check whether it is complete. */
export function documentMaxBytes(kind: DocumentKind): number {
  return kind === 'tasks' ? TASK_FILE_MAX_BYTES : PROSE_BYTES
}

/** The folder of a feature's documents, relative to the project. */
export function featureFolder(name: string): string {
  return `.ralph/features/${name}`
}

export function featureDocumentPath(name: string, kind: FeatureDocumentKind): string {
  return documentPathIn(featureFolder(name), kind)
}

/** Also for documents outside a feature's folder: the project's own prompt and plan. */
export function documentPathIn(folder: string, kind: DocumentKind): string {
  return `${folder}/${DOCUMENT_FILES[kind]}`
}

/** Empty: the document is complete. */
export function documentProblems(kind: DocumentKind, text: string): string[] {
  switch (kind) {
    case 'spec':
    case 'plan':
      return proseProblems(text, { chars: PROSE_MIN, heading: true })
    case 'prompt':
      return proseProblems(text, { chars: 1, heading: false })
    case 'fix-plan': {
      const problems = proseProblems(text, { chars: 1, heading: false })
      if (problems.length > 0) return problems
      const checkboxes = ['it has no open checkbox: write each thing to do as a line "- [ ] what to do"']
      return [...(hasOpenCheckbox(text) ? [] : checkboxes), ...allowanceProblems(text)]
    }
    case 'tasks': {
      const { tasks, problems } = parseTaskFile(text)
      if (problems.length > 0) return problems
      return validateDraftTasks(tasks)
        .filter(isTaskFileError)
        .map(({ say, fix }) => `${say}. ${fix}`)
    }
    default:
      return assertNever(kind)
  }
}

/** Only a person's plan may allow changes to protected files: nobody reviews the allowances in a plan that an agent drafts. */
function allowanceProblems(text: string): string[] {
  const { protectedFiles, tests } = parseAllowedChanges(text)
  const wide = tests.find(isBroadAllowance)
  return [
    ...(protectedFiles.length === 0
      ? []
      : ['only a person may permit changes to protected files: remove "[protected: …]"']),
    ...(wide === undefined
      ? []
      : [
          `"[tests: ${oneLine(wide, 60)}]" permits changes to every test that matches: name only the tests that the task writes`,
        ]),
  ]
}

/** A shorter document has no useful content. */
const PROSE_MIN = 200

function proseProblems(text: string, { chars, heading }: { chars: number; heading: boolean }): string[] {
  const words = text.trim()
  if (words === '') return ['it is empty']
  const bytes = utf8Length(text)
  if (bytes > PROSE_BYTES) return [`it has ${bytes} bytes; the limit is ${PROSE_BYTES}`]
  const problems: string[] = []
  if (words.includes('\0')) problems.push('it is not a text file: it contains a null character')
  if (words.length < chars)
    problems.push(`it has ${words.length} characters, which is too short to be useful (${oneLine(words, 80)})`)
  if (heading && !hasHeading(text))
    problems.push('it has no heading: begin its sections with lines such as "## Requirements"')
  return problems
}

function hasHeading(text: string): boolean {
  return outsideFences(text).some((line) => /^ {0,3}#{1,6}\s+\S/.test(line))
}

/** Counts checkboxes like `parseCheckboxes`, so that a complete plan has work for the loop. */
function hasOpenCheckbox(text: string): boolean {
  return outsideFences(text).some((line) => /^\s*- \[ \]\s*\S/.test(line))
}

function outsideFences(text: string): string[] {
  const lines = text.split(/\r?\n/)
  const fenced = fencedLines(lines)
  return lines.filter((_, line) => !fenced.has(line))
}
