import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { WorkerId } from '../../core/ids.ts'
import type { Row } from '../../core/state/row.ts'
import { emptyAgentReport } from '../../core/agent-output/agent-report.ts'
import { openStore } from '../../store/db/open-store.ts'
import { foldView, type RunView } from '../../core/presentation/run-view.ts'
import { appendRow } from '../../store/record.ts'
import { saveIterations } from '../../store/run-views.ts'
import { makeTempFolder, removeFolder } from '../../system/files/files.ts'
import { openRepo } from '../../workspace/repo/git.ts'
import { storeFolder } from '../../workspace/repo/find-repo.ts'
import { readIterationPart, readIterations } from './history.ts'
import { loadIterationDetails } from './run-details.ts'

const RULES = { agent: { order: ['claude'] }, loop: { plan: null }, gates: [] }
/** Rows that each iteration has below; the first row is the run's own. */
const ROWS = 4

/** The row that begins an iteration. */
function rowOf(iteration: number): number {
  return 2 + (iteration - 1) * ROWS
}

/** A run `r1` of so many iterations, each with one red gate. */
async function aRun(
  iterations: number,
  workers: WorkerId[] = ['1'],
): Promise<{ root: string; log: (iteration: number) => string }> {
  const root = makeTempFolder('ralph-past-')
  const folder = storeFolder(await openRepo(root), root)
  const store = await openStore(join(folder, 'ralph.db'), { create: true, notice: () => {} })
  onTestFinished(() => removeFolder(root))
  const log = (n: number): string => join(folder, 'logs', 'r1', String(n), 'gate-test.log')
  const start = {
    type: 'run-started',
    project: root,
    command: '',
    rules: RULES,
    breaker: null,
    pid: 1,
    version: '0',
  }
  const events = [
    { event: start, effects: [] as object[] },
    ...Array.from({ length: iterations }, (_, index) =>
      workers.flatMap((worker) => iterationRows(index + 1, log, worker)),
    ).flat(),
  ]
  await store.sql.transaction(async (tx) => {
    let view: RunView | null = null
    for (const [index, { event, effects }] of events.entries()) {
      const row = {
        run: 'r1',
        seq: index + 1,
        at: 1000 * index,
        up: 0,
        rules: 1,
        event: { worker: '1', ...event },
        effects: effects.map((effect) => ({ worker: '1', ...effect })),
        decisions: [],
      } as unknown as Row
      await appendRow(tx, row)
      const shown: RunView = foldView(view, row)
      await saveIterations(tx, 'r1', shown, view)
      view = shown
    }
  })
  await store.close()
  return { root, log }
}

function iterationRows(
  n: number,
  log: (n: number) => string,
  worker: WorkerId,
): { event: object; effects: object[] }[] {
  const effect = `a${worker}.${n}`
  const reply = {
    told: emptyAgentReport(),
    end: 'success',
    usage: { usd: n },
    durationMs: 5,
    lastMessage: `worker ${worker}`,
    signals: { summary: `turn ${n}` },
    failure: null,
    conversation: null,
    tools: 0,
    model: null,
  }
  const evidence = {
    gate: 'test',
    purpose: 'completion',
    command: 'npm test',
    tree: 'abc',
    guarded: '',
    tests: null,
    exit: 1,
    signal: null,
    timedOut: false,
    missing: false,
    unstable: false,
    durationMs: 1,
    at: 1,
    log: log(n),
    summary: 'red',
    failing: [],
  }
  const run = {
    type: 'run-agent',
    worker,
    id: effect,
    iteration: n,
    agent: 'claude',
    role: 'work',
    how: { model: null },
  }
  return [
    { event: { type: 'wait-ended', worker, effect: 'w' }, effects: [run] },
    {
      event: { type: 'agent-started', worker, effect, pid: 1, startTime: '', promptHash: '', log: log(n) },
      effects: [],
    },
    { event: { type: 'agent-ended', worker, effect, reply }, effects: [] },
    { event: { type: 'gate-ended', worker, effect: `g${worker}.${n}`, evidence }, effects: [] },
  ]
}

test('a page of the past is as the view had it, and no more than was asked for', async () => {
  const { root } = await aRun(30)
  const page = await readIterations(root, { run: 'r1', from: 11, count: 10 })
  expect(page.map(({ n, summary, gates }) => [n, summary, gates.length])).toEqual(
    Array.from({ length: 10 }, (_, index) => [index + 11, `turn ${index + 11}`, 1]),
  )
})

test('the first page begins with the run itself', async () => {
  const { root } = await aRun(3)
  expect((await readIterations(root, { run: 'r1', from: 1, count: 100 })).map(({ n }) => n)).toEqual([1, 2, 3])
})

test('what the gates of an iteration printed: the end of it, and how much came before', async () => {
  const { root, log } = await aRun(3)
  mkdirSync(dirname(log(2)), { recursive: true })
  appendFileSync(log(2), `${'x'.repeat(100_000)}\nthe end\n`)
  const wanted = {
    run: 'r1',
    worker: '1',
    iteration: 2,
    name: '2',
    fromRow: rowOf(1),
    part: 'gates' as const,
  }
  const [output] = (await readIterationPart(root, wanted))?.outputs ?? []
  expect([output?.evidence.gate, output?.text?.endsWith('x\nthe end\n'), output?.before]).toEqual([
    'test',
    true,
    100_009 - 48 * 1024,
  ])
  rmSync(log(2))
  const [gone] = (await readIterationPart(root, wanted))?.outputs ?? []
  expect(gone?.text).toBeNull()
})

test('evidence of an iteration is its own, whatever came before and after', async () => {
  const { root } = await aRun(3)
  const wanted = {
    run: 'r1',
    worker: '1',
    iteration: 2,
    name: '2',
    fromRow: rowOf(1),
    part: 'evidence' as const,
  }
  const detail = await readIterationPart(root, wanted)
  expect([detail?.shown.reply?.usage?.usd, detail?.shown.evidence.length, detail?.outputs]).toEqual([2, 1, []])
})

test('an iteration that the run does not have', async () => {
  const { root } = await aRun(1)
  expect(
    await readIterationPart(root, {
      run: 'r1',
      worker: '1',
      iteration: 9,
      name: '9',
      fromRow: 1,
      part: 'diff',
    }),
  ).toBeNull()
})

test('an iteration that several workers have is named with its worker', async () => {
  const { root } = await aRun(2, ['1', '2'])
  await expect(loadIterationDetails(root, null, { worker: null, n: 2 })).rejects.toMatchObject({
    message: 'iteration 2 of run r1 exists for 2 workers',
    hint: 'Choose one: ralph show r1 w1:2, ralph show r1 w2:2',
  })
  const { worker, name, reply } = await loadIterationDetails(root, null, { worker: '2', n: 2 })
  expect([worker, name, reply?.lastMessage]).toEqual(['2', 'w2:2', 'worker 2'])
  await expect(loadIterationDetails(root, null, { worker: '3', n: 2 })).rejects.toMatchObject({
    message: 'run r1 has no iteration w3:2',
  })
})
