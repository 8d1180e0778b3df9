/** A small project whose completions are judged by trial: one program, one test of it, and turns that do the work or only claim it. */
import { DONE, testProject, type TestProject, type TestProjectOptions, type ScriptedTurn } from '../test-project.ts'

export const GATE = '[[gate]]\nname = "test"\nrun = "sh test/add.sh"\n'
export const TEST = 'test "$(sh src/add.sh 1 2)" = 3\n'
/** It does not add yet. */
export const FILES = { 'src/add.sh': 'echo $(($1 - $2))\n', 'test/add.sh': TEST }

export const ADDS = { do: 'write', path: 'src/add.sh', content: 'echo $(($1 + $2))\n' } as const
export const STILL_WRONG = { do: 'write', path: 'src/add.sh', content: 'echo $(($1 * $2))\n' } as const
export const CLAIM = { do: 'status', text: 'All done.', fields: DONE } as const
/** The code is still wrong, and the test now says that this is right. */
export const WEAKENED_TEST = [
  STILL_WRONG,
  { do: 'write', path: 'test/add.sh', content: TEST.replace('= 3', '= 2') },
] as const

export function makeProofProject(more: TestProjectOptions = {}): Promise<TestProject> {
  return testProject({ proof: 'full', toml: GATE, files: FILES, ...more })
}

/** What a loop came to, with all it said. */
export interface ProofRun {
  fixture: TestProject
  code: number | null
  said: string
  [field: string]: unknown
}

export async function runProof(
  turns: ScriptedTurn[],
  more: TestProjectOptions = {},
  args: string[] = [],
): Promise<ProofRun> {
  const fixture = await makeProofProject({ turns, ...more })
  return loop(fixture, ...args)
}

/** The same place again, perhaps with other turns. */
export async function runProofAgain(
  { fixture }: Pick<ProofRun, 'fixture'>,
  turns: ScriptedTurn[],
  ...args: string[]
): Promise<ProofRun> {
  await fixture.play(turns)
  return loop(fixture, ...args)
}

export async function loop(fixture: TestProject, ...args: string[]): Promise<ProofRun> {
  const { code, stdout } = await fixture.ralph(['loop', '--json', ...args])
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Record<string, unknown>
  return { ...last, fixture, code, said: stdout }
}

/** What an agent is told at the beginning of its turn. */
export function expectPrompt(matches: string): { do: 'expect-prompt'; matches: string } {
  return { do: 'expect-prompt', matches }
}
