/** `ralph loop` as a user types it: the real binary, real git, real SQLite, the scripted agent as `claude` on the PATH. */
import { chmod, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAY_END, UNTIL_IT_MAY_END, DONE, testProject, NOT_YET, type TestProject } from '../test-project.ts'
import { FILES, GATE, HALF, processesOf, REST } from '../two-step-work.ts'
import { lastResultOf } from '../run-in-process.ts'

const LIE = [{ do: 'status', text: 'All done, all tests pass.', fields: DONE }] as const

describe('a loop', () => {
  test('continues until the gates pass, and reports it in one JSON line', async () => {
    const fixture = await testProject({ toml: GATE, files: FILES, turns: [[...HALF], [...LIE], [...REST]] })
    const ran = await fixture.ralph(['loop', '--json'])
    expect(ran.code).toBe(0)
    expect(lastResultOf(ran.stdout)).toMatchObject({
      outcome: 'project_complete',
      proven: false,
      iterations: 3,
      verdict: 'gates-passed',
    })
    expect(Object.keys(lastResultOf(ran.stdout))).toEqual(
      expect.arrayContaining(['run', 'outcome', 'reason', 'proven', 'iterations', 'durationMs', 'usage']),
    )
    expect((await fixture.ralph(['replay', '--check'])).code).toBe(0)
  })

  test('tells the agent why a completion was refused', async () => {
    const prompt = {
      do: 'expect-prompt',
      matches: 'Ralph rejected your completion. Gate test failed \\(exit 1\\), command: sh test.sh',
    } as const
    const fixture = await testProject({
      toml: GATE,
      files: FILES,
      turns: [[...HALF], [...LIE], [prompt, ...REST]],
    })
    const ran = await fixture.ralph(['loop'])
    expect(ran.stdout).toContain('test failed (exit 1)')
    expect(ran.code).toBe(0)
  })

  test('without a gate ends unproven, in plain words, with exit 0, or 5 where proof is required', async () => {
    const fixture = await testProject({ turns: [[...REST], [...LIE]] })
    const ran = await fixture.ralph(['loop'])
    expect({ code: ran.code, unproven: ran.stdout.includes('UNPROVEN') }).toEqual({
      code: 0,
      unproven: true,
    })
    expect(ran.stdout).toContain('No gate is configured, so nothing can be proven.')
    await fixture.write('.ralph.toml', '[proof]\nrequired = true\n')
    await fixture.play([[...REST], [...LIE]])
    expect((await fixture.ralph(['loop'])).code).toBe(5)
  })

  test('counts what really changed: an agent that changes nothing opens the breaker', async () => {
    const idle = [{ do: 'status', text: 'Thinking.', fields: NOT_YET }] as const
    const fixture = await testProject({ turns: [[...idle]] })
    const ran = await fixture.ralph(['loop', '--json'])
    expect({ code: ran.code, ...lastResultOf(ran.stdout) }).toMatchObject({
      code: 4,
      outcome: 'breaker',
      iterations: 3,
    })
    expect((await fixture.ralph(['loop', '--json'])).code, 'the breaker stays open for the next run').toBe(4)
    expect(
      lastResultOf((await fixture.ralph(['loop', '--json', '--auto-reset-circuit', '--once'])).stdout),
    ).toMatchObject({ outcome: 'iteration_limit' })
  })

  test('commits after each iteration if the settings say so', async () => {
    const fixture = await testProject({
      toml: `${GATE}[loop]\ncommit = "iteration"\n`,
      files: FILES,
      turns: [[...HALF], [...REST]],
    })
    await fixture.ralph(['loop'])
    expect(await fixture.git('log', '--format=%s')).toBe(
      'ralph: iteration 2: All done.\nralph: iteration 1: Half.\nfirst',
    )
  })

  test('hands over to the next agent at a limit', async () => {
    const limit = [{ do: 'limit', kind: 'usage-limit', resetsInMs: 3_600_000 }] as const
    const fixture = await testProject({ toml: GATE, files: FILES, turns: [[...limit], [...HALF], [...REST]] })
    const ran = await fixture.ralph(['loop', '--json', '--agent', 'claude,codex'])
    expect(lastResultOf(ran.stdout)).toMatchObject({ verdict: 'gates-passed' })
    expect(fixture.starts().map((start) => start.dialect)).toEqual(['claude', 'codex', 'codex'])
    expect(ran.stdout).toContain('codex takes over: claude is waiting')
  })
})

