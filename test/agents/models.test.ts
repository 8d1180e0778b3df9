/** A strategy with the vendors' real programs: which model they ask for on the wire, iteration by iteration, in one conversation. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { status } from './model/script.ts'
import { openVendorFixture, skipReason, type VendorFixture } from './vendor-fixture.ts'
import { claude, claudeAcp, codex, codexAcp, copilot, gemini, opencode, qwen, type Vendor } from './vendors.ts'

interface Case {
  vendor: Vendor
  /** What the settings say of its models; empty: its driver knows them. */
  models: string
  /** What a light, a middle and a strong one are called on the wire. */
  asked: [RegExp, RegExp, RegExp]
}

const CASES: Case[] = [
  { vendor: claude, models: '', asked: [/haiku/, /sonnet/, /opus/] },
  { vendor: codex, models: '', asked: [/^gpt-6-luna$/, /^gpt-6\.1-sol$/, /^gpt-6-astra$/] },
  { vendor: gemini, models: '', asked: [/flash-lite/, /flash(?!-lite)/, /pro/] },
  { vendor: claudeAcp, models: '', asked: [/haiku/, /sonnet/, /opus/] },
  { vendor: codexAcp, models: '', asked: [/^gpt-6-luna$/, /^gpt-6\.1-sol$/, /^gpt-6-astra$/] },
  {
    vendor: copilot,
    models: named('gpt-4.1', 'gpt-5', 'gpt-5.5'),
    asked: [/^gpt-4\.1$/, /^gpt-5$/, /^gpt-5\.5$/],
  },
  {
    vendor: opencode,
    models: named('scripted/small', 'scripted/scripted', 'scripted/large'),
    asked: [/^small$/, /^scripted$/, /^large$/],
  },
  {
    vendor: { ...qwen, home: (url) => listing(url, 'small', 'scripted', 'large') },
    models: named('small', 'scripted', 'large'),
    asked: [/^small$/, /^scripted$/, /^large$/],
  },
  // Without a list of its own it offers the one that its environment names, and works with that.
  {
    vendor: qwen,
    models: named('small', 'scripted', 'large'),
    asked: [/^scripted$/, /^scripted$/, /^scripted$/],
  },
]

function listing(url: string, ...ids: string[]): Record<string, string> {
  const [[file, text] = ['', '{}']] = Object.entries(qwen.home(url))
  const openai = ids.map((id) => ({ id, name: id, baseUrl: `${url}/v1`, envKey: 'OPENAI_API_KEY' }))
  return { [file]: JSON.stringify({ ...(JSON.parse(text) as object), modelProviders: { openai } }) }
}

const FILES = {
  '.ralph/PROMPT.md': 'Write the answer into src/answer.mjs.\n',
  'src/question.mjs': 'export const question = 6 * 7\n',
  'check.mjs': "import { answer } from './src/answer.mjs'\nprocess.exit(answer === 42 ? 0 : 1)\n",
}

describe.each(CASES)('$vendor.agent', ({ vendor, models, asked }) => {
  const missing = skipReason(vendor)
  describe.skipIf(missing !== null)(missing ?? 'is there', () => {
    let stage: VendorFixture
    beforeAll(async () => void (stage = await openVendorFixture(vendor)))
    afterAll(() => stage.close())

    test('asks for a stronger model after each refusal', async () => {
      const gate = '[[gate]]\nname = "answer"\nrun = "node check.mjs"\n'
      const settings = `[agent]\nhandshake = 0\n[retry]\noutage = 0\n[model]\nstrategy = "escalate"\n${models}${gate}`
      const project = await stage.project({ ...FILES, '.ralph.toml': settings })
      const { code, output } = await stage.loop(project, [
        { text: `All is done.\n${status(true)}` },
        { text: `It is, really.\n${status(true)}` },
        { text: `Believe me.\n${status(true)}` },
      ])
      const names = stage.model.asked.map(({ model }) => model)
      expect(names, output).toEqual(asked.map((name) => expect.stringMatching(name) as string))
      // Three completions were refused.
      expect(code).toBe(4)
      expect(output).toMatch(/model: escalate: medium .*because one attempt failed/)
      // One conversation for all of them.
      expect(stage.model.asked[1]?.body).toContain('All is done.')
    })
  })
})

function named(light: string, medium: string, strong: string): string {
  return `[models]\nlight = "${light}"\nmedium = "${medium}"\nstrong = "${strong}"\n`
}
