/** Programs that Ralph starts by a driver of its own speak the protocol as well: one conversation with each. */
import { readdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git, openStage, whyNot, type Stage } from './stage.ts'
import { copilot, gemini, opencode, type Vendor } from './vendors.ts'

interface Speaker extends Vendor {
  /** What time does between two iterations that matters to it. */
  later?: (conversation: string) => void
}

const SPEAKERS: Speaker[] = [
  { ...gemini, agent: 'acp:gemini --acp', later: asIfBegunEarlier },
  { ...opencode, agent: 'acp:opencode acp' },
  { ...copilot, agent: 'acp:copilot --acp' },
]

/** Gemini keeps a conversation under the minute of its beginning. Taken up in that very minute, it writes an empty one over it first
 *  and then finds nothing; what was begun in an earlier minute is taken up. */
function asIfBegunEarlier(conversation: string): void {
  const folder = join(process.env['HOME'] ?? '', '.gemini', 'tmp')
  const ending = `-${conversation.slice(0, 8)}.jsonl`
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (file.endsWith(ending))
      renameSync(join(folder, file), join(folder, dirname(file), `session-2026-01-01T00-00${ending}`))
}

describe.each(SPEAKERS)('$agent', ({ later, ...vendor }) => {
  const missing = whyNot(vendor)
  let stage: Stage
  beforeAll(async () => void (missing ?? (stage = await openStage(vendor))))
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
      expect(first.reply).toMatchObject({ end: 'success', failure: null, denials: [], lastWords: 'Noted.' })
      expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('one\n')
      expect(await git(project, 'log', '--format=%s')).toBe('scripted\nfirst')
      const resume = first.reply.conversation ?? ''
      later?.(resume)
      const turns = [{ text: 'That one.' }]
      const second = await stage.ask({ project, prompt: 'Which word?', turns, request: { resume } })
      expect(second.reply).toMatchObject({ end: 'success', conversation: resume, lastWords: 'That one.' })
      expect(stage.model.asked[0]?.body).toContain('abracadabra')
      expect(await stage.living()).toEqual([])
    },
  )
})