describe('the first ten minutes', () => {
  test('init, one iteration, the loop, and back', async () => {
    const fixture = await testProject({
      prompt: null,
      files: { ...FILES, Makefile: 'test:\n\tsh test.sh\n' },
      turns: [[...HALF], [...REST]],
    })
    const outside = await fixture.ralph(['loop'])
    expect({ code: outside.code, hint: outside.stderr.includes('ralph init') }).toEqual({
      code: 3,
      hint: true,
    })

    const init = await fixture.ralph(['init', '--yes'])
    expect({ code: init.code, gate: init.stdout.includes('make test') }).toEqual({ code: 0, gate: true })
    await fixture.git('add', '-A', '-f')
    await fixture.git('commit', '-q', '-m', 'ralph: init')

    const once = await fixture.ralph(['loop', '--once'])
    expect(once.code).toBe(4)
    for (const word of [
      'agent',
      'Claude Code',
      'model',
      'permissions',
      'gates',
      'limits',
      'budget',
      'commits',
      'branch main',
      'Ctrl+C',
      'ralph undo',
    ]) {
      expect(once.stdout).toContain(word)
    }
    expect(once.stdout).toMatch(/✓ 1 .*1 file \+1 −0/)

    const plan = await fixture.read('.ralph/fix_plan.md')
    await fixture.write('.ralph/fix_plan.md', plan.replaceAll('- [ ]', '- [x]'))
    const loop = await fixture.ralph(['loop'])
    expect(loop.stdout).toContain('20 iterations (default)')
    expect(loop.code).toBe(0)
    expect([fixture.has('one.txt'), fixture.has('two.txt')]).toEqual([true, true])

    const undo = await fixture.ralph(['undo', '--yes'])
    expect(undo.code).toBe(0)
    expect([fixture.has('one.txt'), fixture.has('two.txt')]).toEqual([true, false])
  })

  test('status before, during and after', async () => {
    const fixture = await testProject({ toml: GATE, files: FILES, turns: [[...HALF, { do: 'hang' }]] })
    expect((await fixture.ralph(['status'])).stdout).toContain('Nothing has run here yet')
    const walk = fixture.start(['loop', '--json'])
    await walk.waitFor('conversation-known')
    const during = JSON.parse((await fixture.ralph(['status', '--json'])).stdout) as Record<string, unknown>
    expect(during).toMatchObject({ is: 'going', iteration: 1, agent: 'claude' })
    await walk.kill('SIGINT')
    const after = JSON.parse((await fixture.ralph(['status', '--json'])).stdout) as {
      outcome: { is: string }
    }
    expect(after.outcome.is).toBe('stopped')
  })
})

describe('stopping', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends the agent with all it started, and exits with %s', async (signal, code) => {
    const stubborn = [
      { do: 'ignore-term' },
      { do: 'grandchild', ms: 60_000, setsid: true },
      { do: 'say', text: 'here' },
      { do: 'hang' },
    ] as const
    const fixture = await testProject({ toml: '[agent]\nstop_grace = "300ms"\n', turns: [[...stubborn]] })
    const walk = fixture.start(['loop', '--json'])
    await walk.waitFor('conversation-known')
    const ran = await walk.kill(signal)
    expect(ran.code).toBe(code)
    expect(await processesOf(fixture)).toEqual([])
    expect(lastResultOf(ran.stdout)).toMatchObject({ outcome: 'stopped' })
  })

  test('a second start says who works here; `ralph stop` from another terminal ends it', async () => {
    const fixture = await testProject({ turns: [[{ do: 'hang' }]] })
    const walk = fixture.start(['loop', '--json'])
    await walk.waitFor('conversation-known')
    const second = await fixture.ralph(['loop'])
    expect(second.code).toBe(1)
    expect(second.stderr).toMatch(/"ralph loop --json" \(process \d+\) has been running in .* since/)
    const stop = await fixture.ralph(['stop', '--json'])
    expect(JSON.parse(stop.stdout)).toMatchObject({ pid: walk.pid, how: 'asked' })
    expect((await walk.ended).code).toBe(4)
    expect(await processesOf(fixture)).toEqual([])
    expect((await fixture.ralph(['stop'])).code).toBe(3)
  })

  test('a closed terminal does not end the run, unless the settings say so', async () => {
    const fixture = await testProject({
      toml: GATE,
      files: FILES,
      turns: [[UNTIL_IT_MAY_END, ...HALF, ...REST]],
    })
    const walk = fixture.start(['loop', '--json'])
    await walk.waitFor('run-started')
    process.kill(walk.pid, 'SIGHUP')
    await fixture.write(MAY_END, '')
    expect((await walk.ended).code).toBe(0)
  })
})

describe('nothing is lost', () => {
  test('kill -9 in the middle: a plain start takes the run up and finishes it', async () => {
    const fixture = await testProject({
      toml: GATE,
      files: FILES,
      turns: [[...HALF, { do: 'hang' }], [...HALF], [...REST]],
    })
    const walk = fixture.start(['loop', '--json'])
    await walk.waitFor('conversation-known')
    await walk.kill('SIGKILL')
    expect((await fixture.ralph(['status'])).stdout).toContain('interrupted')
    const again = await fixture.ralph(['loop'])
    expect(again.stdout).toContain('interrupted in iteration 1')
    expect(again.code).toBe(0)
    expect((await fixture.ralph(['replay', '--check'])).code).toBe(0)
    expect(await processesOf(fixture)).toEqual([])
  })
})

