import { describe, expect, test } from 'vitest'
import { readdirSync } from 'node:fs'
import type { ImportResult } from '../../src/app/import/import.ts'
import type { Stats } from '../../src/core/presentation/stats.ts'
import { testProject, type TestProject, type TestProjectOptions, type ScriptedTurn } from '../test-project.ts'
import { runInThisProcess, install } from '../walk/setup-kit.ts'

const PRD = '# Shop\n\nA shop for cats.\n\n## Features\n\n- [ ] urgent: cart\n- [ ] checkout\n'

const CONVERTS: ScriptedTurn = [
  { do: 'expect-prompt', matches: 'A shop for cats' },
  { do: 'write', path: 'PROMPT.md', content: '# A shop\n' },
  { do: 'write', path: 'fix_plan.md', content: '## High priority\n\n- [ ] cart\n- [ ] checkout\n' },
  { do: 'write', path: 'requirements.md', content: '# Requirements\n\nEverything.\n' },
]

/** Back-offs of milliseconds. */
const QUICKLY = { RALPH_RETRY_FIRST: '10ms' }

async function imported(g: TestProject, ...args: string[]): Promise<ImportResult> {
  const command = ['import', '--json', ...args]
  const { code, stdout, stderr } = await (args.includes('--no-agent') ? runInThisProcess(g, command) : g.ralph(command))
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout) as ImportResult
}

