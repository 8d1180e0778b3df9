/** Programs that Ralph starts by a driver of its own speak the protocol as well: one conversation with each. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACP_VENDORS } from './acp-vendors.ts'
import { git, openVendorFixture, skipReason, type VendorFixture } from './vendor-fixture.ts'

describe.each(ACP_VENDORS)('$agent', ({ later, ...vendor }) => {
  const missing = skipReason(vendor)
  let stage: VendorFixture
  beforeAll(async () => void (missing ?? (stage = await openVendorFixture(vendor))))
  afterAll(async () => missing ?? (await stage.close()))

  test.skipIf(missing !== null)(
    missing ?? 'writes, commits, goes on with its conversation, and leaves nothing behind',
    async () => {
      const project = await stage.project()
      const first = await stage.ask({
        project,
        prompt: 'The word is abracadabra.',
        turns: [
          { text: 'I write.', write: { path: 'a.txt', content: 'one\n' } },
          { text: 'I commit.', shell: 'git add -A && git commit -q -m scripted' },
          { text: 'Noted.' },
        ],
      })
      expect(first.reply).toMatchObject({ end: 'success', failure: null, denials: [], lastMessage: 'Noted.' })
      expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('one\n')
      expect(await git(project, 'log', '--format=%s')).toBe('scripted\nfirst')
      const resume = first.reply.conversation ?? ''
      later?.(resume)
      const turns = [{ text: 'That one.' }]
      const second = await stage.ask({ project, prompt: 'Which word?', turns, request: { resume } })
      expect(second.reply).toMatchObject({ end: 'success', conversation: resume, lastMessage: 'That one.' })
      expect(stage.model.asked[0]?.body).toContain('abracadabra')
      expect(await stage.living()).toEqual([])
    },
  )
})
