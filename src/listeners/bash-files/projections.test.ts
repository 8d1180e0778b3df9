import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Event } from '../../core/state/event.ts'
import type { RunState } from '../../core/state/state.ts'
import type { Row } from '../../core/state/row.ts'
import type { AgentRules, Rules } from '../../core/state/rules.ts'
import { STATE_VERSION } from '../../core/state/upgrade.ts'
import { openStore, type Store } from '../../store/db/open-store.ts'
import { appendRow } from '../../store/record.ts'
import { saveRunState } from '../../store/run-state.ts'
import { addReset } from '../../store/resets.ts'
import type { Clock } from '../../system/clock.ts'
import { makeTempFolder, removeFolder } from '../../system/files/files.ts'
import { resolveInheritedState } from '../../engine/startup/inherited-state.ts'
import { openBashFileWriter, type BashFileWriter } from '../bash-files.ts'
import { createLiveLog } from './live-log.ts'
import { appendToRotatingLog } from './rotating-log.ts'

function aFolder(): string {
  const folder = makeTempFolder('ralph-projections-')
  onTestFinished(() => removeFolder(folder))
  return folder
}

/** Time stands still until the test lets it go on. */
function aClock(): Clock & { pass(ms: number): void; armed(): number } {
  let up = 0
  let timers: { at: number; fire: () => void }[] = []
  return {
    at: () => Date.UTC(2027, 2, 28, 12) + up,
    up: () => up,
    after(ms, fire) {
      const timer = { at: up + ms, fire }
      timers.push(timer)
      return { cancel: () => void (timers = timers.filter((one) => one !== timer)) }
    },
    pass(ms) {
      up += ms
      const due = timers.filter((timer) => timer.at <= up)
      timers = timers.filter((timer) => timer.at > up)
      for (const timer of due) timer.fire()
    },
    armed: () => timers.length,
  }
}

async function aStore(): Promise<Store> {
  const store = await openStore(join(aFolder(), 'ralph.db'), { create: true, notice: () => {} })
  onTestFinished(() => store.close())
  return store
}

const RULES = {
  agent: { order: ['claude'] },
  quota: { callsPerHour: 100, tokensPerHour: 0 },
  breaker: {
    noProgress: 3,
    sameError: 5,
    denials: 2,
    outputDecline: 70,
    halfOpenAt: 2,
    cooldownMs: 1,
    autoReset: false,
    wait: false,
  },
} as Rules

const BREAKER = {
  is: 'closed',
  counts: { idle: 0, failed: 0, denied: 0, declined: 0 },
  opens: 0,
  changedAt: 0,
}
const STATE = {
  run: { limited: {}, rules: RULES, open: {} },
  workers: {
    '1': {
      breaker: BREAKER,
      conversation: null,
      exitCounts: { testOnly: 0, done: 0, indicators: 0, claims: 0 },
      lastLength: null,
    },
  },
} as unknown as RunState

const ANSWER = { worker: '1', effect: 'e1' }
const STOPPED: Event = {
  type: 'run-ended',
  ...ANSWER,
  outcome: { is: 'stopped', reason: 'asked', verdict: 'unproven', exit: 4 },
}

function started(root: string): Event {
  const before = { breaker: null, conversation: null, limited: {} }
  return {
    type: 'run-started',
    run: 'r1',
    rules: RULES,
    programs: { agents: {}, programs: {} },
    workers: 1,
    project: root,
    command: 'ralph',
    ...before,
    pid: 1,
    version: '1',
  }
}

interface Shown {
  root: string
  clock: ReturnType<typeof aClock>
  notices: string[]
  projections: BashFileWriter
  /** Records rows as the engine does, then publishes them. */
  happen(...events: (Event | { event: Event; effects: Row['effects'] })[]): Promise<void>
  read(name: string): string
}

async function shown(options: { root?: string; store?: Store } = {}): Promise<Shown> {
  const root = options.root ?? aFolder()
  const store = options.store ?? (await aStore())
  const clock = aClock()
  const notices: string[] = []
  const notice = (text: string): void => void notices.push(text)
  const projections = await openBashFileWriter({
    root,
    run: 'r1',
    folder: join(root, '.git', 'ralph'),
    sql: store.sql,
    clock,
    toolArgs: true,
    notice,
  })
  let seq = 0
  return {
    root,
    clock,
    notices,
    projections,
    async happen(...happened) {
      const rows = happened.map((one): Row => {
        const { event, effects } = 'event' in one ? one : { event: one, effects: [] }
        seq += 1
        return { run: 'r1', seq, at: clock.at(), up: clock.up(), rules: 1, event, effects, decisions: [] }
      })
      await store.sql.transaction(async (tx) => {
        for (const row of rows) await appendRow(tx, row)
        await saveRunState(tx, 'r1', { version: STATE_VERSION, seq, state: STATE }, null)
      })
      projections.rows(rows)
    },
    read: (name) => readFileSync(join(root, '.ralph', name), 'utf8'),
  }
}

