/** The program itself: bundled as it ships, started as Ralph starts it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readScenario } from './scenario.ts'
import { readStarts } from './turn-state.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
let base = ''
let agent = ''
let count = 0

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-scripted-')))
  agent = join(base, 'agent.mjs')
  const bundle = await rolldown({
    input: fileURLToPath(new URL('main.ts', import.meta.url)),
    platform: 'node',
  })
  await bundle.write({ file: agent, format: 'esm' })
})

afterAll(() => rmSync(base, { recursive: true, force: true }))

describe('turns', () => {
  test('each start plays the next turn and the last one repeats', async () => {
    const play = scene([says('one'), says('two')])
    expect([await words(play), await words(play), await words(play)]).toEqual(['one\n', 'two\n', 'two\n'])
  })

  test('agents that start together play different turns', async () => {
    const many = Array.from({ length: 8 }, (_, turn) => `turn ${turn}`)
    const play = scene(many.map(says))
    const said = await Promise.all(many.map(() => words(play)))
    expect(said.toSorted()).toEqual(many.map((text) => `${text}\n`))
  })

  test('with once, a start beyond the last turn is exit code 66', async () => {
    const play = scene([says('one')], { once: true })
    expect((await run(play)).code).toBe(0)
    expect(await run(play)).toEqual({
      code: 66,
      signal: null,
      stdout: '',
      stderr: 'scripted agent: start 2 of a scenario with 1 turns\n',
    })
  })

  test('turns that say what they are for are played by the prompt, again and again', async () => {
    const play = scene([
      { for: 'second', ...(says('two') as object) },
      { for: 'first', ...(says('one') as object) },
    ])
    const said = async (stdin: string): Promise<string> => words({ ...play, stdin })
    expect([await said('the first'), await said('a second'), await said('the first')]).toEqual([
      'one\n',
      'two\n',
      'one\n',
    ])
    expect((await run({ ...play, stdin: 'a third' })).code).toBe(66)
  })

  test('the state file tells who was started how', async () => {
    const play = scene([says('one')])
    await run({ ...play, args: [...play.args, '--resume', 'c1', '-p'] })
    expect(readStarts(`${play.scenario}.state`)).toMatchObject([
      { dialect: 'text', resume: 'c1', args: ['--resume', 'c1', '-p'] },
    ])
  })

  test('a scenario that is wrong is exit code 64, with the place on stderr and nothing on stdout', async () => {
    const { code, stdout, stderr } = await run(scene([{ steps: [{ do: 'dance' }] }]))
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toContain('turns[0].steps[0].do must be one of: say,')
  })

  test('no scenario at all is exit code 64', async () => {
    const { code, stderr } = await run({ ...scene([]), args: [] })
    expect({ code, stderr }).toEqual({
      code: 64,
      stderr: 'scripted agent: no scenario to play\nGive --scenario FILE or set RALPH_SCENARIO.\n',
    })
  })
})

describe('who it is', () => {
  const VERSIONS = [
    ['claude', '2.1.197 (Claude Code)'],
    ['codex', 'codex-cli 0.166.0'],
    ['opencode', '1.18.33'],
    ['gemini', '0.61.0'],
    ['copilot', 'GitHub Copilot CLI 1.0.102'],
    ['cursor-agent', '2026.10.02-bd871ac'],
  ] as const
  test.for(VERSIONS)('linked as %s it is that program', async ([name, version]) => {
    const link = join(base, name)
    symlinkSync(agent, link)
    const { stdout } = await run({ ...scene([]), program: link, args: ['--version'] })
    expect(stdout).toBe(`${version}\n`)
  })

  test('a resumed conversation keeps its id, and codex counts all of it', async () => {
    const turn = { steps: [], usage: { input: 100, output: 10 } }
    const play = scene([turn, turn], { dialect: 'codex' })
    const first = lines(await run(play))
    const id = String(first[0]?.['thread_id'])
    const second = lines(await run({ ...play, args: [...play.args, 'exec', 'resume', id, '-'] }))
    expect(second[0]).toEqual({ type: 'thread.started', thread_id: id })
    expect([first.at(-1), second.at(-1)]).toMatchObject([
      { usage: { input_tokens: 100, output_tokens: 10 } },
      { usage: { input_tokens: 200, output_tokens: 20 } },
    ])
  })

  test('claude writes its whole answer at the end where it is asked for json, or for nothing', async () => {
    const steps = [
      { do: 'say', text: 'I will look.' },
      { do: 'shell', command: 'true' },
      { do: 'say', text: 'Done.' },
    ]
    const play = scene([{ steps }, { steps }, { steps: [{ do: 'limit', kind: 'usage-limit' }] }], {
      dialect: 'claude',
    })
    const called = (...args: string[]) => run({ ...play, args: [...play.args, '-p', ...args] })
    expect(lines(await called('--output-format', 'json'))).toEqual([
      expect.objectContaining({ type: 'result', is_error: false, result: 'Done.' }),
    ])
    expect((await called()).stdout).toBe('Done.\n')
    expect(await called()).toMatchObject({ stdout: "You've hit your limit\n", code: 1 })
  })

  test('copilot leaves its usage in the file it was told', async () => {
    const play = scene([{ steps: [], usage: { input: 7, output: 3 } }], { dialect: 'copilot' })
    await run({ ...play, args: [...play.args, '--usage-output-file', join(play.cwd, 'usage.json')] })
    expect(JSON.parse(readFileSync(join(play.cwd, 'usage.json'), 'utf8'))).toMatchObject({
      modelMetrics: { 'gpt-4.1': { usage: { inputTokens: 7, outputTokens: 3 } } },
    })
  })
})

describe('work is done for real', () => {
  test('files are written, changed and deleted, commands run, everything committed', async () => {
    const play = scene([
      {
        steps: [
          { do: 'write', path: 'deep/a.txt', content: ['one', 'two'] },
          { do: 'write', path: 'b.txt', content: 'gone soon' },
          { do: 'append', path: 'deep/a.txt', content: 'three\n' },
          { do: 'replace', path: 'deep/a.txt', find: 'two', with: '2' },
          { do: 'delete', path: 'b.txt' },
          { do: 'shell', command: 'cat deep/a.txt; exit 3' },
          { do: 'commit', message: 'work "done"' },
        ],
      },
    ])
    execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: play.cwd })
    const { code, stdout } = await run(play)
    const [a, b] = [join(play.cwd, 'deep/a.txt'), join(play.cwd, 'b.txt')]
    expect(code).toBe(0)
    expect(stdout.split('\n').slice(0, 13)).toEqual([
      `> write ${a}`,
      `│ File created successfully at: ${a}`,
      `> write ${b}`,
      `│ File created successfully at: ${b}`,
      `> edit ${a}`,
      `│ The file ${a} has been updated.`,
      `> edit ${a}`,
      `│ The file ${a} has been updated.`,
      '> $ rm -r b.txt',
      '> $ cat deep/a.txt; exit 3',
      '│ one',
      '│ 2',
      '│ three',
    ])
    const log = execFileSync('git', ['log', '--name-only', '--format=%an: %s'], {
      cwd: play.cwd,
      encoding: 'utf8',
    })
    expect(log).toBe('Scripted Agent: work "done"\n\ndeep/a.txt\n')
  })

  test('a failed edit is a failed tool call, not the end', async () => {
    const play = scene([
      {
        steps: [
          { do: 'replace', path: 'no.txt', find: 'a', with: 'b' },
          { do: 'say', text: 'on' },
        ],
      },
    ])
    expect(await words(play)).toMatch(/│ ENOENT.*\non\n$/)
  })

  test('the prompt is checked and kept', async () => {
    const steps = [
      { do: 'save-prompt', path: 'p.md' },
      { do: 'expect-prompt', matches: 'box 2' },
      { do: 'say', text: 'on' },
    ]
    const play = scene([{ steps, exit: 3 }])
    expect(await run({ ...play, stdin: 'do box 2' })).toMatchObject({ code: 3, stdout: 'on\n' })
    const refused = await run({ ...play, stdin: 'do box 3' })
    expect(refused).toMatchObject({ code: 65, stdout: '' })
    expect(refused.stderr).toContain('the prompt does not match /box 2/\n--- prompt ---\ndo box 3')
    expect(readFileSync(join(play.cwd, 'p.md'), 'utf8')).toBe('do box 3')
  })

  test('a prompt of many megabytes arrives whole', async () => {
    const stdin = 'x'.repeat(5_000_000)
    const play = scene([{ steps: [{ do: 'save-prompt', path: 'p.md' }] }])
    await run({ ...play, stdin })
    expect(readFileSync(join(play.cwd, 'p.md'), 'utf8') === stdin).toBe(true)
  })
})

describe('bad manners', () => {
  const claude = { dialect: 'claude' }

  test('a cut ends in the middle of a line', async () => {
    const { code, stdout } = await run(scene([{ steps: [{ do: 'cut' }] }], claude))
    const last = stdout.split('\n').at(-1) ?? ''
    expect({ code, begins: last.startsWith('{"type":"assistant"'), ends: last.endsWith('}') }).toEqual({
      code: 0,
      begins: true,
      ends: false,
    })
  })

  test('without a final event the last line is the last word', async () => {
    const play = scene([{ steps: [{ do: 'no-final' }, { do: 'say', text: 'hm' }], exit: 3 }], claude)
    const ran = await run(play)
    expect([ran.code, lines(ran).map((json) => json['type'])]).toEqual([3, ['system', 'assistant']])
  })

  test('an agent that never begins prints nothing but its complaint', async () => {
    const steps = [{ do: 'stderr', text: 'No conversation found\n' }, { do: 'no-final' }]
    const ran = await run(scene([{ steps, exit: 1, begin: false }], claude))
    expect(ran).toEqual({ code: 1, signal: null, stdout: '', stderr: 'No conversation found\n' })
  })

  test('a crash comes after everything said before it', async () => {
    const steps = [
      { do: 'say', text: 'bye' },
      { do: 'crash', signal: 'SIGKILL' },
      { do: 'say', text: 'never' },
    ]
    expect(await run(scene([{ steps }]))).toEqual({
      code: null,
      signal: 'SIGKILL',
      stdout: 'bye\n',
      stderr: '',
    })
  })

  test('a limit ends the turn as the vendor ends it', async () => {
    const play = scene(
      [
        {
          steps: [
            { do: 'limit', kind: 'auth' },
            { do: 'say', text: 'never' },
          ],
        },
      ],
      { dialect: 'gemini' },
    )
    const ran = await run(play)
    expect([ran.code, lines(ran).at(-1)]).toMatchObject([145, { type: 'result', status: 'error' }])
  })

  test('it hangs until it is killed', async () => {
    const hanging = start(scene([{ steps: [{ do: 'say', text: 'hm' }, { do: 'hang' }] }]))
    await hanging.heard('hm\n')
    hanging.child.kill('SIGTERM')
    expect(await hanging.ended).toMatchObject({ code: null, signal: 'SIGTERM' })
  })

  test('it may ignore the polite signal', async () => {
    const steps = [
      { do: 'ignore-term' },
      { do: 'say', text: 'hm' },
      { do: 'delay', ms: 100 },
      { do: 'say', text: 'ha' },
      { do: 'hang' },
    ]
    const stubborn = start(scene([{ steps }]))
    await stubborn.heard('hm\n')
    stubborn.child.kill('SIGTERM')
    await stubborn.heard('ha\n')
    stubborn.child.kill('SIGKILL')
    expect(await stubborn.ended).toMatchObject({ code: null, signal: 'SIGKILL' })
  })

  test('floods, garbage and endless lines have the size that was asked', async () => {
    const flooded = await run(scene([{ steps: [{ do: 'flood', lines: 2500, size: 1000 }] }]))
    expect(flooded.stdout).toBe(`${'x'.repeat(1000)}\n`.repeat(2500))
    const long = await run(
      scene([
        {
          steps: [
            { do: 'longline', megabytes: 2 },
            { do: 'say', text: 'on' },
          ],
        },
      ]),
    )
    expect(long.stdout === `${'x'.repeat(2_000_000)}\non\n`).toBe(true)
    const play = scene([{ steps: [{ do: 'garbage', bytes: 999, seed: 7 }] }])
    const [one, two] = [await run(play, 'latin1'), await run(play, 'latin1')]
    expect([one.stdout.length, one.stdout === two.stdout]).toEqual([1000, true])
  })

  test('a child it leaves behind holds its pipe open', async () => {
    const steps = [{ do: 'grandchild', ms: 60_000, keepPipe: true, setsid: true, pidFile: 'child.pid' }]
    const play = scene([{ steps }])
    const parent = start(play)
    await once(parent.child, 'exit')
    const child = Number(readFileSync(join(play.cwd, 'child.pid'), 'utf8'))
    expect(parent.child.stdout?.readableEnded).toBe(false)
    process.kill(child, 'SIGKILL')
    expect(await parent.ended).toMatchObject({ code: 0, signal: null })
  })
})

describe('the demo', () => {
  const demo = readScenario(readFileSync(join(ROOT, 'assets/demo/scenario.json'), 'utf8'), 'demo')

  test('no turn keeps a person waiting for more than a second and a half', () => {
    const waits = demo.turns.map(({ steps }) =>
      steps.reduce((sum, step) => sum + (step.do === 'delay' ? step.ms : 0), 0),
    )
    expect(Math.max(...waits)).toBeLessThanOrEqual(1500)
  })

  test('two honest turns, a weakened test, and the truth', async () => {
    const hurried = demo.turns.map((turn) => ({
      ...turn,
      steps: turn.steps.filter((step) => step.do !== 'delay'),
    }))
    const play = scene(hurried, { dialect: 'claude' })
    cpSync(join(ROOT, 'assets/demo/project'), play.cwd, { recursive: true })
    execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: play.cwd })
    const nights = []
    for (let turn = 0; turn < 4; turn += 1) {
      const final = lines(await run(play)).at(-1)
      const open = readFileSync(join(play.cwd, '.ralph/fix_plan.md'), 'utf8').split('- [ ]').length - 1
      const gate = await run({ ...play, program: join(play.cwd, 'test.mjs'), args: [] })
      nights.push({
        open,
        claims: /EXIT_SIGNAL: (\w+)/.exec(String(final?.['result']))?.[1],
        gate: gate.code,
      })
    }
    expect(nights).toEqual([
      { open: 2, claims: 'false', gate: 1 },
      { open: 1, claims: 'false', gate: 1 },
      { open: 0, claims: 'true', gate: 0 },
      { open: 0, claims: 'true', gate: 0 },
    ])
  })
})

interface Scene {
  program: string
  scenario: string
  args: string[]
  cwd: string
  stdin: string
}

interface Ran {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

function says(text: string): unknown {
  return { steps: [{ do: 'say', text }] }
}

/** A folder and a scenario of its own; in plain text unless another dialect is asked for. */
function scene(turns: unknown[], options: { dialect?: string; once?: boolean } = {}): Scene {
  const cwd = join(base, `scene-${(count += 1)}`)
  const scenario = `${cwd}.json`
  mkdirSync(cwd)
  writeFileSync(scenario, JSON.stringify({ dialect: 'text', ...options, turns }))
  return { program: agent, scenario, args: ['--scenario', scenario], cwd, stdin: '' }
}

interface Playing {
  child: ChildProcess
  ended: Promise<Ran>
  /** Until it has printed the text. */
  heard(text: string): Promise<void>
}

function start(play: Scene, encoding: BufferEncoding = 'utf8'): Playing {
  const env = { PATH: process.env['PATH'] ?? '', HOME: base }
  const child = spawn(process.execPath, [play.program, ...play.args], { cwd: play.cwd, env })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding(encoding).on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding(encoding).on('data', (text: string) => (stderr += text))
  child.stdin.on('error', () => {})
  child.stdin.end(play.stdin)
  const ended = once(child, 'close').then(([code, signal]): Ran => {
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, stdout, stderr }
  })
  const heard = async (text: string): Promise<void> => {
    const over = ended.then(() => Promise.reject(new Error(`it ended before it said ${text}: ${stdout}`)))
    while (!stdout.includes(text)) await Promise.race([once(child.stdout, 'data'), over])
    over.catch(() => {})
  }
  return { child, ended, heard }
}

function run(play: Scene, encoding?: BufferEncoding): Promise<Ran> {
  return start(play, encoding).ended
}

async function words(play: Scene): Promise<string> {
  return (await run(play)).stdout
}

function lines(ran: Ran): Record<string, unknown>[] {
  return ran.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
