/** What the vendors' real programs do over the protocol beyond one prompt: several turns in one conversation, and questions to a person. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/core/calls/agent-io.ts'
import type { PermissionAnswer, PermissionRequest } from '../../src/core/calls/permission-request.ts'
import type { AskPerson } from '../../src/system/terminal/ask-person.ts'
import { ACP_VENDORS, type AcpVendor } from './acp-vendors.ts'
import { openVendorFixture, skipReason, type VendorFixture } from './vendor-fixture.ts'
import { claudeAcp, codexAcp, qwen } from './vendors.ts'

function staged(vendor: AcpVendor, tests: (stage: () => VendorFixture) => void): void {
  const missing = skipReason(vendor)
  describe.skipIf(missing !== null)(missing ?? vendor.agent, () => {
    let stage: VendorFixture
    beforeAll(async () => void (stage = await openVendorFixture(vendor)))
    afterAll(() => stage.close())
    tests(() => stage)
  })
}

/** All it said in its own words. */
function said(events: AgentEvent[]): string {
  return events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')
}

describe('a conversation of three turns', () => {
  for (const vendor of [claudeAcp, codexAcp, qwen, ...ACP_VENDORS])
    staged(vendor, (stage) => {
      test('is resumed twice, and nothing of what was said before is heard again', async () => {
        const project = await stage().project()
        const words = ['First <task-done>t-1</task-done>.', 'Second <journal>old</journal>.', 'Third.']
        let resume: string | null = null
        for (const [n, text] of words.entries()) {
          if (resume !== null) (vendor as AcpVendor).later?.(resume)
          const { reply, events } = await stage().ask({
            project,
            prompt: `Question ${n + 1}?`,
            turns: [{ text }],
            request: resume === null ? {} : { resume },
          })
          expect(reply).toMatchObject({ end: 'success', failure: null, lastMessage: text })
          expect(said(events)).toBe(text)
          if (resume !== null) expect(reply.conversation).toBe(resume)
          resume = reply.conversation
        }
        // The model was told all of it.
        const [asked] = stage().model.asked
        for (const told of ['Question 1?', 'First', 'Question 2?', 'Second', 'Question 3?'])
          expect(asked?.body).toContain(told)
        expect(await stage().living()).toEqual([])
      })
    })
})

/** OpenCode asks where its settings say so. */
const asking: AcpVendor[] = ACP_VENDORS.map((vendor) => ({
  ...vendor,
  home: (url) =>
    Object.fromEntries(
      Object.entries(vendor.home(url)).map(([file, text]) => [
        file,
        file.endsWith('opencode.json') ? withAsking(text) : text,
      ]),
    ),
}))

function withAsking(settings: string): string {
  const parsed = JSON.parse(settings) as object
  return JSON.stringify({ ...parsed, permission: { bash: 'ask', edit: 'ask' } })
}

describe('a person is asked', () => {
  for (const vendor of [claudeAcp, qwen, ...asking])
    staged(vendor, (stage) => {
      function person(...answers: PermissionAnswer[]): { askPerson: AskPerson; asked: PermissionRequest[] } {
        const asked: PermissionRequest[] = []
        const askPerson: AskPerson = (wanted) => {
          asked.push(wanted)
          return Promise.resolve(answers.shift() ?? 'no')
        }
        return { askPerson, asked }
      }
      const request = { permission: 'ask', tools: ['Read'] }

      test('about a file and a command, and both are done when allowed', async () => {
        const project = await stage().project()
        const { askPerson, asked } = person('once', 'always')
        const turns = [
          { text: 'I write.', write: { path: 'a.txt', content: 'one\n' } },
          { text: 'I run.', shell: 'mkdir made' },
          { text: 'Done.' },
        ]
        const { reply, events } = await stage().ask({ project, turns, request, askPerson })
        expect(reply).toMatchObject({ end: 'success', failure: null, denials: [] })
        expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('one\n')
        expect(existsSync(join(project, 'made'))).toBe(true)
        expect(asked.map(({ agent, command }) => [agent, command?.includes('mkdir made') ?? null])).toEqual([
          [vendor.agent, null],
          [vendor.agent, true],
        ])
        const remarks = events.flatMap((event) => (event.type === 'remark' ? [event.text] : []))
        expect(remarks.filter((text) => text.startsWith('a person allowed it'))).toHaveLength(2)
      })

      test('and a no keeps it from being done', async () => {
        const project = await stage().project()
        const { askPerson, asked } = person('no')
        const turns = [{ text: 'I run.', shell: 'mkdir made' }, { text: 'Then not.' }]
        const { reply } = await stage().ask({ project, turns, request, askPerson })
        expect(reply).toMatchObject({ end: 'success', denials: [{}] })
        expect(asked).toHaveLength(1)
        expect(existsSync(join(project, 'made'))).toBe(false)
      })
    })
})