function runAgent(iteration: number): { event: Event; effects: Row['effects'] } {
  const effect = {
    type: 'run-agent',
    id: `e${iteration + 1}`,
    worker: '1',
    iteration,
    agent: 'claude',
    role: 'work',
    how: { output: 'json', tools: null },
  }
  return {
    event: { type: 'admitted', ...ANSWER, callsThisHour: 1, tokensThisHour: 0 },
    effects: [effect as Row['effects'][number]],
  }
}

/** The agent has ended, and what it did is measured. */
function lookAfter(iteration: number): { event: Event; effects: Row['effects'] } {
  const survey = { type: 'snapshot', id: `e${iteration + 10}`, worker: '1', for: 'after', iteration }
  return {
    event: { type: 'agent-denied', ...ANSWER, denial: { tool: 'x' } },
    effects: [survey as Row['effects'][number]],
  }
}

describe('projections', () => {
  test('are written at the end in any case, and say how it ended', async () => {
    const one = await shown()
    await one.happen(started(one.root), STOPPED)
    await one.projections.close()
    expect(JSON.parse(one.read('status.json'))).toMatchObject({
      status: 'stopped',
      last_action: 'interrupted',
    })
    expect([one.read('.call_count'), one.notices]).toEqual(['0\n', []])
  })

  test('are written at most once a second, and no timer is left behind', async () => {
    const one = await shown()
    const loop = (): unknown => (JSON.parse(one.read('status.json')) as { loop_count: number }).loop_count
    await one.happen(started(one.root))
    one.clock.pass(0)
    await expect.poll(() => loop()).toBe(0)
    await one.happen(runAgent(1))
    one.clock.pass(999)
    expect([loop(), one.clock.armed()]).toEqual([0, 1])
    one.clock.pass(1)
    await expect.poll(() => loop()).toBe(1)
    await one.projections.close()
    expect(one.clock.armed()).toBe(0)
  })

  test('while an agent works in silence its elapsed time goes on', async () => {
    const one = await shown()
    await one.happen(started(one.root), runAgent(1))
    one.clock.pass(0)
    const elapsed = (): unknown =>
      (JSON.parse(one.read('progress.json')) as { elapsed_seconds: number }).elapsed_seconds
    await expect.poll(() => elapsed()).toBe(0)
    one.clock.pass(10_000)
    await expect.poll(() => elapsed()).toBe(10)
    one.clock.pass(10_000)
    await expect.poll(() => elapsed()).toBe(20)
    await one.projections.close()
  })

  test('while an agent speaks, its progress alone is written, and its words by the second', async () => {
    const one = await shown()
    await one.happen(started(one.root), runAgent(1))
    one.clock.pass(0)
    await expect.poll(() => one.read('progress.json')).toContain('executing')
    const written = (): Record<string, number> =>
      Object.fromEntries(
        ['status.json', '.call_count', 'progress.json'].map((name) => [
          name,
          statSync(join(one.root, '.ralph', name)).ino,
        ]),
      )
    const before = written()
    for (let second = 1; second < 10; second += 1) {
      one.projections.words('1', { type: 'text', text: `word ${second}\n`, delta: false })
      one.clock.pass(1_000)
      expect(one.read('live.log')).toContain(`word ${second}\n`)
    }
    expect(written()).toEqual(before)
    one.clock.pass(1_000)
    expect(one.read('progress.json')).toContain('word 9')
    expect({ ...written(), 'progress.json': 0 }).toEqual({ ...before, 'progress.json': 0 })
    await one.projections.close()
  })

  test('what comes between two iterations is written with the second of them', async () => {
    const one = await shown()
    await one.happen(started(one.root), runAgent(1))
    one.clock.pass(0)
    await expect.poll(() => one.read('status.json')).toContain('"loop_count": 1')
    one.clock.pass(5_000)
    const { ino } = statSync(join(one.root, '.ralph', 'status.json'))
    await one.happen(lookAfter(1))
    one.clock.pass(500)
    await one.happen(runAgent(2))
    expect(statSync(join(one.root, '.ralph', 'status.json')).ino).toBe(ino)
    one.clock.pass(0)
    await expect.poll(() => one.read('status.json')).toContain('"loop_count": 2')
    await one.projections.close()
  })

  test('an engine that breaks off does not leave "running" behind', async () => {
    const one = await shown()
    await one.happen(started(one.root), runAgent(1))
    await one.projections.close()
    expect(JSON.parse(one.read('status.json'))).toMatchObject({
      status: 'stopped',
      exit_reason: 'engine_failed',
    })
  })

  test('a file whose text did not change is not written again', async () => {
    const one = await shown()
    await one.happen(started(one.root))
    one.clock.pass(1_000)
    await one.happen(runAgent(1))
    const before = (): number => statSync(join(one.root, '.ralph', '.token_count')).ino
    await one.projections.close()
    const inode = before()
    await one.projections.close()
    expect(before()).toBe(inode)
  })

  test('a run that is resumed is shown as if nothing had happened', async () => {
    const store = await aStore()
    const first = await shown({ store })
    await first.happen(started(first.root), runAgent(7))
    const again = await shown({ store, root: first.root })
    await again.projections.close()
    expect(JSON.parse(again.read('status.json'))).toMatchObject({ loop_count: 7 })
  })

  test('a folder that cannot be written is told once and disturbs nothing', async () => {
    const root = aFolder()
    writeFileSync(join(root, '.ralph'), 'a file, not a folder')
    const one = await shown({ root })
    await one.happen(started(one.root), runAgent(1), STOPPED)
    one.projections.words('1', { type: 'text', text: 'words', delta: false })
    await one.projections.close()
    expect(one.notices).toHaveLength(1)
  })

  test('nothing is written through a link', async () => {
    const root = aFolder()
    mkdirSync(join(root, '.ralph'))
    const aim = join(root, 'precious')
    writeFileSync(aim, 'mine')
    for (const name of ['status.json', 'live.log', '.gitignore']) symlinkSync(aim, join(root, '.ralph', name))
    const one = await shown({ root })
    await one.happen(started(one.root), runAgent(1), STOPPED)
    one.projections.words('1', { type: 'text', text: 'words', delta: false })
    await one.projections.close()
    expect([readFileSync(aim, 'utf8'), one.notices.length, existsSync(join(root, '.ralph', '.call_count'))]).toEqual([
      'mine',
      1,
      true,
    ])
  })

  test("a user's own .gitignore stays as it is", async () => {
    const root = aFolder()
    mkdirSync(join(root, '.ralph'))
    writeFileSync(join(root, '.ralph', '.gitignore'), 'mine\n')
    const one = await shown({ root })
    expect(one.read('.gitignore')).toBe('mine\n')
  })

  test('what earlier signals and analyses an old file holds is gone with the first write', async () => {
    const root = aFolder()
    mkdirSync(join(root, '.ralph'))
    writeFileSync(join(root, '.ralph', '.exit_signals'), '{"done_signals":[1,2]}')
    writeFileSync(join(root, '.ralph', '.response_analysis'), '{}')
    const one = await shown({ root })
    await one.happen(started(one.root), STOPPED)
    await one.projections.close()
    expect(JSON.parse(one.read('.exit_signals'))).toEqual({
      test_only_loops: [],
      done_signals: [],
      completion_indicators: [],
    })
    expect(existsSync(join(root, '.ralph', '.response_analysis'))).toBe(false)
  })
})

