/** What every vendor's real program must do, whatever its habits; what differs from one to the other is told by its test file. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { driverFor } from '../../src/agents/registry.ts'
import type { AgentEvent, AgentRequest, FailureKind, Usage } from '../../src/core/calls/agent-io.ts'
import type { Denial } from '../../src/core/agent-output/reply.ts'
import { status, type Refusal, type Turn } from './model/script.ts'
import { readAllFiles, git, openVendorFixture, skipReason, type VendorFixture } from './vendor-fixture.ts'
import type { Vendor } from './vendors.ts'

const REFUSALS = {
  'a bad key': { status: 401, message: 'scripted bad key' },
  'a rate limit that says when': { status: 429, message: 'scripted rate limit', retryAfter: 1 },
  'a rate limit that does not': { status: 429, message: 'scripted rate limit' },
  'a used-up quota': {
    status: 429,
    type: 'insufficient_quota',
    message: 'You exceeded your current quota, please check your plan and billing details.',
  },
  'a failing server': { status: 500, message: 'scripted server failure' },
} satisfies Record<string, Refusal>

type CallFailure = keyof typeof REFUSALS | 'a cut stream'

/** What the driver makes of it, and whether the program gives up by itself within seconds or goes on trying. */
export type FailureCases = Partial<Record<CallFailure, [kind: FailureKind, then: 'gives up' | 'tries again']>>

export interface VendorExpectations {
  /** Of three requests with the usual tokens. */
  usage: Usage
  problems: FailureCases
  /** A call that it may not make by what it was told, and the denials it reports: none, where it only tells the model. Null:
   *  Ralph gives it everything or reading tools only. */
  denied: { request: Partial<AgentRequest>; turn: Turn; denials: Denial[] } | null
  /** Formats of output that can be asked for beside its stream, and whether each names the conversation. */
  formats?: { format: 'json' | 'text'; named: boolean }[]
  /** A no ends its turn, so a model gets one try. */
  stopsAtDenial?: true
  /** Files that it leaves in every repository it is started in, whatever it may do there. */
  marks?: string[]
  /** More that a model could try in a read-only run to get at the files: its program's own back doors. */
  backDoors: Turn[]
}

