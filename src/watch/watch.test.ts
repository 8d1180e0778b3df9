import { foldViewTolerantly } from '../core/presentation/run-view.ts'
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Effect } from '../core/state/effect.ts'
import type { Event } from '../core/state/event.ts'
import { emptyAgentReport } from '../core/agent-output/agent-report.ts'
import type { Row } from '../core/state/row.ts'
import { acquireLock } from '../store/lock.ts'
import { openStore, type Store } from '../store/db/open-store.ts'
import { appendRow } from '../store/record.ts'
import { makeTempFolder, removeFolder } from '../system/files/files.ts'
import { ownProcessIdentity } from '../system/process/process-identity.ts'
import { NO_OP_MASKER } from '../system/mask/mask.ts'
import { openRepo } from '../workspace/repo/git.ts'
import { storeFolder } from '../workspace/repo/find-repo.ts'
import { openWatch, type WatchUpdate, type Watch } from './watch.ts'

const RULES = {
  agent: { order: ['claude'] },
  loop: { plan: 'plan.md', optionalSections: [], iterationsMax: 0 },
  gates: [],
}

interface Place {
  root: string
  store: Store
  log(iteration: number): string
  say(iteration: number, ...texts: string[]): void
  add(event: object, effects?: object[]): Promise<void>
  addMany(events: object[]): Promise<void>
}

/** A project with a store and a run `r1` that has begun. */
async function aPlace(): Promise<Place> {
  const root = makeTempFolder('ralph-watch-')
  const folder = storeFolder(await openRepo(root), root)
  const store = await openStore(join(folder, 'ralph.db'), { create: true, notice: () => {} })
  onTestFinished(async () => {
    await store.close()
    removeFolder(root)
  })
  let seq = 0
  const row = (event: object, effects: object[]): Row => {
    seq += 1
    return {
      run: 'r1',
      seq,
      at: 1000 * seq,
      up: 0,
      rules: 1,
      event: { worker: '1', effect: 'e1', ...event } as unknown as Event,
      effects: effects.map((effect) => ({ worker: '1', id: 'e1', ...effect }) as unknown as Effect),
      decisions: [],
    }
  }
  const place: Place = {
    root,
    store,
    log: (iteration) => join(folder, 'logs', 'r1', 'w1', String(iteration), 'agent.log'),
    say(iteration, ...texts) {
      mkdirSync(dirname(place.log(iteration)), { recursive: true })
      appendFileSync(place.log(iteration), texts.map(claudeLine).join(''))
    },
    add: (event, effects = []) => store.sql.transaction((tx) => appendRow(tx, row(event, effects))),
    addMany: (events) =>
      store.sql.transaction(async (tx) => {
        for (const event of events) await appendRow(tx, row(event, []))
      }),
  }
  await place.add({
    type: 'run-started',
    project: root,
    command: 'ralph loop',
    rules: RULES,
    pid: process.pid,
    version: '0',
  })
  return place
}

function claudeLine(text: string): string {
  return `${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } })}\n`
}

async function begin(place: Place, iteration: number): Promise<void> {
  const effect = `e${iteration}`
  await place.add({ type: 'wait-ended', effect: 'e0' }, [
    { type: 'run-agent', id: effect, iteration, agent: 'claude', role: 'work', how: { model: null } },
  ])
  await place.add({ type: 'agent-started', effect, pid: 1, startTime: '', log: place.log(iteration) })
}

async function aWatch(place: Place, run: string | null = null): Promise<Watch> {
  const watch = await openWatch({ root: place.root, run, agents: {}, mask: NO_OP_MASKER })
  onTestFinished(() => watch.close())
  return watch
}

function words({ words: heard }: WatchUpdate): { iteration: number; said: string[]; missed: number; there: boolean }[] {
  return heard.map(({ iteration, events, missed, there }) => {
    const said = events.flatMap((event) => (event.type === 'text' ? [event.text] : []))
    return { iteration, said, missed, there }
  })
}

test('every row arrives once, in its order', async () => {
  const place = await aPlace()
  const watch = await aWatch(place)
  expect((await watch.look()).rows.map((row) => row.seq)).toEqual([1])
  expect((await watch.look()).rows).toEqual([])
  await place.add({ type: 'remark', about: 'x', text: 'y' })
  await place.add({ type: 'remark', about: 'x', text: 'z' })
  expect((await watch.look()).rows.map((row) => row.seq)).toEqual([2, 3])
})

test('a long record comes page by page, and words only after the last page', async () => {
  const place = await aPlace()
  await begin(place, 1)
  place.say(1, 'hello')
  await place.addMany(Array.from({ length: 600 }, (_, n) => ({ type: 'remark', about: 'x', text: String(n) })))
  const watch = await aWatch(place)
  const first = await watch.look()
  expect([first.rows.length, first.more, first.words]).toEqual([500, true, []])
  const second = await watch.look()
  expect([second.rows.length, second.more, words(second)]).toEqual([
    103,
    false,
    [{ iteration: 1, said: ['hello'], missed: 0, there: true }],
  ])
})

