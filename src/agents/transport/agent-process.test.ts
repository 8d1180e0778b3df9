import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { AgentEvent, AgentTimeLimits, AgentRequest } from '../../core/calls/agent-io.ts'
import { systemClock } from '../../system/clock.ts'
import { findProcess } from '../../system/process/process-table.ts'
import { claude } from '../claude.ts'
import { copilot } from '../copilot.ts'
import { startAgent } from './agent-process.ts'
import type { AgentProcess } from './transport.ts'
import type { Driver } from '../driver.ts'
import { plain, createCustomDriver } from '../plain.ts'
import { createMasker } from '../../system/mask/mask.ts'

const made: string[] = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

interface Talk extends AgentProcess {
  events: AgentEvent[]
  folder: string
  log: string
  pid: () => number
}

/** A real child that runs a piece of JavaScript instead of the vendor's program. */
function talk(code: string, { driver = plain, limits = {}, request = {}, pass = [] }: Partial<Setting> = {}): Talk {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-converse-'))
  made.push(folder)
  const events: AgentEvent[] = []
  const log = join(folder, 'agent.log')
  let pid = 0
  const conversing = startAgent({
    driver,
    request: {
      cwd: folder,
      prompt: 'do it',
      extraDirs: [],
      env: {},
      scratch: folder,
      program: [process.execPath, '-e', code],
      ...request,
    },
    limits: { idleMs: 0, wallMs: 0, completionGraceMs: 0, stopGraceMs: 200, handshakeMs: 0, ...limits },
    log,
    effect: `test.${folder}`,
    runId: 'r1',
    clock: systemClock(),
    envPolicy: { mode: 'filtered', pass },
    mask: createMasker([]),
    onEvent: (event) => void events.push(event),
    onBegan: (info) => void (pid = info.pid),
  })
  return { ...conversing, events, folder, log, pid: () => pid }
}

interface Setting {
  driver: Driver
  limits: Partial<AgentTimeLimits>
  request: Partial<AgentRequest>
  pass: string[]
}

/** A killed orphan that nobody has fetched yet is gone, too. */
function isGone(pid: number): boolean {
  const found = findProcess(pid)
  return found === null || found.zombie
}

const INIT = JSON.stringify({ type: 'system', subtype: 'init', session_id: 'c1' })
const RESULT = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'Done.' })

test('the prompt arrives on stdin, the answer becomes events and both streams are kept as received', async () => {
  const agent = talk(
    `let all = ''; process.stdin.on('data', d => all += d).on('end', () => { console.log('heard: ' + all.trim()); console.error('warning') })`,
  )
  const end = await agent.ended
  expect({ ...end, durationMs: 0 }).toEqual({
    by: 'itself',
    code: 0,
    signal: null,
    problem: null,
    missing: false,
    sawEnd: false,
    finalEvent: false,
    bytes: 13,
    stderrTail: 'warning\n',
    durationMs: 0,
    orphans: [],
  })
  expect(agent.events).toHaveLength(2)
  expect(agent.events).toContainEqual({ type: 'text', text: 'heard: do it\n', delta: true })
  expect(agent.events).toContainEqual({ type: 'remark', text: 'warning' })
  expect(readFileSync(agent.log, 'utf8')).toBe('heard: do it\n')
  expect(readFileSync(`${agent.log}.err`, 'utf8')).toBe('warning\n')
  expect(readFileSync(`${agent.log}.idx`, 'utf8')).toMatch(/^\{"at":\d{13},"offset":0\}\n$/)
})

test('the child sees the marks, its keys and what the user lets through, and none of our other secrets', async () => {
  process.env['ANTHROPIC_API_KEY'] = 'its-own'
  process.env['MY_TOKEN'] = 'passed'
  process.env['STRANGERS_SECRET'] = 'no'
  const code = `const e = process.env; console.log(JSON.stringify([e.ANTHROPIC_API_KEY, e.MY_TOKEN, e.STRANGERS_SECRET ?? null, e.RALPH_EFFECT, e.RALPH_INSIDE, e.EXTRA]))`
  const agent = talk(code, {
    driver: { ...plain, keys: ['ANTHROPIC_*'] },
    pass: ['MY_TOKEN'],
    request: { env: { EXTRA: 'more', RALPH_INSIDE: 'forged' } },
  })
  await agent.ended
  for (const name of ['ANTHROPIC_API_KEY', 'MY_TOKEN', 'STRANGERS_SECRET']) delete process.env[name]
  const said = JSON.stringify(['its-own', 'passed', null, `test.${agent.folder}`, 'r1', 'more'])
  expect(agent.events).toEqual([{ type: 'text', text: `${said}\n`, delta: true }])
})

