import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { sampleRequest } from '../../../test/agents/samples/samples.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { createMasker } from '../../system/mask/mask.ts'
import { findMarkedPids, startProcess } from '../../system/process/process.ts'
import { findProcess } from '../../system/process/process-table.ts'
import { HAS_PRLIMIT } from '../../../test/kit/system.ts'
import { openTerminals, type Terminals } from './acp-terminal.ts'
import { openClientLog } from './client-log.ts'

const NEVER = new AbortController().signal
const SECRET = 'correct-horse-battery-staple'

const made: string[] = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Terminals of an agent that does nothing itself. */
function opened(may: (command: string) => boolean = () => true) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-terminal-')))
  made.push(folder)
  const effect = `test.${folder}`
  const env = { PATH: process.env['PATH'] ?? '', RALPH_EFFECT: effect, OF_THE_AGENT: 'yes' }
  const agent = startProcess({
    argv: [process.execPath, '-e', 'setInterval(() => {}, 1000)'],
    cwd: folder,
    env,
    stdin: 'none',
    follow: { notes: join(folder, 'notes') },
    onStdout: () => {},
    onStderr: () => {},
  })
  const clientLog = openClientLog(join(folder, 'served'), createMasker([SECRET]))
  let signs = 0
  const terminals = openTerminals({
    request: sampleRequest({ cwd: folder }),
    limits: { stopGraceMs: 2_000 },
    env,
    effect,
    agent,
    permissions: { mayRun: ({ command = '' }) => Promise.resolve(may(command)) },
    clientLog,
    heard: () => void (signs += 1),
  })
  onTestFinished(async () => {
    await terminals.end()
    await agent.stop({ graceMs: 0 })
  })
  return {
    ...driven(terminals),
    agent,
    effect,
    folder,
    signs: () => signs,
    clientLog: () => readFileSync(join(folder, 'served'), 'utf8'),
  }
}

function driven(terminals: Terminals) {
  const sh = (line: string, more: JsonObject = {}) => create({ command: 'sh', args: ['-c', line], ...more })
  async function create(asked: JsonObject): Promise<string> {
    return String((await terminals.create(asked, NEVER))['terminalId'])
  }
  return {
    create,
    sh,
    output: (terminalId: string) => terminals.output({ terminalId }),
    wait: (terminalId: string) => terminals.waitForExit({ terminalId }),
    kill: (terminalId: string) => terminals.kill({ terminalId }),
    release: (terminalId: string) => terminals.release({ terminalId }),
    end: () => terminals.end(),
    /** Until the command has printed this, as a whole line. */
    prints: async (terminalId: string, line: RegExp): Promise<string> => {
      const look = () => line.exec(String(terminals.output({ terminalId })['output']))?.[0] ?? ''
      await expect.poll(look).not.toBe('')
      return look()
    },
  }
}

describe('a command', () => {
  test('runs with the agent’s environment, and how it ended is told more than once', async () => {
    const { sh, wait, output, signs, clientLog, folder } = opened()
    const env = [{ name: 'MORE', value: 'too' }]
    const line = 'echo "$OF_THE_AGENT $MORE $USER_OF_RALPH"; echo oops >&2; exit 3'
    const id = await sh(line, { env })
    expect(await wait(id)).toEqual({ exitCode: 3, signal: null })
    const told = { output: 'yes too \noops\n', truncated: false, exitStatus: { exitCode: 3, signal: null } }
    expect([output(id), output(id)]).toEqual([told, told])
    expect(await wait(id)).toEqual({ exitCode: 3, signal: null })
    expect(signs()).toBeGreaterThan(0)
    expect(clientLog().split('\n')).toEqual([
      `1 $ ${line}  (in ${folder})`,
      '1 | yes too ',
      '1 ! oops',
      '1 = exit code 3',
      '',
    ])
  })

  test('can be looked at while somebody waits for its end, and killed', async () => {
    const { sh, wait, prints, output, kill } = opened()
    const id = await sh('echo up; exec sleep 600')
    const end = wait(id)
    await prints(id, /up/)
    expect(output(id)).toEqual({ output: 'up\n', truncated: false })
    await kill(id)
    expect(await end).toEqual({ exitCode: null, signal: 'SIGTERM' })
    expect(output(id)).toMatchObject({ output: 'up\n', exitStatus: { signal: 'SIGTERM' } })
  })

  test('that floods is kept to its last bytes', async () => {
    const { create, wait, output } = opened()
    const code = `for (let n = 0; n < 30000; n++) console.log('line ' + n + ' €')`
    const id = await create({ command: process.execPath, args: ['-e', code], outputByteLimit: 48 })
    await wait(id)
    // Two bytes of a sign before would have had room.
    expect(output(id)).toMatchObject({
      output: '\nline 29997 €\nline 29998 €\nline 29999 €\n',
      truncated: true,
    })
  })

  test('gives the agent what it printed, and the log no secret', async () => {
    const { sh, wait, output, clientLog } = opened()
    const id = await sh(`echo ${SECRET}`)
    await wait(id)
    expect(output(id)['output']).toBe(`${SECRET}\n`)
    expect(clientLog()).not.toContain(SECRET)
    expect(clientLog()).toContain('1 | ***')
  })

  test('has no terminal and nothing to read', async () => {
    const { sh, wait, output } = opened()
    const id = await sh('test -t 0 || cat; echo end')
    await wait(id)
    expect(output(id)['output']).toBe('end\n')
  })
})

