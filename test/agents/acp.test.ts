/** Programs that Ralph starts by a driver of its own speak the protocol as well: one conversation with each. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { git, openStage, whyNot } from './stage.ts'
import { copilot, gemini, opencode, type Vendor } from './vendors.ts'

interface Speaker extends Vendor {
  /** False: it cannot take up the session of a process that is gone, and says so. */
  resumes: boolean
}

const SPEAKERS: Speaker[] = [
  { ...gemini, agent: 'acp:gemini --acp', resumes: false },
  { ...opencode, agent: 'acp:opencode acp', resumes: true },
  { ...copilot, agent: 'acp:copilot --acp', resumes: true },
]

describe.each(SPEAKERS)('$agent', ({ resumes, ...vendor }) => {
  const missing = whyNot(vendor)
  test.skipIf(missing !== null)(
    missing ?? 'writes, commits, goes on with its conversation or says why not, and leaves nothing behind',
    async () => {
      const stage = await openStage(vendor)
      try {
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
        expect(first.reply).toMatchObject({ end: 'success', failure: null, denials: [], lastWords: 'Noted.' })
        expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('one\n')
        expect(await git(project, 'log', '--format=%s')).toBe('scripted\nfirst')
        const resume = first.reply.conversation ?? ''
        const turns = [{ text: 'That one.' }]
        const second = await stage.ask({ project, prompt: 'Which word?', turns, request: { resume } })
        if (resumes) {
          expect(second.reply).toMatchObject({ end: 'success', conversation: resume, lastWords: 'That one.' })
          expect(stage.model.asked[0]?.body).toContain('abracadabra')
        } else {
          const failure = { kind: 'bad-conversation' }
          expect(second.reply).toMatchObject({ end: 'failed', failure })
          expect(stage.model.asked).toEqual([])
        }
        expect(await stage.living()).toEqual([])
      } finally {
        await stage.close()
      }
    },
  )
})
