/** The dashboard on a terminal that the test holds: what it writes, what keys do, how it ends. */
import { describe, expect, test } from 'vitest'
import type { LoadedIterationPart } from '../../app/run/history.ts'
import { RalphError } from '../../core/error.ts'
import type { IterationView } from '../../core/presentation/run-view.ts'
import type { AgentOutput } from '../../watch/agent-output.ts'
import type { OutputSource, WatchUpdate } from '../../watch/watch.ts'
import { runDashboard, type DashboardResult, type RunControls } from './dashboard.ts'
import type { HistoryReader } from './read-history.ts'
import type { TerminalListener, FullScreenTerminal } from '../../system/terminal/full-screen.ts'
import {
  sampleUpdate,
  ended,
  iteration,
  iterationEnded,
  runEnded,
  runStarted,
  textEvent,
  working,
} from '../../../test/kit/tui.ts'

interface PendingReview extends FullScreenTerminal {
  written: string
  frames: number
  full: boolean
  ear: TerminalListener | null
  /** Until this text was written. */
  until(text: string): Promise<void>
}

function aTerminal(): PendingReview {
  const waiting: { text: string; done: () => void }[] = []
  const terminal: PendingReview = {
    written: '',
    frames: 0,
    full: false,
    ear: null,
    size: () => ({ columns: 80, rows: 24 }),
    write(text) {
      terminal.written += text
      terminal.frames += 1
      for (const one of waiting) if (terminal.written.includes(one.text)) one.done()
    },
    ready: () => !terminal.full,
    listen: (ear) => void (terminal.ear = ear),
    close: () => {},
    suspend: () => {},
    until: (text) =>
      new Promise((done) => {
        if (terminal.written.includes(text)) done()
        else waiting.push({ text, done })
      }),
  }
  return terminal
}

interface Going {
  terminal: PendingReview
  asked: string[]
  left: Promise<DashboardResult>
}

function going(
  looks: (WatchUpdate | Error)[],
  steering: Partial<RunControls> = {},
  past: Partial<HistoryReader> = {},
  hear: (which: OutputSource | null) => void = () => {},
  read: (which: OutputSource) => AgentOutput = () => ({ events: [], missed: 0, there: true }),
): Going {
  const terminal = aTerminal()
  const asked: string[] = []
  const note = (what: string) => (): Promise<string> => {
    asked.push(what)
    return Promise.resolve(`${what}: done`)
  }
  const left = runDashboard({
    watch: {
      look: async () => {
        const look = looks.length > 1 ? looks.shift() : looks[0]
        if (look instanceof Error) throw look
        return look ?? sampleUpdate({})
      },
      hear,
      read,
    },
    past: { iterations: async () => [], detail: async () => null, ...past },
    terminal,
    steering: {
      pause: note('pause'),
      resume: note('resume'),
      stop: note('stop'),
      steer: (text) => note(`steer ${text}`)(),
      ...steering,
    },
    colour: false,
    unicode: true,
    leaving: 'asks',
    only: null,
  })
  return { terminal, asked, left }
}

const RUN = sampleUpdate({ rows: [runStarted(), ...working(1)], words: [textEvent('hello there')] })
const QUIET = sampleUpdate({})

test('shows the run and leaves when asked to', async () => {
  const { terminal, left } = going([RUN, QUIET])
  await terminal.until('hello there')
  terminal.ear?.input('q')
  await terminal.until('Keep it running (d)')
  terminal.ear?.input('d')
  expect((await left).how).toBe('left')
})

test('carries out what is wished and says what became of it', async () => {
  const { terminal, asked, left } = going([RUN, QUIET])
  await terminal.until('hello there')
  terminal.ear?.input('p')
  await terminal.until('pause: done')
  terminal.ear?.input('suse it\r')
  await terminal.until('steer use it: done')
  terminal.ear?.input('qs')
  expect((await left).how).toBe('stopped')
  expect(asked).toEqual(['pause', 'steer use it', 'stop'])
})

test('a wish that fails is told with its remedy, and the screen goes on', async () => {
  const fail = (): Promise<string> =>
    Promise.reject(new RalphError('no-run', 'no run is going on', { hint: 'Start one.' }))
  const { terminal, left } = going([RUN, QUIET], { pause: fail })
  await terminal.until('hello there')
  terminal.ear?.input('p')
  await terminal.until('no run is going on. Start one.')
  terminal.ear?.gone('closed')
  expect((await left).how).toBe('gone')
})

test('a terminal that cannot keep up gets no further frame until it can', async () => {
  const { terminal, left } = going([RUN, sampleUpdate({ words: [textEvent('later words')] }), QUIET])
  await terminal.until('hello there')
  terminal.full = true
  const before = terminal.frames
  terminal.ear?.input('?')
  await new Promise((resolve) => setImmediate(resolve))
  expect(terminal.frames).toBe(before)
  terminal.full = false
  await terminal.until('press any key to close')
  terminal.ear?.gone('closed')
  await left
})

test('a store that is gone ends the dashboard with its error', async () => {
  const { left } = going([RUN, new RalphError('store-lost', 'the store is gone')])
  await expect(left).rejects.toThrow('the store is gone')
})

test('stays after the run has ended, and leaves without a question', async () => {
  const outcome = { is: 'plan_complete', reason: 'all is done', verdict: 'proven', exit: 0 }
  const { terminal, left } = going([
    sampleUpdate({ rows: [runStarted(), ...working(1), ended(), runEnded(outcome)], runBy: null }),
    QUIET,
  ])
  await terminal.until('PROVEN DONE')
  terminal.ear?.input('q')
  expect((await left).view?.outcome).toEqual(outcome)
})

