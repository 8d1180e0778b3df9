/** A small night that several walk tests look at afterwards: one checkbox done, one lie caught by the gate, then the truth, which is
 *  judged by trial where a test asks for that. */
import { DONE, testProject, NOT_YET, type TestProject, type TestProjectOptions } from '../test-project.ts'
import { runInProcess, type CapturedOutput } from '../run-in-process.ts'

const PLAN = '- [ ] write hello\n- [ ] write world\n'

export function makeSampleProject(more: TestProjectOptions = {}): Promise<TestProject> {
  return testProject({
    toml: '[[gate]]\nname = "words"\nrun = "sh src/words.sh | grep -q world"\n',
    plan: PLAN,
    files: { 'src/words.sh': 'true\n' },
    turns: [
      {
        steps: [
          { do: 'say', text: 'I begin with hello.' },
          { do: 'write', path: 'src/words.sh', content: 'echo hello\n' },
          { do: 'replace', path: '.ralph/fix_plan.md', find: '- [ ] write hello', with: '- [x] write hello' },
          { do: 'commit', message: 'words: say hello' },
          { do: 'status', text: 'Hello is written.', fields: NOT_YET },
        ],
        usage: { input: 1000, output: 100, usd: 0.25 },
      },
      {
        steps: [
          { do: 'replace', path: '.ralph/fix_plan.md', find: '- [ ] write world', with: '- [x] write world' },
          { do: 'status', text: 'Everything is done.', fields: DONE },
        ],
        usage: { input: 500, output: 50, usd: 0.125 },
      },
      {
        steps: [
          { do: 'append', path: 'src/words.sh', content: 'echo world\n' },
          { do: 'commit', message: 'words: say world' },
          { do: 'status', text: 'Now it is.', fields: DONE },
        ],
        usage: { input: 800, output: 80, usd: 0.125 },
      },
    ],
    ...more,
  })
}

/** The same, lived through. */
export async function finishSampleRun(more: TestProjectOptions = {}): Promise<TestProject & { run: string }> {
  const made = await makeSampleProject(more)
  const { code, stdout, stderr } = await made.ralph(['loop', '--json'])
  if (code !== 0) throw new Error(`the night failed with ${code}:\n${stdout}\n${stderr}`)
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as { run: string }
  return { ...made, run: last.run }
}

export function runCommand({ path, env }: TestProject, ...argv: string[]): Promise<CapturedOutput> {
  return runInProcess(argv, { cwd: path, env })
}