test('an agent that says nothing for the idle limit is ended, and what it said before is kept', async () => {
  for (const idleMs of [700, 3_000, 12_000]) {
    const agent = talk(`console.log('hm'); setInterval(() => {}, 1000)`, { limits: { idleMs } })
    const ended = await agent.ended
    expect(isGone(agent.pid())).toBe(true)
    // A busy machine may need longer to begin than that.
    if (ended.bytes === 0 && idleMs < 12_000) continue
    return expect(ended).toMatchObject({ by: 'idle', bytes: 3, sawEnd: false })
  }
})

test('bytes on stderr are no silence', async () => {
  for (const idleMs of [1_000, 8_000]) {
    const code = `let n = 0; const t = setInterval(() => { process.stderr.write('.'); if (++n === 12) { clearInterval(t); console.log('done') } }, ${idleMs / 10})`
    const ended = await talk(code, { limits: { idleMs } }).ended
    // A busy machine may need longer to begin than that, or to come to the next one.
    if (ended.by === 'idle' && idleMs < 8_000) continue
    return expect(ended).toMatchObject({ by: 'itself', code: 0, stderrTail: '............' })
  }
})

test('the wall limit ends an agent that talks without end', async () => {
  const agent = talk(`setInterval(() => console.log('busy'), 20)`, { limits: { wallMs: 300 } })
  expect(await agent.ended).toMatchObject({ by: 'wall', sawEnd: false })
  expect(isGone(agent.pid())).toBe(true)
})

test('an agent that does not hear SIGTERM is killed when the stop grace is over', async () => {
  const agent = talk(`process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)`)
  await expect.poll(() => agent.events.length).toBe(1)
  await agent.stop({ now: false })
  expect(await agent.ended).toMatchObject({ by: 'stopped', signal: 'SIGKILL' })
})

test('what an agent calls a success after it was told to stop is none', async () => {
  const code = `process.on('SIGTERM', () => { console.log(${JSON.stringify(RESULT)}); process.exit(0) }); console.error('up'); setInterval(() => {}, 1000)`
  const agent = talk('', { driver: claude, request: { program: [process.execPath, '-e', code, '--'] } })
  await expect.poll(() => agent.events.length).toBe(1)
  await agent.stop({ now: false })
  expect(await agent.ended).toMatchObject({ by: 'stopped', code: 0, sawEnd: true })
  expect(agent.events.at(-1)).toEqual({ type: 'ended', ok: false, reason: 'aborted' })
})

test('an agent that says it was aborted has not succeeded, whatever it says then and whoever stopped it', async () => {
  const said = [
    { type: 'abort', data: { reason: 'user_abort' } },
    { type: 'result', sessionId: 'c1', exitCode: 0 },
  ]
  const code = `for (const line of ${JSON.stringify(said)}) console.log(JSON.stringify(line))`
  const agent = talk('', { driver: copilot, request: { program: [process.execPath, '-e', code, '--'] } })
  expect(await agent.ended).toMatchObject({ by: 'itself', code: 0 })
  expect(agent.events.slice(0, 3)).toEqual([
    { type: 'ended', ok: false, reason: 'aborted' },
    { type: 'started', conversation: 'c1' },
    { type: 'remark', text: 'it reported success after Ralph stopped it' },
  ])
})

test('after its final event an agent that does not go is ended when the grace is over', async () => {
  const agent = talk(`console.log(${JSON.stringify(RESULT)}); setInterval(() => {}, 1000)`, {
    driver: claude,
    request: {
      program: [process.execPath, '-e', `console.log(${JSON.stringify(RESULT)}); setInterval(() => {}, 1000)`, '--'],
    },
    limits: { completionGraceMs: 100 },
  })
  expect(await agent.ended).toMatchObject({ by: 'grace', sawEnd: true })
  expect(agent.events.at(-1)).toEqual({ type: 'ended', ok: true, reason: 'success', text: 'Done.' })
})

test('an agent that goes on after what looked like its end is not cut off', async () => {
  const code = `console.log(${JSON.stringify(RESULT)}); let n = 0; const t = setInterval(() => { console.log('{"type":"keep_alive"}'); if (++n === 12) clearInterval(t) }, 60)`
  const agent = talk('', {
    driver: claude,
    request: { program: [process.execPath, '-e', code, '--'] },
    limits: { completionGraceMs: 500 },
  })
  expect(await agent.ended).toMatchObject({ by: 'itself', code: 0, sawEnd: true })
})

test('stop now ends it at once and resolves only when it is gone', async () => {
  const agent = talk(`process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)`, {
    limits: { stopGraceMs: 60_000 },
  })
  await expect.poll(() => agent.events.length).toBe(1)
  await agent.stop({ now: true })
  expect(isGone(agent.pid())).toBe(true)
  expect(await agent.ended).toMatchObject({ by: 'stopped', signal: 'SIGKILL' })
})