describe('a rotating log', () => {
  test('keeps so many archives and no more', () => {
    const path = join(aFolder(), 'ralph.log')
    for (const line of ['a', 'b', 'c', 'd', 'e', 'f']) appendToRotatingLog(path, line, { maxBytes: 2, archives: 3 })
    const folder = join(path, '..')
    expect(
      readdirSync(folder)
        .toSorted()
        .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
    ).toEqual([
      ['ralph.log', 'f\n'],
      ['ralph.log.1', 'e\n'],
      ['ralph.log.2', 'd\n'],
      ['ralph.log.3', 'c\n'],
    ])
  })
})

describe('live.log', () => {
  test('begins anew with each iteration, in the same file, without control characters', () => {
    const path = join(aFolder(), 'live.log')
    const live = createLiveLog(path, { toolArgs: true })
    live.begin('Loop #1')
    live.take({ type: 'text', text: 'first\u001b[2J words', delta: false })
    live.flush()
    const { ino } = statSync(path)
    expect(readFileSync(path, 'utf8')).toBe('=== Loop #1 ===\nfirst words\n')
    live.begin('Loop #2')
    live.take({ type: 'text', text: 'sec', delta: true })
    live.take({ type: 'text', text: 'ond', delta: true })
    expect(live.lastMessage()).toBe('second')
    live.take({ type: 'tool', id: null, name: 'Bash', input: 'ls\n-l', paths: [] })
    live.flush()
    expect([readFileSync(path, 'utf8'), statSync(path).ino, live.lastMessage()]).toEqual([
      '=== Loop #2 ===\nsecond⚡ [Bash] ls -l\n',
      ino,
      '⚡ [Bash] ls -l',
    ])
  })

  test('a flood is cut, and says so', () => {
    const path = join(aFolder(), 'live.log')
    const live = createLiveLog(path, { toolArgs: false })
    for (let n = 0; n < 300; n += 1) live.take({ type: 'text', text: 'x'.repeat(1_000), delta: false })
    live.flush()
    const text = readFileSync(path, 'utf8')
    expect([text.length < 300_000, text.endsWith('[… output cut …]\n')]).toEqual([true, true])
  })
})