test('the words of the newest iteration are followed as they are written, to the last of the one before', async () => {
  const place = await aPlace()
  await begin(place, 1)
  place.say(1, 'one')
  const watch = await aWatch(place)
  expect(words(await watch.look())).toEqual([{ iteration: 1, said: ['one'], missed: 0, there: true }])
  place.say(1, 'two')
  await begin(place, 2)
  place.say(2, 'three')
  expect(words(await watch.look())).toEqual([
    { iteration: 1, said: ['two'], missed: 0, there: true },
    { iteration: 2, said: ['three'], missed: 0, there: true },
  ])
})

test('half a line is not a word yet, unless nobody writes any more', async () => {
  const place = await aPlace()
  await begin(place, 1)
  place.say(1, 'whole')
  const half = claudeLine('half').trimEnd()
  appendFileSync(place.log(1), half)
  const watch = await aWatch(place)
  expect(words(await watch.look())[0]?.said).toEqual(['whole'])
  await place.add({
    type: 'agent-ended',
    effect: 'e1',
    reply: { usage: null, model: null, told: emptyAgentReport() },
  })
  expect(words(await watch.look())[0]?.said).toEqual(['half'])
})

test('a screen that comes late hears the newest words and how much it missed', async () => {
  const place = await aPlace()
  await begin(place, 1)
  place.say(1, ...Array.from({ length: 400 }, (_, n) => `${n} ${'x'.repeat(1000)}`))
  const [heard] = words(await (await aWatch(place)).look())
  expect(heard?.said.at(-1)?.startsWith('399 ')).toBe(true)
  expect(heard?.missed).toBeGreaterThan(100_000)
  expect(heard?.said.length).toBeGreaterThan(200)
})

test('an earlier iteration can be heard again, and then the newest', async () => {
  const place = await aPlace()
  await begin(place, 1)
  place.say(1, 'one')
  await begin(place, 2)
  place.say(2, 'two')
  const watch = await aWatch(place)
  await watch.look()
  watch.hear({ worker: '1', iteration: 1, agent: 'claude', log: null })
  expect(words(await watch.look())).toEqual([{ iteration: 1, said: ['one'], missed: 0, there: true }])
  watch.hear(null)
  expect(words(await watch.look())).toEqual([{ iteration: 2, said: ['two'], missed: 0, there: true }])
})

test('logs that were deleted by hand break nothing', async () => {
  const place = await aPlace()
  await begin(place, 1)
  place.say(1, 'one')
  const watch = await aWatch(place)
  await watch.look()
  rmSync(dirname(place.log(1)), { recursive: true })
  expect(words(await watch.look())).toEqual([{ iteration: 1, said: [], missed: 0, there: false }])
})

test('a log that begins anew is read from its beginning', async () => {
  const place = await aPlace()
  await begin(place, 1)
  place.say(1, 'one', 'two')
  const watch = await aWatch(place)
  await watch.look()
  writeFileSync(place.log(1), claudeLine('new'))
  expect(words(await watch.look())[0]?.said).toEqual(['new'])
})

test('it is known whether a process serves the run', async () => {
  const place = await aPlace()
  expect((await (await aWatch(place)).look()).runBy).toBeNull()
  await acquireLock(place.store.sql, place.root, {
    ...ownProcessIdentity(),
    command: 'ralph loop',
    run: null,
    since: 0,
  })
  expect((await (await aWatch(place)).look()).runBy).toBe(process.pid)
})

test('the boxes of the plan are read as they are now, also after the end', async () => {
  const place = await aPlace()
  const watch = await aWatch(place)
  expect((await watch.look()).plan).toBeNull()
  writeFileSync(join(place.root, 'plan.md'), '- [x] one\n- [ ] two\n')
  const { plan } = await watch.look()
  expect(plan).toEqual([
    { text: 'one', done: true },
    { text: 'two', done: false },
  ])
  expect((await watch.look()).plan).toBe(plan)
  await place.add({ type: 'run-ended', outcome: { is: 'stopped', reason: '', verdict: 'unproven', exit: 4 } })
  expect((await watch.look()).plan).toBe(plan)
})

test('a run that does not exist is refused with the one that was meant', async () => {
  const place = await aPlace()
  await expect(aWatch(place, 'nope')).rejects.toMatchObject({
    code: 'not-found',
    message: 'there is no run "nope"',
  })
  const empty = makeTempFolder('ralph-watch-')
  onTestFinished(() => removeFolder(empty))
  await expect(openWatch({ root: empty, run: null, agents: {}, mask: NO_OP_MASKER })).rejects.toMatchObject({
    code: 'no-run',
  })
})

test('a store that is deleted while it is watched is said to be gone', async () => {
  const place = await aPlace()
  rmSync(place.store.file)
  await expect(aWatch(place)).rejects.toMatchObject({ code: 'no-run' })
})

test('a row of a newer Ralph changes nothing but where we stand', async () => {
  const place = await aPlace()
  const [started] = (await (await aWatch(place)).look()).rows
  const { view } = started === undefined ? { view: null } : foldViewTolerantly(null, started)
  const strange = { ...started, seq: 2, at: 2000, event: { type: 'from-the-future' } } as unknown as Row
  expect(foldViewTolerantly(view, strange)).toEqual({ view: { ...view, seq: 2, at: 2000 }, known: false })
  expect(foldViewTolerantly(null, strange)).toEqual({ view: null, known: false })
})