describe('by the reader', () => {
  test('--no-agent makes prompt, plan and specification from the document alone', async () => {
    const g = await testProject({ prompt: null, files: { 'prd.md': PRD } })
    const done = await imported(g, 'prd.md', '--no-agent')
    expect(done).toMatchObject({
      by: 'reader',
      checkboxes: 2,
      copies: [],
      remarks: ["Ralph made the plan from the document's checkboxes"],
    })
    expect(done.created).toEqual([
      '.ralph/PROMPT.md',
      '.ralph/fix_plan.md',
      '.ralph/specs/requirements.md',
      '.ralph/AGENT.md',
      '.ralph.toml',
      '.ralph/ralph.schema.json',
    ])
    expect(await g.read('.ralph/PROMPT.md')).toMatch(/^# What to build: Shop\n\nA shop for cats\.\n/)
    expect(await g.read('.ralph/fix_plan.md')).toContain('- [ ] urgent: cart')
    expect(await g.read('.ralph/specs/requirements.md')).toBe(PRD)
    expect(g.starts()).toEqual([])
  })

  test('where no agent is installed it is used too, and that is said', async () => {
    const g = await testProject({ prompt: null, agents: [], files: { 'prd.md': PRD } })
    const { code, stdout } = await g.ralph(['import', 'prd.md'])
    expect([code, stdout.includes('no agent is installed, so Ralph imported the document without one')]).toEqual([
      0,
      true,
    ])
  })

  test("files that Ralph wrote and nobody touched are replaced; a user's are refused, and kept by force", async () => {
    const g = await testProject({ prompt: null, files: { 'prd.md': PRD } })
    await runInThisProcess(g, ['init', '--yes'])
    expect((await imported(g, 'prd.md', '--no-agent')).copies).toEqual([])
    await g.write('.ralph/PROMPT.md', 'mine\n')
    const refused = await runInThisProcess(g, ['import', 'prd.md', '--no-agent'])
    expect([refused.code, await g.read('.ralph/PROMPT.md')]).toEqual([2, 'mine\n'])
    expect((await imported(g, 'prd.md', '--no-agent', '--force')).copies).toContain('.ralph/PROMPT.md.old')
    expect(await g.read('.ralph/PROMPT.md.old')).toBe('mine\n')
  })

  test.each([
    ['spec.pdf', 1, 'is a PDF file, which is not supported'],
    ['nowhere.md', 1, 'there is no file nowhere.md'],
  ])('%s is refused by name', async (file, code, words) => {
    const g = await testProject({ prompt: null, files: { 'spec.pdf': '%PDF' } })
    const ran = await runInThisProcess(g, ['import', file])
    expect([ran.code, ran.stderr.includes(words), g.has('.ralph')]).toEqual([code, true, false])
  })
})

describe('by an agent', () => {
  test('the first that is installed reads it in a folder of its own, and what it made is taken over', async () => {
    const g = await testProject({
      prompt: null,
      agents: ['claude'],
      files: { 'prd.md': PRD },
      turns: [CONVERTS],
    })
    const { stdout } = await g.ralph(['import', 'prd.md', '--json'], { env: { TMPDIR: g.home } })
    const done = JSON.parse(stdout) as ImportResult
    expect(done).toMatchObject({ by: 'claude', checkboxes: 2, remarks: [] })
    expect(await g.read('.ralph/PROMPT.md')).toBe('# A shop\n')
    expect(await g.read('.ralph/specs/prd.md')).toBe(PRD)
    expect(g.has('requirements.md')).toBe(false)
    expect(g.starts()).toHaveLength(1)
    expect(readdirSync(g.home).filter((name) => name.startsWith('ralph-import-'))).toEqual([])
  })

  test.each<[string, ScriptedTurn, string]>([
    ['leaves a file out', CONVERTS instanceof Array ? CONVERTS.slice(0, 3) : CONVERTS, 'it wrote no requirements.md'],
    [
      'plans nothing',
      [...(CONVERTS as []), { do: 'write', path: 'fix_plan.md', content: 'later\n' }],
      'its fix_plan.md has no open item',
    ],
    [
      'fails',
      { steps: [{ do: 'stderr', text: 'out of paper' }, { do: 'no-final' }], exit: 1 },
      'could not turn the document into a project',
    ],
  ])('one that %s is an error that names --no-agent, and nothing is written', async (_, turn, words) => {
    const g = await testProject({
      prompt: null,
      agents: ['claude'],
      files: { 'prd.md': PRD },
      turns: [turn],
      env: QUICKLY,
    })
    const { code, stderr } = await g.ralph(['import', 'prd.md'])
    expect([code, stderr.includes(words), stderr.includes('--no-agent'), g.has('.ralph')]).toEqual([
      6,
      true,
      true,
      false,
    ])
  })

  test('one that was named and is not installed is an error, not a reason to take another', async () => {
    const g = await testProject({
      prompt: null,
      agents: ['claude'],
      files: { 'prd.md': PRD },
      turns: [CONVERTS],
    })
    const { code, stderr } = await g.ralph(['import', 'prd.md', '--agent', 'codex'])
    expect([code, stderr.includes('codex is not installed'), g.starts().length]).toEqual([6, true, 0])
  })

  test('Ctrl+C ends the agent and writes nothing', async () => {
    const g = await testProject({
      prompt: null,
      agents: ['claude'],
      files: { 'prd.md': PRD },
      turns: [[{ do: 'hang' }]],
    })
    const walk = g.start(['import', 'prd.md'])
    await walk.waitFor('claude reads prd.md')
    await expect.poll(() => g.starts().length).toBe(1)
    const { code } = await walk.kill('SIGINT')
    expect([code, g.has('.ralph')]).toEqual([130, false])
  })
})

describe('the agent is a call like any other', () => {
  const LIMIT = { do: 'limit', kind: 'usage-limit', resetsInMs: 3_600_000 } as const
  const BOTH = { RALPH_AGENT: 'claude,codex' }
  const CRASH: ScriptedTurn = { steps: [{ do: 'no-final' }], exit: 1 }
  const PAID: ScriptedTurn = { steps: CONVERTS as [], usage: { input: 700, output: 300, usd: 0.25 } }
  const project = (turns: ScriptedTurn[], options: TestProjectOptions = {}): Promise<TestProject> =>
    testProject({ prompt: null, agents: ['claude', 'codex'], files: { 'prd.md': PRD }, turns, ...options })

  const used = async (g: TestProject, cwd = '.'): Promise<{ calls: number; tokens: number }> => {
    const { stdout } = await g.ralph(['status', '--json'], { cwd })
    const { quota } = JSON.parse(stdout) as { quota: { calls: number; tokens: number } }
    return { calls: quota.calls, tokens: quota.tokens }
  }

  test('it is counted before a loop that follows, which waits for the next hour, and in stats', async () => {
    const g = await project([PAID], { env: { RALPH_QUOTA_CALLS_PER_HOUR: '1' } })
    await imported(g, 'prd.md')
    expect(await used(g)).toEqual({ calls: 1, tokens: 1000 })
    const stats = JSON.parse((await g.ralph(['stats', '--json'])).stdout) as Stats
    const row = { runs: 0, proven: 0, iterations: 0, succeeded: 0, tokens: 1000, usd: 0.25, unknown: 0 }
    expect([stats.rows, stats.total]).toMatchObject([[{ key: 'import', ...row }], { key: 'total', ...row }])
    const loop = g.start(['loop', '--once'])
    await loop.waitFor('1 of 1 calls used this hour')
    await loop.kill('SIGINT')
    expect(g.starts()).toHaveLength(1)
  })

  test('over the quota nobody is started, and the time is said at which it would go', async () => {
    const g = await project([CONVERTS], { env: { RALPH_QUOTA_CALLS_PER_HOUR: '1' } })
    await imported(g, 'prd.md')
    const { code, stderr } = await g.ralph(['import', 'prd.md', '--force'])
    expect([code, g.starts().length]).toEqual([4, 1])
    expect(stderr).toMatch(/1 of 1 calls used this hour: agents are available again at \d{4}-\d\d-\d\d \d\d:00/)
    expect(stderr).not.toContain('reads prd.md')
    expect((await imported(g, 'prd.md', '--force', '--no-agent')).by).toBe('reader')
  })

  test('the tokens of the hour hold it too', async () => {
    const g = await project([PAID], { env: { RALPH_QUOTA_TOKENS_PER_HOUR: '1000' } })
    await imported(g, 'prd.md')
    const { code, stderr } = await g.ralph(['import', 'prd.md', '--force'])
    expect([code, stderr.includes('1000 of 1000 tokens used this hour')]).toEqual([4, true])
  })

  test.each<[string, ScriptedTurn]>([
    ['is at its usage limit', [LIMIT]],
    ['cannot be reached', [{ do: 'limit', kind: 'overload' }]],
    ['is not logged in', [{ do: 'limit', kind: 'auth' }]],
  ])('when the first %s, the next in the order reads it', async (_, turn) => {
    const g = await project([CONVERTS], { turnsByAgent: { claude: [turn] }, env: BOTH })
    expect((await imported(g, 'prd.md')).by).toBe('codex')
    expect(await used(g)).toMatchObject({ calls: 2 })
  })

  test('one that was named is not replaced: its reset is said', async () => {
    const g = await project([CONVERTS], { turnsByAgent: { claude: [[LIMIT]] }, env: BOTH })
    const { code, stderr } = await g.ralph(['import', 'prd.md', '--agent', 'claude'])
    expect([code, g.starts().length, g.has('.ralph')]).toEqual([4, 0, false])
    expect(stderr).toMatch(/claude hit its usage limit: agents are available again at \d{4}-/)
  })

  test('a limit that the last run met is not asked again', async () => {
    const g = await project([CONVERTS], { prompt: '# Work\n', turnsByAgent: { claude: [[LIMIT]] } })
    const loop = g.start(['loop', '--once'], { env: { RALPH_AGENT: 'claude' } })
    await loop.waitFor('usage limit')
    await loop.kill('SIGINT')
    const { stderr, stdout } = await g.ralph(['import', 'prd.md', '--force', '--json'], { env: BOTH })
    expect([(JSON.parse(stdout) as ImportResult).by, stderr.includes('claude')]).toEqual(['codex', false])
  })

  test('a crash is tried again twice, and each start is counted', async () => {
    const g = await project([CRASH, CRASH, CONVERTS], { env: QUICKLY })
    expect((await imported(g, 'prd.md')).by).toBe('claude')
    await g.play([CRASH])
    const { code, stderr } = await g.ralph(['import', 'prd.md', '--force'])
    expect([code, g.starts().length]).toEqual([6, 3])
    expect(stderr).toContain('claude could not turn the document into a project')
    expect(await used(g)).toMatchObject({ calls: 6 })
  })

  test('Ctrl+C ends the wait before it is asked again', async () => {
    const g = await project([CRASH], { env: { RALPH_RETRY_FIRST: '60s' } })
    const walk = g.start(['import', 'prd.md'])
    await walk.waitFor('retrying in 1 min')
    expect([(await walk.kill('SIGINT')).code, g.starts().length, g.has('.ralph')]).toEqual([130, 1, false])
  })

  test.each([
    ['tokens', { RALPH_BUDGET_TOKENS: '500' }],
    ['money', { RALPH_BUDGET_USD: '0.1' }],
  ])('it is ended in flight when its budget of %s is gone, and what it used is kept', async (_, env) => {
    const look = { do: 'tool', name: 'Read', input: {}, output: '', ok: true } as const
    const turn = {
      messageUsage: { input: 900, output: 100, usd: 0.5 },
      steps: [look, { do: 'hang' } as const],
    }
    const g = await project([turn], {
      toml: '',
      agents: ['opencode'],
      env: { ...env, RALPH_AGENT: 'opencode' },
    })
    const { code, stderr } = await g.ralph(['import', 'prd.md'])
    expect([code, g.has('.ralph')]).toEqual([4, false])
    expect(stderr).toContain('the budget is spent, so Ralph stopped opencode while it was working')
    expect(await used(g)).toEqual({ calls: 1, tokens: 1000 })
  })

  test('a folder without a repository is a project afterwards, and none when nothing came of it', async () => {
    const g = await project([CRASH, CRASH, CRASH, CONVERTS], { git: false, env: QUICKLY })
    expect([(await g.ralph(['import', 'prd.md', 'new'])).code, g.has('new')]).toEqual([6, false])
    expect((await imported(g, 'prd.md', 'new')).by).toBe('claude')
    expect(await used(g, 'new')).toMatchObject({ calls: 1 })
  })
})

describe('issues', () => {
  const LIST = `'[{"number":3,"title":"Old bug","labels":[{"name":"P2"}]},{"number":8,"title":"Crash","labels":[{"name":"P0"}]},{"number":9,"title":"Chore","labels":[{"name":"wontfix"}]}]'`
  const ONE = `'{"number":8,"title":"Crash","body":"- [ ] mend the crash","url":"https://github.com/o/n/issues/8"}'`
  const GH = `case "$2" in list) echo ${LIST};; view) echo ${ONE};; esac`

  test('one by its number becomes a project; comments are not asked for', async () => {
    const g = await testProject({ prompt: null })
    const gh = await install(g, 'gh', GH)
    const done = await imported(g, '--github-issue', '8', '--no-agent', '--repo', 'o/n')
    expect([done.document, done.checkboxes]).toEqual(['issue-8.md', 1])
    expect(await g.read('.ralph/specs/requirements.md')).toContain('> Issue #8 · https://github.com/o/n/issues/8')
    expect(await gh.calls()).toEqual([
      'issue view 8 --json number,title,body,labels,assignees,milestone,url --repo o/n',
    ])
  })

  test('--dry-run shows which match and which would be taken, and writes nothing', async () => {
    const g = await testProject({ prompt: null })
    await install(g, 'gh', GH)
    const flags = ['--github-search', 'x', '--exclude-label', 'wontfix', '--select', 'priority', '--dry-run', '--json']
    const { code, stdout } = await runInThisProcess(g, ['import', ...flags])
    const said = JSON.parse(stdout) as { issues: { number: number }[]; chosen: number }
    expect([code, said.issues.map(({ number }) => number), said.chosen, g.has('.ralph')]).toEqual([0, [3, 8], 8, false])
  })

  test('the oldest is taken unless told otherwise, and a question without a terminal is refused', async () => {
    const g = await testProject({ prompt: null })
    const gh = await install(g, 'gh', GH)
    await imported(g, '--github-label', 'a,b', '--no-agent', '--include-comments')
    expect((await gh.calls())[1]).toBe('issue view 3 --json number,title,body,labels,assignees,milestone,url,comments')
    const { code, stderr } = await runInThisProcess(g, [
      'import',
      '--github-state',
      'all',
      '--select',
      'interactive',
      '--no-agent',
    ])
    expect([code, stderr.includes('no terminal to ask which one')]).toEqual([2, true])
  })

  test.each([
    [['--github-issue', '8', '--github-label', 'a'], '--github-issue already names one issue; omit --github-label'],
    [['--github-issue', '8', '--select', 'first'], '--select needs a filter'],
    [['--github-issue', 'eight'], '"eight" is not an issue number'],
    [['--github-state', 'lost'], '--github-state must be one of open, closed, all, not "lost"'],
    [[], 'needs a FILE or an issue'],
  ])('%j is refused', async (flags, words) => {
    const g = await testProject({ prompt: null })
    const { code, stderr } = await runInThisProcess(g, ['import', ...flags])
    expect([code, stderr.includes(words)]).toEqual([2, true])
  })
})
