/** The dashboard on a terminal that the test holds: what it writes, what keys do, how it ends. */
import { expect, test } from 'vitest'
import { RalphError } from '../../domain/error.ts'
import type { Look } from '../../engine/watch.ts'
import { runDashboard, type Left, type Steering } from './dashboard.ts'
import type { Ear, Terminal } from './terminal.ts'
import { aLook, ended, runEnded, runStarted, said, working } from './test-kit.ts'

interface Held extends Terminal {
  written: string
  frames: number
  full: boolean
  ear: Ear | null
  /** Until this text was written. */
  until(text: string): Promise<void>
}

function aTerminal(): Held {
  const waiting: { text: string; done: () => void }[] = []
  const terminal: Held = {
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
  terminal: Held
  asked: string[]
  left: Promise<Left>
}

function going(looks: (Look | Error)[], steering: Partial<Steering> = {}): Going {
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
        return look ?? aLook({})
      },
      hear: () => {},
    },
    past: { iterations: async () => [], detail: async () => null },
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

const RUN = aLook({ rows: [runStarted(), ...working(1)], words: [said('hello there')] })
const QUIET = aLook({})

test('shows the run and leaves when asked to', async () => {
  const { terminal, left } = going([RUN, QUIET])
  await terminal.until('hello there')
  terminal.ear?.input('q')
  await terminal.until('Detach (d)')
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
  const { terminal, left } = going([RUN, aLook({ words: [said('later words')] }), QUIET])
  await terminal.until('hello there')
  terminal.full = true
  const before = terminal.frames
  terminal.ear?.input('?')
  await new Promise((resolve) => setImmediate(resolve))
  expect(terminal.frames).toBe(before)
  terminal.full = false
  await terminal.until('any key closes this')
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
    aLook({ rows: [runStarted(), ...working(1), ended(), runEnded(outcome)], servedBy: null }),
    QUIET,
  ])
  await terminal.until('PROVEN DONE')
  terminal.ear?.input('q')
  expect((await left).view?.outcome).toEqual(outcome)
})