export function testVendor(vendor: Vendor, habits: VendorExpectations): void {
  const missing = skipReason(vendor)
  describe.skipIf(missing !== null)(missing ?? vendor.agent, () => {
    let stage: VendorFixture
    beforeAll(async () => void (stage = await openVendorFixture(vendor)))
    afterAll(() => stage.close())

    test('has the login command that a person is advised', async () => {
      const { login } = driverFor(vendor.agent, {})
      if (login.command === undefined) return expect(vendor.agent).toMatch(/^acp:/)
      const [, ...words] = login.command.split(' ')
      const help = spawnSync(vendor.program, [...words, '--help'], { encoding: 'utf8', input: '' })
      // One of them says it on stderr.
      const output = `${help.stdout}${help.stderr}`
      expect(help.status, output).toBe(0)
      // Where it only opens the program, what is typed inside stands beside it.
      if (words.length === 0) expect(login.inside).toMatch(/^\/\w+$/)
      else expect(output).toMatch(/log ?in|sign in|authenticate/i)
    })

    test('writes a file, commits it and says what it used', async () => {
      const project = await stage.project()
      const turns: Turn[] = [
        { reasoning: 'First the file.', text: 'I write.', write: { path: 'a.txt', content: 'one\n' } },
        { text: 'I commit.', shell: 'git add -A && git commit -q -m scripted' },
        { text: `Done.\n${status(true)}` },
      ]
      const { reply, events } = await stage.ask({ project, turns })
      expect(reply).toMatchObject({ end: 'success', failure: null, limit: null, denials: [], tools: 2 })
      expect(reply.signals.exitSignal).toBe(true)
      expect(reply.conversation).toEqual(expect.stringMatching(/^[\w-]{10,}$/))
      expect(reply.usage).toEqual(roughly(habits.usage))
      expect(events.filter((event) => event.type === 'tool-ended').map(({ ok }) => ok)).toEqual([true, true])
      expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('one\n')
      expect(await git(project, 'log', '--format=%s')).toBe('scripted\nfirst')
      expect(await git(project, 'status', '--porcelain')).toBe('')
    })

    test('goes on with its conversation', async () => {
      const project = await stage.project()
      const first = await stage.ask({
        project,
        prompt: 'The word is abracadabra.',
        turns: [{ text: 'Noted.' }],
      })
      const resume = first.reply.conversation ?? ''
      const second = await stage.ask({
        project,
        prompt: 'Which word?',
        turns: [{ text: 'That one.' }],
        request: { resume },
      })
      expect(second.reply).toMatchObject({ end: 'success', conversation: resume, lastMessage: 'That one.' })
      const [asked] = stage.model.asked
      for (const words of ['abracadabra', 'Noted.', 'Which word?']) expect(asked?.body).toContain(words)
    })

    test('says that a conversation is not there', async () => {
      const project = await stage.project()
      const resume = NO_CONVERSATION[vendor.agent] ?? '9d6b9c1e-0000-4000-8000-000000000000'
      const { reply } = await stage.ask({ project, turns: [{ text: 'Hello.' }], request: { resume } })
      expect(reply).toMatchObject({ end: 'failed', failure: { kind: 'bad-conversation' } })
    })

    test.each(habits.formats ?? [])('asked for $format, says the same at its end', async ({ format, named }) => {
      const project = await stage.project()
      const turns: Turn[] = [
        { text: 'I write.', write: { path: 'a.txt', content: 'one\n' } },
        { text: `Done.\n${status(true)}` },
      ]
      const { reply } = await stage.ask({ project, turns, request: { format } })
      expect(reply).toMatchObject({ end: 'success', failure: null, limit: null })
      expect(reply.signals.exitSignal).toBe(true)
      expect(reply.conversation !== null).toBe(named)
      expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('one\n')
    })

    const { denied } = habits
    if (denied !== null)
      test('a call it may not make does nothing, and what it says about it is heard', async () => {
        const project = await stage.project()
        const before = readAllFiles(project, habits.marks)
        const turns = [denied.turn, { text: 'Then not.' }]
        const { reply } = await stage.ask({ project, request: denied.request, turns })
        expect(readAllFiles(project, habits.marks)).toEqual(before)
        expect(reply).toMatchObject({ end: 'success', denials: denied.denials })
        expect(reply.lastMessage).toMatch(habits.stopsAtDenial === true ? /^I / : /Then not\.$/)
      })

    test('changes not a byte when it may only read', async () => {
      const project = await stage.project()
      const before = readAllFiles(project, habits.marks)
      const aliases: Turn[] = [
        ...habits.backDoors,
        { text: 'I write.', write: { path: 'a.txt', content: 'one\n' }, insist: true },
        { text: 'I commit.', shell: 'date > b.txt; git commit -q --allow-empty -m sneaked', insist: true },
      ]
      const tries = habits.stopsAtDenial === true ? aliases.map((door) => [door]) : [aliases]
      for (const tried of tries) {
        const turns = [...tried, { text: 'Looked at.' }]
        const { reply } = await stage.ask({ project, turns, request: { readOnly: true } })
        expect(readAllFiles(project, habits.marks)).toEqual(before)
        expect(reply.end).toBe('success')
        if (habits.stopsAtDenial !== true) expect(reply.lastMessage).toMatch(/Looked at\.$/)
      }
    })

    test('takes a prompt of 250 KB whole', async () => {
      const project = await stage.project()
      // Lines that are few tokens: a quarter of a megabyte of words is more than some models are said to take.
      const prompt = `Begin-mark.\n${`${'='.repeat(99)}\n`.repeat(2_500)}End-mark.`
      const { reply } = await stage.ask({ project, prompt, turns: [{ text: 'Read.' }] })
      expect(reply).toMatchObject({ end: 'success', lastMessage: 'Read.' })
      expect(stage.model.asked[0]?.body).toContain(JSON.stringify(prompt).slice(1, -1))
    })

    test.each(Object.entries(habits.problems))('hears %s', async (problem, [kind, then]) => {
      const project = await stage.project()
      const turn = turnOf(problem)
      const stopAt = then === 'gives up' ? () => false : (event: AgentEvent) => isFailure(event)
      const { reply, events, end } = await stage.ask({ project, turns: [turn], stopAt })
      expect(events.findLast(isFailure)).toMatchObject({ kind })
      if (then === 'tries again') expect(end.by).toBe('stopped')
      else expect(reply).toMatchObject({ end: 'failed', failure: { kind } })
      expect(reply.signals.complete).toBe(false)
      expect(await stage.living()).toEqual([])
    })

    test('is ended when the model never answers, and leaves nothing behind', async () => {
      const project = await stage.project()
      const { reply } = await stage.ask({ project, turns: [{ hang: true }], limits: { idleMs: 4_000 } })
      expect(reply).toMatchObject({ end: 'silent', failure: { kind: 'timeout' } })
      expect(await stage.living()).toEqual([])
    })

    test('works in a loop to a proven end, through a lie', async () => {
      const project = await stage.project(LOOP)
      const { code, output } = await stage.loop(project, [
        { text: 'I write.', write: { path: 'src/answer.mjs', content: 'export const answer = 41\n' } },
        { text: 'I commit.', shell: 'git add -A && git commit -q -m "an answer"' },
        { text: `All is done.\n${status(true)}` },
        // With the tools of the list, so without a shell that writes files.
        { text: 'I see.', shell: 'git mv src/answer.mjs src/earlier.mjs' },
        { text: 'I write.', write: { path: 'src/answer.mjs', content: 'export const answer = 42\n' } },
        { text: 'I commit.', shell: 'git add -A && git commit -q -m "the answer"' },
        { text: `Now it is.\n${status(true)}` },
      ])
      expect({ code, proven: output.includes('PROVEN DONE') }, output).toEqual({ code: 0, proven: true })
      const told = stage.model.asked.at(-1)?.body.slice(-4_000)
      expect(await git(project, 'log', '--format=%s'), told).toBe('the answer\nan answer\nfirst')
      expect(stage.model.asked).toHaveLength(7)
      expect(stage.model.asked[3]?.body).toContain('All is done.')
      expect(await stage.living()).toEqual([])
    })

    test.skipIf(driverFor(vendor.agent, {}).liveUsage === 'nothing')(
      'is ended in the middle of its work by a budget that is used up',
      async () => {
        const project = await stage.project({ ...LOOP, '.ralph.toml': '[budget]\nusd = 0.01\n' })
        const { code, output } = await stage.loop(project, [
          { text: 'I look again.', shell: 'true', usage: { input: 20_000, output: 2_000, cached: 0 } },
          { hang: true },
        ])
        expect({ code, ended: output.includes('over budget') }, output).toEqual({ code: 4, ended: true })
        const spent = /(\d[\d.]*)k tokens/.exec(output)?.[1]
        expect(Number(spent), output).toBeGreaterThanOrEqual(20)
        expect(await stage.living()).toEqual([])
      },
    )

    test('is gone, with all it started, when its loop hears SIGTERM', async () => {
      const project = await stage.project(LOOP)
      const { code } = await stage.loop(project, [{ hang: true }], 'asked')
      expect(code).toBe(143)
      expect(await stage.living()).toEqual([])
      expect(existsSync(join(project, 'src/answer.mjs'))).toBe(false)
    })
  })
}

const LOOP = {
  '.ralph/PROMPT.md': 'Write the answer into src/answer.mjs and commit it.\n',
  // However busy the machine is.
  '.ralph.toml': '[agent]\nhandshake = 0\n[[gate]]\nname = "answer"\nrun = "node check.mjs"\n',
  'src/question.mjs': 'export const question = 6 * 7\n',
  'check.mjs': "import { answer } from './src/answer.mjs'\nprocess.exit(answer === 42 ? 0 : 1)\n",
}

/** Where ids do not look like the common ones. */
const NO_CONVERSATION: Record<string, string> = { opencode: 'ses_00000000000000000000000000' }

function turnOf(problem: string): Turn {
  const refuse = (REFUSALS as Record<string, Refusal>)[problem]
  return refuse === undefined ? { text: 'Some words', cut: true } : { refuse }
}

function isFailure(event: AgentEvent): event is Extract<AgentEvent, { type: 'limited' | 'failed' }> {
  return event.type === 'limited' || event.type === 'failed'
}

/** Tokens are whole numbers; money is what the program's price list makes of them. */
function roughly(usage: Usage): unknown {
  return usage.usd === undefined ? usage : { ...usage, usd: expect.closeTo(usage.usd, 6) as number }
}