test('what an agent leaves running does not survive it', async () => {
  const child = `setInterval(() => {}, 1000)`
  const code = `const c = require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { detached: true, stdio: 'ignore' }); c.unref(); console.log(c.pid)`
  const agent = talk(code)
  expect(await agent.ended).toMatchObject({ by: 'itself', code: 0 })
  const [said] = agent.events
  expect(isGone(Number(said?.type === 'text' ? said.text : 0))).toBe(true)
})

test('half a JSON line at the end, garbage and a line without end are remarks, never a throw', async () => {
  const code = `console.log(${JSON.stringify(INIT)}); process.stdout.write(Buffer.from([0, 255, 254, 10])); process.stdout.write('x'.repeat(2 * 1024 * 1024) + '\\n'); process.stdout.write('{"type":"assist')`
  const agent = talk('', { driver: claude, request: { program: [process.execPath, '-e', code, '--'] } })
  expect(await agent.ended).toMatchObject({ by: 'itself', code: 0, sawEnd: false })
  expect(agent.events.map((event) => event.type)).toEqual(['started', 'remark', 'remark', 'remark', 'remark'])
  expect(agent.events[2]).toEqual({ type: 'remark', text: 'a line was too long; Ralph cut it' })
  expect(agent.events.at(-1)).toEqual({ type: 'remark', text: '{"type":"assist' })
})

test('a flood of garbage makes a thousand remarks, not more', async () => {
  const agent = talk('', {
    driver: claude,
    request: {
      program: [
        process.execPath,
        '-e',
        `console.log(${JSON.stringify(INIT)}); process.stdout.write('garbage\\n'.repeat(5000))`,
        '--',
      ],
    },
  })
  expect(await agent.ended).toMatchObject({ code: 0, finalEvent: true })
  expect(agent.events).toHaveLength(1_001)
  expect(agent.events.at(-1)).toEqual({ type: 'remark', text: 'see the log for further remarks' })
})

test('a driver that throws costs a remark, not the iteration', async () => {
  const broken: Driver = {
    ...plain,
    read: () => {
      throw new Error('oh')
    },
  }
  const agent = talk(`console.log('hi')`, { driver: broken })
  expect(await agent.ended).toMatchObject({ code: 0 })
  expect(agent.events).toEqual([{ type: 'remark', text: 'unreadable (oh): hi' }])
})

test('a program that is not there is a failure of its own kind', async () => {
  const agent = talk('', { request: { program: ['no-such-agent-anywhere'] } })
  expect(await agent.ended).toMatchObject({ by: 'itself', missing: true, code: null, sawEnd: false })
  expect(agent.events).toEqual([
    {
      type: 'failed',
      kind: 'missing',
      message: 'there is no program no-such-agent-anywhere',
    },
  ])
  expect(agent.pid()).toBe(0)
})

test('an exit without the final event is explained by what stderr says', async () => {
  const agent = talk('', {
    driver: claude,
    request: {
      program: [
        process.execPath,
        '-e',
        `console.error('No conversation found with session ID: 1'); process.exit(1)`,
        '--',
      ],
    },
  })
  await agent.ended
  expect(agent.events.at(-1)).toEqual({
    type: 'failed',
    kind: 'bad-conversation',
    message: 'No conversation found with session ID: 1',
  })
})

test('a reset told in words of a wall clock is worked out here, and a repeated greeting is passed on once', async () => {
  const driver = createCustomDriver({
    name: 'mine',
    command: [],
    output: 'jsonl',
    fields: { conversation: 'id', error: 'error' },
    env: {},
  })
  const code = `console.log('{"id":"c1"}'); console.log('{"id":"c1"}'); console.log('{"error":"usage limit reached, try again in 90 minutes"}')`
  const before = Date.now()
  const agent = talk(code, { driver })
  await agent.ended
  const [started, limited] = agent.events
  expect(started).toEqual({ type: 'started', conversation: 'c1' })
  if (limited?.type !== 'limited' || limited.resetsAt === undefined) throw new Error('no limit was heard')
  expect(limited.resetsAt - before).toBeGreaterThanOrEqual(90 * 60_000)
  expect(limited.resetsAt - Date.now()).toBeLessThanOrEqual(90 * 60_000)
  expect(agent.events).toHaveLength(2)
})

test('a usage file that the vendor leaves behind is read after the end', async () => {
  const code = `require('fs').writeFileSync('usage.json', '42')`
  const agent = talk(code, {
    driver: {
      ...plain,
      command: (request) => ({ ...plain.command(request), usageFile: join(request.scratch, 'usage.json') }),
      readUsageFile: (text) => [{ type: 'usage', counts: 'total', usage: { input: Number(text) } }],
    },
  })
  await agent.ended
  expect(agent.events).toEqual([{ type: 'usage', counts: 'total', usage: { input: 42 } }])
})