describe('is refused in words, and nothing starts', () => {
  test.each<[string, JsonObject, string]>([
    ['what may not run', { command: 'rm', args: ['-rf', 'x'] }, 'this command is not allowed: rm -rf x'],
    ['a program that is not there', { command: 'no-such-program' }, 'no-such-program'],
    ['a folder outside', { command: 'ls', cwd: '/' }, '/ is outside the project'],
    ['what would need a shell', { command: 'ls; ls' }, 'needs a shell'],
    ['what a shell would leave out', { command: 'ls #x' }, 'needs a shell'],
    ['arguments that are no list', { command: 'ls', args: 'x' }, 'the arguments must be strings'],
    ['a folder that is no text', { command: 'ls', cwd: 7 }, 'cwd must be a string'],
    ['variables that are no list', { command: 'ls', env: { CI: '1' } }, 'env must be a list'],
    [
      'a variable without a value',
      { command: 'ls', env: [{ name: 'CI', value: 1 }] },
      'the value of "CI" must be a string',
    ],
  ])('%s', async (_, asked, words) => {
    const { create, effect, agent } = opened((command) => !command.startsWith('rm'))
    await expect(create(asked)).rejects.toThrowError(words)
    expect(await findMarkedPids(effect)).toEqual([agent.pid])
  })

  test('the ninth at once; when one has ended there may be another', async () => {
    const { create, sh, kill } = opened()
    const sleep = { command: 'sleep', args: ['600'] }
    const ids = []
    for (let n = 0; n < 8; n += 1) ids.push(await create(sleep))
    await expect(create(sleep)).rejects.toThrowError('8 commands are running')
    await kill(ids[3] ?? '')
    await sh('true')
  })

  test('a terminal that nobody opened, or that was released', async () => {
    const { sh, output, release, wait } = opened()
    expect(() => output('7')).toThrowError('unknown terminal "7"')
    const id = await sh('true')
    await release(id)
    await expect(wait(id)).rejects.toThrowError(`unknown terminal "${id}"`)
  })
})

describe('nothing of it stays', () => {
  /** Somebody leaves the group and clears the environment; who started it stays until it is told to go. */
  const LEAVE = 'env -i setsid sleep 600 & echo pid $!; until [ -e go ]; do sleep 0.05; done'

  async function left({ sh, prints, folder }: ReturnType<typeof opened>) {
    const id = await sh(LEAVE)
    const pid = Number((await prints(id, /pid \d+\n/)).slice(4))
    // The notes of the agent have whoever was seen, for whoever takes over if we are killed.
    await expect.poll(() => readFileSync(join(folder, 'notes'), 'utf8')).toContain(`\n${pid} `)
    return { id, lives: () => findProcess(pid)?.zombie === false }
  }

  test('when it is killed: neither its group nor what left it; others go on', async () => {
    const agents = opened()
    const other = await agents.sh('exec sleep 600')
    const { id, lives } = await left(agents)
    await agents.kill(id)
    expect(lives()).toBe(false)
    expect(findProcess(agents.agent.pid)?.zombie).toBe(false)
    expect(agents.output(other)).toEqual({ output: '', truncated: false })
  })

  test('when the turn is over: also of commands that have ended', async () => {
    const agents = opened()
    const { id, lives } = await left(agents)
    writeFileSync(join(agents.folder, 'go'), '')
    expect(await agents.wait(id)).toEqual({ exitCode: 0, signal: null })
    expect(lives()).toBe(true)
    await agents.sh('exec sleep 600')
    await agents.end()
    expect(lives()).toBe(false)
    expect(await findMarkedPids(agents.effect)).toEqual([agents.agent.pid])
    await expect(agents.sh('true')).rejects.toThrowError('the turn is over')
  })

  test.skipIf(!HAS_PRLIMIT)('when it is released: also of one that was gone before anybody looked', async () => {
    const agents = opened()
    const id = await agents.sh('env -i setsid sleep 600 >/dev/null 2>&1 & echo $!')
    await agents.wait(id)
    const pid = Number(agents.output(id)['output'])
    expect(findProcess(pid)?.zombie).toBe(false)
    await agents.release(id)
    expect(findProcess(pid)?.zombie ?? true).toBe(true)
  })

  test('when the agent is stopped', async () => {
    const agents = opened()
    const { lives } = await left(agents)
    await agents.agent.stop({ graceMs: 0 })
    expect(lives()).toBe(false)
    expect(await findMarkedPids(agents.effect)).toEqual([])
  })
})