describe('what the view does not hold', () => {
  const detail = { part: 'diff', shown: { reply: null }, outputs: [] } as unknown as LoadedIterationPart
  const two = sampleUpdate({
    rows: [runStarted(), ...iteration(1, { at: 1, took: 5, says: 'one' }), ...working(2, { after: 9 })],
    words: [textEvent('hello there')],
    iteration: 2,
  })

  test('is read when somebody looks at it, and not before', async () => {
    const asked: object[] = []
    const { terminal, left } = going([two, QUIET], {}, { detail: async (wanted) => (asked.push(wanted), detail) })
    await terminal.until('hello there')
    expect(asked).toEqual([])
    terminal.ear?.input('d')
    await terminal.until('diff appears when the agent')
    const { seq } = two.rows[1] ?? { seq: 0 }
    expect(asked).toEqual([{ worker: '1', iteration: 1, name: '1', part: 'diff', fromRow: seq }])
    terminal.ear?.gone('closed')
    await left
  })

  test('is read again when there is more of it', async () => {
    let reads = 0
    const looks = [two, sampleUpdate({ rows: [ended({ after: 20, decisions: [iterationEnded(2, 'x')] })] }), QUIET]
    const { terminal, left } = going(
      looks,
      {},
      {
        detail: async () => {
          reads += 1
          return reads === 1 ? null : detail
        },
      },
    )
    terminal.ear?.input('d')
    await terminal.until('diff appears when the agent')
    terminal.ear?.gone('closed')
    await left
  })

  test('that cannot be read is said, and not asked for again', async () => {
    let reads = 0
    const { terminal, left } = going(
      [two, QUIET],
      {},
      {
        detail: async () => {
          reads += 1
          throw new RalphError('store-lost', 'the store is gone')
        },
      },
    )
    terminal.ear?.input('d')
    await terminal.until('the store is gone')
    terminal.ear?.input('?')
    await terminal.until('press any key to close')
    expect(reads).toBe(1)
    terminal.ear?.gone('closed')
    await left
  })

  test('n continues a search in older iterations, of which one is shown with its match', async () => {
    const rows = [1, 2, 3].flatMap((n) => iteration(n, { at: n * 10, took: 5, says: `turn ${n}` }))
    const newest = sampleUpdate({ rows: [runStarted(), ...rows], words: [textEvent('a needle')], iteration: 3 })
    let loads: (which: OutputSource | null) => void = () => {}
    const loaded = new Promise<OutputSource | null>((resolve) => (loads = resolve))
    const said: Record<number, string> = { 1: 'an older needle', 2: 'only hay' }
    const { terminal, left } = going(
      [newest, QUIET],
      {},
      {},
      (which) => loads(which),
      ({ iteration: n }) => ({ events: [textEvent(said[n] ?? '')], missed: 0, there: true }),
    )
    await terminal.until('a needle')
    terminal.ear?.input('/needle\r')
    await terminal.until('"needle" in all iterations')
    terminal.ear?.input('n')
    expect(await loaded).toMatchObject({ at: 1, iteration: 1 })
    terminal.ear?.input('n')
    await terminal.until('No older message has "needle".')
    terminal.ear?.gone('closed')
    await left
  })

  test('a search finds no message twice: the live messages are of several iterations', async () => {
    const rows = [1, 2].flatMap((n) => iteration(n, { at: n * 10, took: 5, says: `turn ${n}` }))
    const first = sampleUpdate({ rows: [runStarted(), ...rows], words: [textEvent('a needle')], iteration: 1 })
    const second = sampleUpdate({ words: [textEvent('only hay')], iteration: 2 })
    const read = (): AgentOutput => ({ events: [textEvent('a needle')], missed: 0, there: true })
    const { terminal, left } = going([first, second, QUIET], {}, {}, () => {}, read)
    await terminal.until('only hay')
    terminal.ear?.input('/needle\r')
    await terminal.until('"needle" in all iterations')
    terminal.ear?.input('n')
    await terminal.until('No older message has "needle".')
    terminal.ear?.gone('closed')
    await left
  })

  test('of old iterations a page is read, and the words of the chosen one are heard once its agent is known', async () => {
    const rows = Array.from({ length: 450 }, (_, n) => iteration(n + 1, { at: n * 10, took: 5, says: `turn ${n + 1}` }))
    const long = sampleUpdate({
      rows: [runStarted(), ...rows.flat()],
      words: [textEvent('hello there')],
      iteration: 450,
    })
    const old = { worker: '1', n: 1, agent: 'codex', log: '/log', summary: 'the very first', end: 'success' }
    const heard: (object | null)[] = []
    const asked: object[] = []
    const { terminal, left } = going(
      [long, QUIET],
      {},
      {
        iterations: async (wanted) => {
          asked.push(wanted)
          const change = { files: 1, added: 1, removed: 0, commits: [] }
          return [
            { ...old, change, outcome: 'progress', rejection: null, limited: false, ticked: 0, usage: null },
          ] as unknown as IterationView[]
        },
      },
      (which) => heard.push(which),
    )
    await terminal.until('hello there')
    terminal.ear?.input('6g')
    await terminal.until('the very first')
    expect(asked).toEqual([{ from: 1, count: 100 }])
    expect(heard).toEqual([{ at: 1, worker: '1', iteration: 1, agent: 'codex', log: '/log' }])
    terminal.ear?.gone('closed')
    await left
  })
})
