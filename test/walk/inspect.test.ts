/** `ralph inspect`, as a user types it. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type {
  InspectedEvidence,
  ReplyExitEvaluation,
  InspectedReply,
  InspectedSnapshot,
} from '../../src/app/doctor/inspect.ts'
import { DONE, testProject, NOT_YET, type TestProject } from '../test-project.ts'
import { runInProcess, type CapturedOutput } from '../run-in-process.ts'

const SAMPLES = join(import.meta.dirname, '..', 'agents', 'samples')
const OK = join(SAMPLES, 'claude', 'ok.stdout')

function inspect({ path, env }: TestProject, ...args: string[]): Promise<CapturedOutput> {
  return runInProcess(['inspect', ...args], { cwd: path, env })
}

describe('reply', () => {
  test("an agent's saved output is read by its driver, with the reason of each signal", async () => {
    const { out, code } = await inspect(await testProject(), 'reply', OK, '--agent', 'claude', '--json')
    const { mode, reply, signals } = JSON.parse(out) as InspectedReply
    expect([code, mode, reply.end, reply.tools]).toEqual([0, 'json', 'success', 1])
    expect([signals.from, signals.exitSignal, signals.because['exitSignal']]).toEqual([
      'block',
      true,
      'EXIT_SIGNAL: true',
    ])
  })

  test('without an agent its shape decides, and the words are the same', async () => {
    const { out } = await inspect(await testProject(), 'reply', OK)
    expect(out).toContain('read as claude (guessed from its shape): stream-json')
    expect(out).toMatch(/^ {2}exitSignal +true +EXIT_SIGNAL: true$/m)
    expect(out).not.toContain('\u001b')
  })

  test('escape sequences of an agent never reach the terminal', async () => {
    const made = await testProject({
      files: { 'evil.log': 'Error: \u001b[31mred\u001b[0m \u001b]0;title\u0007 failed\n' },
    })
    const { out } = await inspect(made, 'reply', 'evil.log')
    expect(out).toContain('red')
    expect(out).not.toContain('\u001b')
  })

  test('shows the tags of the agent, and what is wrong with them', async () => {
    const text =
      'See `<task-done>b</task-done>`.\n\n<journal>The cache\nlies.</journal>\n\n<journal>\n<task-done>a</task-done>\n'
    const made = await testProject({ files: { 'tags.log': text, 'none.log': 'Well.\n' } })
    const { out } = await inspect(made, 'reply', 'tags.log')
    expect(out.split('\n').slice(-4)).toEqual([
      `  ${'says done'.padEnd(22)}a        in its last message`,
      `  ${'note'.padEnd(22)}The cache lies. in one of its messages`,
      `  ${'problem'.padEnd(22)}You did not close <journal>, so it does not count. To mention a tag, put it in backticks.`,
      '',
    ])
    const none = await inspect(made, 'reply', 'none.log')
    expect(none.out).toMatch(/^ {2}tags +none; tags in code or quotes do not count$/m)
  })

  test('works outside a project', async () => {
    const { home } = await testProject()
    const { code } = await runInProcess(['inspect', 'reply', OK], { cwd: home, env: { HOME: home } })
    expect(code).toBe(0)
  })
})

test('signals: after each reply in turn, with the rules that hold here', async () => {
  const made = await testProject({ toml: '[exit]\nconfirm = 3\n' })
  const { out } = await inspect(made, 'signals', OK, OK, OK, '--json')
  const decided = JSON.parse(out) as ReplyExitEvaluation[]
  expect(decided.map(({ exitCounts, exit }) => [exitCounts.indicators, exit?.is ?? null])).toEqual([
    [1, null],
    [2, null],
    [3, 'project_complete'],
  ])
})

test('breaker: the state after each line, and the number of a line that cannot be used', async () => {
  const made = await testProject({
    toml: '[breaker]\nno_progress = 2\n',
    files: { 'ops.jsonl': '{"progress": true}\n{}\n{"error": true}\n', 'bad.jsonl': '{}\n{oops}\n' },
  })
  const { out } = await inspect(made, 'breaker', 'ops.jsonl')
  expect(out.split('\n').map((line) => line.trim().split(/ {2,}/).slice(0, 3))).toEqual([
    ['1', 'progress', 'closed'],
    ['2', 'nothing', 'closed'],
    ['3', 'error', 'open'],
    [''],
  ])
  const refused = await inspect(made, 'breaker', 'bad.jsonl')
  expect([refused.code, refused.out]).toEqual([1, ''])
  expect(refused.err).toContain(`${join(made.path, 'bad.jsonl')}:2: not JSON`)
})

test('the binary shows the plan as it is counted', async () => {
  const made = await testProject({ plan: '- [x] one\n- [ ] two\n## Optional\n- [ ] three\n' })
  const { code, stdout } = await made.ralph(['inspect', 'plan'])
  expect([code, stdout]).toEqual([
    0,
    `.ralph/fix_plan.md · 1 of 2 items done

     1  [x] one
     2  [ ] two
     4  [ ] three (optional, not counted)

next: two
`,
  ])
})

test('snapshot: the hash follows the files, and what is not stored is named', async () => {
  const made = await testProject()
  const look = async (): Promise<InspectedSnapshot> =>
    JSON.parse((await inspect(made, 'snapshot', '--json')).out) as InspectedSnapshot
  const before = await look()
  expect(before.snapshot.branch).toBe('main')
  await made.write('new.txt', 'new\n')
  await made.write('.env', 'KEY=1\n')
  const after = await look()
  expect(after.snapshot.tree).not.toBe(before.snapshot.tree)
  expect(after.snapshot.unstored).toEqual(['.env'])
  expect(await made.git('status', '--porcelain')).toBe('?? .env\n?? new.txt')
})

describe('evidence', () => {
  test('what the gates showed, on which tree, and whether that tree is still there', async () => {
    const made = await testProject({
      proof: 'full',
      toml: '[[gate]]\nname = "test"\nrun = "sh src/done.sh | grep -q done"\n',
      files: { 'src/done.sh': 'true\n' },
      turns: [
        [
          { do: 'write', path: 'src/done.sh', content: 'echo done\n' },
          { do: 'status', text: 'Done.', fields: DONE },
        ],
      ],
    })
    expect((await made.ralph(['loop'])).code).toBe(0)
    const look = async (): Promise<[gate: string, passed: boolean, isPresent: boolean][]> => {
      const { out } = await inspect(made, 'evidence', '--json')
      const { evidence } = JSON.parse(out) as InspectedEvidence
      return evidence
        .filter((one) => one.evidence.purpose === 'completion')
        .map((one) => [one.evidence.gate, one.passed, one.isPresent])
    }
    expect((await look()).at(-1)).toEqual(['test', true, true])
    await made.write('src/done.sh', 'echo changed since\n')
    expect((await look()).at(-1)).toEqual(['test', true, false])
    const { out } = await inspect(made, 'evidence')
    expect(out).toMatch(/^✓ +1 {2}test: pass \(sh src\/done\.sh \| grep -q done\) · .* · older tree \w{10}$/m)
    expect(out).toMatch(/^✓ +1 {2}test: pass \(sh src\/done\.sh \| grep -q done\) · .* · clean room$/m)
  })

  test('a run without gates has none', async () => {
    const made = await testProject({ turns: [[{ do: 'status', text: 'Begun.', fields: NOT_YET }]] })
    await made.ralph(['loop', '--once'])
    expect((await inspect(made, 'evidence')).out).toContain('No gate ran.')
  })
})

describe('what cannot be looked at is said with the next step', () => {
  test.each([
    [['reply', 'nowhere.log'], 1, /there is no file .*nowhere\.log/],
    [['breaker', 'nowhere.jsonl'], 1, /could not read .*nowhere\.jsonl: it does not exist/],
    [['reply'], 2, /ralph inspect reply needs FILE\n +Usage: ralph inspect reply FILE/],
    [['plan', 'extra'], 2, /ralph inspect plan: unexpected argument "extra"/],
    [['evidnce'], 2, /there is no command "ralph inspect evidnce"\n +Did you mean: ralph inspect evidence\?/],
    [['plan'], 1, /\.ralph\/fix_plan\.md is missing in/],
    [['evidence'], 3, /this project has no runs yet/],
    [['reply', OK, '--agent', 'cluade'], 2, /unknown agent "cluade"\n +Did you mean "claude"\?/],
  ])('inspect %j: exit %i', async (args, code, message) => {
    const heard = await inspect(await testProject(), ...args)
    expect([heard.code, heard.out]).toEqual([code, ''])
    expect(heard.err).toMatch(message)
  })
})
