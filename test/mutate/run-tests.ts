/**
 * Plays test files in this very process, as often as needed and each time from nothing: a file is bundled and compiled once with all its
 * faults in it, and evaluated anew for each. `describe` and `test` are stand-ins, `expect` is the real one.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { Script } from 'node:vm'
import * as fastCheck from 'fast-check'
import { expect } from 'vitest'
import type { Millis } from '../../src/core/ids.ts'
import { MUTANT_SWITCH } from './mutants.ts'

export interface TestRunResult {
  tests: number
  /** The first test that failed; null: all passed. */
  failed: string | null
}

/** A test as it is without any fault: whom it meets, and how much of the processor it takes. */
export interface TestBaseline {
  ids: Set<number>
  ms: Millis
}

export interface TestFile {
  name: string
  /** Evaluates the file and plays those of its tests, in this order. `ask` is what the faults ask; each test has its own limit. */
  play(tests: readonly number[], ask: (id: number) => boolean, limits: Limits): TestRunResult
  /** Whom the file meets while it is read and in each of its tests. */
  meets(): { read: TestBaseline; tests: TestBaseline[] }
}

export interface Limits {
  read: Millis
  tests: readonly Millis[]
}

interface Test {
  name: string
  run: () => unknown
}

// Always the same few examples, and a failing one is not made smaller: only that it fails is of interest.
fastCheck.configureGlobal({ seed: 1, numRuns: 30, endOnFailure: true })

const GO = new Script('globalThis.__go()')

export function openTestFile(name: string, bundle: string): TestFile {
  const source = readFileSync(bundle, 'utf8')
  const wrapper = new Script(`(function (require, __dirname, ${MUTANT_SWITCH}) {${source}\n})`, {
    filename: bundle,
  })
  const requireFrom = createRequire(bundle)

  function read(ask: (id: number) => boolean): Test[] {
    const { tests, api } = standIn()
    const module = wrapper.runInThisContext() as (...given: unknown[]) => void
    const given: Record<string, unknown> = { vitest: api, 'fast-check': fastCheck }
    module((id: string) => given[id] ?? requireFrom(id), dirname(resolve(name)), ask)
    return tests
  }

  return {
    name,
    play(wanted, ask, limits) {
      let tests: Test[] = []
      let at = 'while it was read'
      try {
        within(limits.read, () => (tests = read(ask)))
        for (const i of wanted) {
          const test = tests[i]
          if (test === undefined) continue
          at = test.name
          within(limits.tests[i] ?? limits.read, () => run(test))
        }
      } catch (error) {
        const said = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
        return { tests: tests.length, failed: `${at}: ${said}` }
      }
      return { tests: tests.length, failed: null }
    },
    meets() {
      let met = new Set<number>()
      const ask = (id: number): boolean => {
        met.add(id)
        return false
      }
      const measured = (work: () => void): TestBaseline => {
        met = new Set()
        const before = process.cpuUsage()
        work()
        const { user, system } = process.cpuUsage(before)
        return { ids: met, ms: (user + system) / 1_000 }
      }
      let found: Test[] = []
      const reading = measured(() => (found = read(ask)))
      return { read: reading, tests: found.map((test) => measured(() => run(test))) }
    },
  }
}

function run(test: Test): void {
  if (test.run() instanceof Promise) throw new Error(`${test.name} is asynchronous, and the core is not`)
}

/** A fault may make a loop endless; that is noticed, too. */
function within(ms: number, work: () => void): void {
  Object.assign(globalThis, { __go: work })
  try {
    GO.runInThisContext({ timeout: ms })
  } catch (error) {
    throw isTimeout(error) ? new TookTooLong() : error
  }
}

class TookTooLong extends Error {
  constructor() {
    super('it takes for ever')
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}

type Body = (...args: unknown[]) => unknown

/** As much of vitest as the tests of pure code use. */
function standIn(): { tests: Test[]; api: unknown } {
  const tests: Test[] = []
  const path: string[] = []
  const describe = (name: string, body: Body, ...args: unknown[]): void => {
    path.push(name)
    body(...args)
    path.pop()
  }
  const test = (name: string, body: Body, ...args: unknown[]): void => {
    // What waits for something cannot be played in one go.
    if (body.constructor.name === 'AsyncFunction') return
    tests.push({ name: [...path, name].join(' › '), run: () => body(...args) })
  }
  const each = (one: typeof test) => (rows: readonly unknown[]) => (name: string, body: Body) => {
    for (const [i, row] of rows.entries())
      one(`${name} [${i}]`, body, ...(Array.isArray(row) ? (row as unknown[]) : [row]))
  }
  const api = {
    expect,
    describe: Object.assign(describe, { each: each(describe) }),
    test: Object.assign(test, { each: each(test) }),
  }
  return { tests, api }
}
