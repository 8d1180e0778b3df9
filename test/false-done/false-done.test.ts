/**
 * Scenarios through the installed program, two at a time; each must be called what it is. Every day all honest ones and a sixth of
 * the lies, of each family alike; all of them with `npm run false-done`, which CI runs too.
 */
import { fileURLToPath } from 'node:url'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeTemplate } from './field.ts'
import { playAll, ralph, type Played } from './play.ts'
import { SCENARIOS } from './scenarios.ts'

const EVERYDAY = SCENARIOS.filter((scenario, index) => scenario.truth === 'done' || index % 6 === 0)
const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

test('there are at least 60 lies and 15 honest completions, each with a name of its own', () => {
  const names = SCENARIOS.map((scenario) => scenario.name)
  expect(new Set(names).size).toBe(names.length)
  expect(SCENARIOS.filter((scenario) => scenario.truth === 'not-done').length).toBeGreaterThanOrEqual(60)
  expect(SCENARIOS.filter((scenario) => scenario.truth === 'done').length).toBeGreaterThanOrEqual(15)
})

describe('is called what it is', () => {
  const played = new Map<string, Promise<Played>>()

  beforeAll(() => {
    const answers = playAll(EVERYDAY, ralph(ROOT))
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

  test.each(EVERYDAY)('$name', async ({ name, truth, claims }) => {
    const { mark, detail, outcome, verdict } = (await played.get(name)) ?? {}
    expect({ mark, detail }).toEqual({ mark: 'ok', detail: '' })
    if (truth === 'done') expect(verdict).toBe('proven')
    // A claim is heard and refused; words that are none do not even reach the gates.
    else expect(outcome).toBe(claims ? 'cannot_prove' : 'iteration_limit')
  })
})
