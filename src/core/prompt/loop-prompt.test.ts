import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withNextModelHint, buildLoopPrompt, renderPromptContext, type PromptContext } from './loop-prompt.ts'

const PROMPTS = join(import.meta.dirname, '..', '..', '..', 'assets', 'prompts')
const LOOP = readFileSync(join(PROMPTS, 'loop.md'), 'utf8')

const QUIET: PromptContext = {
  iteration: 3,
  openCheckboxes: null,
  breaker: null,
  previous: null,
  corrections: [],
  steering: [],
}
const LOUD: PromptContext = {
  iteration: 12,
  openCheckboxes: 7,
  breaker: 'The breaker is half-open: 2 iterations without progress.',
  previous: 'p'.repeat(200),
  corrections: Array.from({ length: 4 }, () => 'c'.repeat(1_300)),
  steering: Array.from({ length: 8 }, () => 's'.repeat(500)),
}

/** About four characters of English make a token. */
const tokens = (text: string): number => text.length / 4

describe('that it may ask for a model', () => {
  test('is told before everything that changes, and only where it counts', () => {
    const own = withNextModelHint(LOOP, { hints: true })
    const [one, two] = [QUIET, LOUD].map((context) => buildLoopPrompt('work', { task: 'Do it.', own }, context))
    const stable = `Do it.\n\n${own}\n\n## This iteration\n`
    expect([one?.startsWith(stable), two?.startsWith(stable)]).toEqual([true, true])
    expect([own.includes('<next-model>'), withNextModelHint(LOOP, {})]).toEqual([true, LOOP])
    expect(tokens(renderPromptContext(LOUD, own))).toBeLessThanOrEqual(900)
  })
})

describe('the text an iteration adds', () => {
  test('stays under 900 tokens, however much there is to say', () => {
    expect(tokens(renderPromptContext(QUIET, LOOP))).toBeLessThanOrEqual(900)
    expect(tokens(renderPromptContext(LOUD, LOOP))).toBeLessThanOrEqual(900)
  })

  test('begins with what never changes, so that a prompt cache keeps it', () => {
    const [one, two] = [renderPromptContext(QUIET, LOOP), renderPromptContext(LOUD, LOOP)]
    expect(one.startsWith(LOOP.trim())).toBe(true)
    expect(two.startsWith(LOOP.trim())).toBe(true)
  })

  test('says what happened, what to fix and what people said', () => {
    const context = {
      ...QUIET,
      openCheckboxes: 2,
      previous: 'Half done.',
      corrections: ['fix it'],
      steering: ['be quick'],
    }
    expect(renderPromptContext(context, 'FIXED')).toBe(
      'FIXED\n\n## This iteration\n\n- Iteration 3.\n- Open checkboxes in the plan: 2.\n- Last iteration: Half done.\n- Fix this first: fix it\n- From the person running this: be quick\n',
    )
  })
})

test('every prompt of ours is short', () => {
  for (const name of readdirSync(PROMPTS)) {
    expect(tokens(readFileSync(join(PROMPTS, name), 'utf8')), name).toBeLessThanOrEqual(900)
  }
})

test('a prompt to work begins with the task, one for an opinion with what is asked', () => {
  const texts = { task: 'Build a shop.\n\n', own: 'RULES\n' }
  expect(buildLoopPrompt('work', texts, QUIET)).toMatch(/^Build a shop\.\n\nRULES\n\n## This iteration/)
  expect(buildLoopPrompt('review', texts, QUIET)).toBe('RULES\n\n## The task as originally given\n\nBuild a shop.\n')
})
