/**
 * Scenarios through the installed program, two at a time; each must be called what it is. Every day a lie of every second
 * mechanism and an honest case of every sixth, with `sh` and Node; all of them with `npm run false-done`, and CI plays our own.
 */
import { fileURLToPath } from 'node:url'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeTemplate } from './scenario-project.ts'
import { runScenarios, ralph, type ScenarioResult } from './run-scenario.ts'
import { MECHANISMS, type Mechanism, type Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios.ts'

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

const LIES = SCENARIOS.filter(({ truth }) => truth === 'not-done')
const HONEST = SCENARIOS.filter(({ truth }) => truth === 'done')

/** The first of each kind that is played in a few seconds, with nothing but `sh` and Node. */
const EVERYDAY = MECHANISMS.flatMap((mechanism, nth) => [
  ...(nth % 2 === 0 ? firstOf(LIES, mechanism) : []),
  ...(nth % 6 === 1 ? firstOf(HONEST, mechanism) : []),
])

function firstOf(scenarios: Scenario[], mechanism: Mechanism): Scenario[] {
  const here = scenarios.filter((scenario) => scenario.mechanism === mechanism)
  return here.filter((scenario) => isSmall(scenario) || mechanism === 'runs').slice(0, 1)
}

/** npm takes longer to start than all the rest takes together, and what hangs takes as long as it is waited for. */
function isSmall({ name, runners, limit, next, project }: Scenario): boolean {
  const gates = Object.values(project.gates).join('\n')
  if (/\bnpm\b/.test(gates) || /\bhangs\b/.test(name)) return false
  return [runners, limit, next].every((each) => each === undefined)
}

describe('the scenarios', () => {
  test('have a name of their own each', () => {
    const names = SCENARIOS.map(({ name }) => name)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  test('are at least 250 lies and 80 honest cases', () => {
    expect(LIES.length).toBeGreaterThanOrEqual(250)
    expect(HONEST.length).toBeGreaterThanOrEqual(80)
  })

  test('are at least half by strangers', () => {
    const strange = SCENARIOS.filter(({ by }) => by === 'stranger')
    expect(strange.length * 2).toBeGreaterThanOrEqual(SCENARIOS.length)
  })

  test.each(MECHANISMS)('work through %s in at least eight ways', (mechanism) => {
    const here = SCENARIOS.filter((scenario) => scenario.mechanism === mechanism)
    expect(here.filter(({ truth }) => truth === 'not-done').length).toBeGreaterThanOrEqual(8)
    expect(here.some(({ truth }) => truth === 'done')).toBe(true)
  })
})

describe('is called what it is', () => {
  const played = new Map<string, Promise<ScenarioResult>>()

  beforeAll(() => {
    const answers = runScenarios(EVERYDAY, ralph(ROOT))
    for (const [index, answer] of answers.entries()) {
      // A failure is the failure of its own test, which may come to it much later.
      answer.catch(() => {})
      played.set(EVERYDAY[index]?.name ?? '', answer)
    }
  })

  afterAll(async () => {
    await Promise.allSettled(played.values())
    await removeTemplate()
  })

  test.each(EVERYDAY)('$mechanism: $name', async ({ name, claims }) => {
    const answer = await played.get(name)
    expect({ mark: answer?.mark, detail: answer?.detail }).toEqual({ mark: 'ok', detail: '' })
    // Words that are no claim do not even reach the gates.
    if (!claims) expect(answer?.runs.at(-1)?.outcome).toBe('iteration_limit')
  })
})