describe('the first start in a project of the bash tool', () => {
  const OPEN = {
    state: 'OPEN',
    last_change: '2027-03-28T11:00:00+00:00',
    consecutive_no_progress: 3,
    total_opens: 1,
    reason: 'No progress detected in 3 consecutive loops',
  }

  const FRESH = { resume: true, conversationMaxAgeMs: 24 * 3_600_000 } as AgentRules

  function oldProject(): string {
    const root = aFolder()
    mkdirSync(join(root, '.ralph'))
    writeFileSync(join(root, '.ralph', '.circuit_breaker_state'), JSON.stringify(OPEN))
    writeFileSync(
      join(root, '.ralph', '.claude_session_id'),
      '{"session_id":"abc","timestamp":"2027-03-28T11:30:00+00:00"}',
    )
    return root
  }

  test('takes over the breaker and the conversation, and says so', async () => {
    const store = await aStore()
    const notices: string[] = []
    const carried = await resolveInheritedState({
      sql: store.sql,
      root: oldProject(),
      at: aClock().at(),
      rules: FRESH,
      notice: (text) => void notices.push(text),
    })
    expect(carried).toMatchObject({
      breaker: { is: 'open', openedAt: Date.UTC(2027, 2, 28, 11), why: 'no-progress' },
      conversation: { agent: 'claude', id: 'abc', usedAt: Date.UTC(2027, 2, 28, 11, 30) },
    })
    expect(notices).toEqual([
      "Imported from bash Ralph's files in .ralph: circuit breaker open (No progress detected in 3 consecutive loops), session abc.",
    ])
  })

  test('leaves a conversation that is too old', async () => {
    const store = await aStore()
    const rules = { ...FRESH, conversationMaxAgeMs: 1_000 }
    const carried = await resolveInheritedState({
      sql: store.sql,
      root: oldProject(),
      at: aClock().at(),
      rules,
      notice: () => {},
    })
    expect(carried).toMatchObject({ breaker: { is: 'open' }, conversation: null })
  })

  test.each<[hours: number, id: string | null]>([
    [1, 'bare-1'],
    [23, 'bare-1'],
    [24, null],
    [200, null],
  ])('a bare id whose file was written %i hours ago: %j', async (hours, id) => {
    const store = await aStore()
    const root = oldProject()
    const file = join(root, '.ralph', '.claude_session_id')
    writeFileSync(file, 'bare-1\n')
    const at = aClock().at()
    const written = new Date(at - hours * 3_600_000)
    utimesSync(file, written, written)
    const { conversation } = await resolveInheritedState({
      sql: store.sql,
      root,
      at,
      rules: FRESH,
      notice: () => {},
    })
    expect(conversation?.id ?? null).toBe(id)
  })

  test('honours a reset that came before it', async () => {
    const store = await aStore()
    const root = oldProject()
    await addReset(store.sql, root, 'breaker', { at: 1, reason: 'by hand' })
    const carried = await resolveInheritedState({
      sql: store.sql,
      root,
      at: aClock().at(),
      rules: FRESH,
      notice: () => {},
    })
    expect(carried).toMatchObject({ breaker: null, conversation: { id: 'abc' } })
  })

  test('is the only one that reads the files', async () => {
    const store = await aStore()
    const root = oldProject()
    const row = { run: 'r1', seq: 1, at: 1, up: 1, rules: 1, effects: [], decisions: [] }
    await appendRow(store.sql, { ...row, event: started(root) })
    const carried = await resolveInheritedState({
      sql: store.sql,
      root,
      at: aClock().at(),
      rules: FRESH,
      notice: () => {},
    })
    expect(carried).toEqual({ breaker: null, conversation: null, limited: {} })
  })

  test('a file that cannot be read counts as absent', async () => {
    const store = await aStore()
    const root = oldProject()
    writeFileSync(join(root, '.ralph', '.call_count'), 'x'.repeat(2_000_000))
    rmSync(join(root, '.ralph', '.circuit_breaker_state'))
    mkdirSync(join(root, '.ralph', '.circuit_breaker_state'))
    const carried = await resolveInheritedState({
      sql: store.sql,
      root,
      at: aClock().at(),
      rules: FRESH,
      notice: () => {},
    })
    expect(carried).toMatchObject({ breaker: null, conversation: { id: 'abc' } })
  })
})