describe('bad input gets one clear message and its exit code', () => {
  let untouched: TestProject
  beforeAll(async () => void (untouched = await testProject({ turns: [[...LIE]], until: 'removed' })))
  afterAll(() => untouched.remove())

  test.each<[string, string[], number, RegExp]>([
    // The first, because a loop makes a store even if it does not begin.
    ['a run nobody knows', ['replay', 'zzzzzz'], 3, /this project has no runs yet/],
    ['an unknown command', ['lop'], 2, /there is no command "lop"[\s\S]*Did you mean: ralph loop\?/],
    ['an unknown flag', ['loop', '--onec'], 2, /has no flag --onec[\s\S]*Did you mean --once\?/],
    ['a flag without its value', ['loop', '--calls'], 2, /--calls needs a value/],
    ['a value of the wrong kind', ['loop', '--calls', 'many'], 2, /--calls[\s\S]*many/],
    ['an agent nobody knows', ['loop', '--agent', 'cluade'], 2, /cluade[\s\S]*claude/],
  ])('%s', async (_, args, code, says) => {
    const ran = await untouched.ralph(args)
    expect(ran.stderr).toMatch(says)
    expect(ran.code).toBe(code)
  })

  test('an agent that is not installed is named with how to install it', async () => {
    const fixture = await testProject({ agents: [], turns: [[...LIE]] })
    const ran = await fixture.ralph(['loop'])
    expect(ran.code).toBe(6)
    expect(ran.stderr).toMatch(/Claude Code is not installed[\s\S]*npm install/)
  })

  test('a setting of the wrong type, and an unknown one, with file and place', async () => {
    const fixture = await testProject({ toml: '[quota]\ncalls_per_hour = "lots"\n', turns: [[...LIE]] })
    const wrong = await fixture.ralph(['loop'])
    expect({ code: wrong.code }).toEqual({ code: 2 })
    expect(wrong.stderr).toMatch(/\.ralph\.toml.*calls_per_hour[\s\S]*lots/)
    await fixture.write('.ralph.toml', '[quota]\ncals_per_hour = 3\n')
    expect((await fixture.ralph(['loop'])).stderr).toMatch(/cals_per_hour[\s\S]*calls_per_hour/)
  })

  test('a missing and an empty prompt', async () => {
    const fixture = await testProject({ turns: [[...LIE]] })
    await rm(join(fixture.path, '.ralph/PROMPT.md'))
    const missing = await fixture.ralph(['loop'])
    expect({ code: missing.code, says: missing.stderr.includes('.ralph/PROMPT.md is missing') }).toEqual({
      code: 1,
      says: true,
    })
    await fixture.write('.ralph/PROMPT.md', ' \n')
    expect((await fixture.ralph(['loop'])).code).toBe(1)
  })

  test('quarantines a damaged database, and the run continues', async () => {
    const fixture = await testProject({ toml: GATE, files: FILES, turns: [[...HALF, ...REST]] })
    await fixture.ralph(['loop'])
    const folder = join(fixture.path, '.git/ralph/root')
    await writeFile(join(folder, 'ralph.db'), 'this is no database, and it is long enough to be looked at as one')
    const ran = await fixture.ralph(['loop'])
    expect(ran.stderr).toContain('Ralph saved it as')
    expect((await readdir(folder)).some((name) => name.startsWith('ralph.db.damaged-'))).toBe(true)
  })

  test('a database of a newer version is refused and left alone', async () => {
    const fixture = await testProject({ turns: [[...LIE]] })
    await fixture.ralph(['loop', '--once'])
    const { readFile } = await import('node:fs/promises')
    const file = join(fixture.path, '.git/ralph/root/ralph.db')
    const bytes = await readFile(file)
    bytes.writeUInt32BE(9_999, 60)
    await writeFile(file, bytes)
    const ran = await fixture.ralph(['status'])
    expect({ code: ran.code, newer: /newer/.test(ran.stderr) }).toEqual({ code: 7, newer: true })
    expect((await readFile(file)).equals(bytes)).toBe(true)
  })

  test.skipIf(process.getuid?.() === 0)('a folder that cannot be written', async () => {
    const fixture = await testProject({ turns: [[...LIE]] })
    await chmod(join(fixture.path, '.git'), 0o500)
    const ran = await fixture.ralph(['loop'])
    await chmod(join(fixture.path, '.git'), 0o700)
    expect(ran.code).not.toBe(0)
    expect(ran.stderr).toContain('.git')
  })

  test('steering from inside a run is refused', async () => {
    const ran = await untouched.ralph(['stop'], { env: { RALPH_INSIDE: 'abc' } })
    expect({ code: ran.code, says: ran.stderr.includes('from inside run abc') }).toEqual({
      code: 1,
      says: true,
    })
  })
})

test('without git the loop works all the same', async () => {
  const fixture = await testProject({ git: false, toml: GATE, files: FILES, turns: [[...HALF], [...REST]] })
  const ran = await fixture.ralph(['loop', '--json'])
  expect(lastResultOf(ran.stdout)).toMatchObject({ verdict: 'gates-passed', iterations: 2 })
  // Where nothing can be taken back, nobody is told to.
  for (const command of ['status', 'report', 'show'])
    expect((await fixture.ralph([command])).stdout).not.toContain('ralph undo')
  expect((await fixture.ralph(['loop', '--once'])).stdout).not.toContain('ralph undo')
})
