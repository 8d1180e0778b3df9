/** Papers as a scripted agent writes them, and gardens in which features are drafted. */
import { testProject, type TestProject, type TestProjectOptions, type ScriptedTurn } from '../test-project.ts'

export const FOLDER = '.ralph/features/money'

export const SPEC = `# Money\n\n## Requirements\n\n${'1. Amounts of two currencies cannot be added.\n'.repeat(6)}`
export const PLAN = `# Plan\n\n## Phase 1\n\n${'Write the type, then its tests, then use it everywhere.\n'.repeat(6)}`
export const TASKS = `${JSON.stringify(
  {
    version: 1,
    tasks: [
      task('type', { files: ['src/money.ts'], tests: ['test/money*'] }),
      task('use', { after: ['type'], files: ['src/shop.ts'], tests: ['test/shop*'] }),
    ],
  },
  null,
  2,
)}\n`

function task(key: string, more: object): object {
  return {
    key,
    title: `Do ${key}`,
    description: `What ${key} is about.`,
    parent: null,
    after: [],
    files: [],
    checks: ['npm test'],
    criteria: [`${key} works`],
    tests: [],
    ...more,
  }
}

const WORDS = { spec: SPEC, plan: PLAN, tasks: TASKS } as const
const FILES = { spec: 'spec.md', plan: 'plan.md', tasks: 'tasks.json' } as const

/** A turn with what it is for. */
type WholeTurn = Exclude<ScriptedTurn, unknown[]>

export type DocumentName = keyof typeof WORDS

/** A turn that writes its document and says so. */
export function writeDocumentTurn(document: DocumentName, content: string = WORDS[document]): WholeTurn {
  return {
    for: `Write the document to ${FOLDER}/${FILES[document]}`,
    steps: [
      { do: 'write', path: `${FOLDER}/${FILES[document]}`, content },
      { do: 'say', text: `${FILES[document]} is written.` },
    ],
  }
}

/** A turn that never ends, before or after its document is written. */
export function hangingTurn(document: DocumentName, { written }: { written: boolean }): WholeTurn {
  const write = { do: 'write' as const, path: `${FOLDER}/${FILES[document]}`, content: WORDS[document] }
  return {
    for: `Write the document to ${FOLDER}/${FILES[document]}`,
    steps: [...(written ? [write] : []), { do: 'say', text: 'I hang.' }, { do: 'hang' }],
  }
}

export function makeDraftProject(options: TestProjectOptions = {}): Promise<TestProject> {
  return testProject({ prompt: null, toml: '', ...options })
}

/** How the run ended, of what `--json` prints; behind it stands what was accepted. */
export function ended(stdout: string): Record<string, unknown> {
  const lines = stdout.trim().split('\n')
  const result = lines.findLast((line) => line.startsWith('{"type":"result"'))
  return JSON.parse(result ?? '{}') as Record<string, unknown>
}
