import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { sample } from '../../../test/agents/samples/samples.ts'
import { resolveSettings } from '../../config/resolve.ts'
import { inspectPlan, inspectReply, evaluateReplyExits, type InspectReplyOptions } from './inspect.ts'

const folder = mkdtempSync(join(tmpdir(), 'ralph-inspect-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

const BY_SHAPE: InspectReplyOptions = { agent: null, text: false, custom: {} }
const DONE = '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---\n'
const NOT_YET = '---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---\n'

describe('reply', () => {
  test('without an agent the shape of the file decides, and in plain text the words count', async () => {
    const plain = await inspectReply(file('plain.txt', 'All tasks are complete. Project complete. Done.'), BY_SHAPE)
    expect([plain.read, plain.mode, plain.signals.from]).toEqual([
      { as: 'claude', by: 'shape', shape: 'text' },
      'text',
      'words',
    ])
    const json = await inspectReply(
      file('object.json', JSON.stringify({ type: 'result', result: 'All done.' })),
      BY_SHAPE,
    )
    expect([json.read, json.mode, json.signals.from]).toEqual([
      { as: 'claude', by: 'shape', shape: 'cli-object' },
      'json',
      'none',
    ])
  })

  test.each([
    ['claude/ok.stdout', 'claude', 'stream-json'],
    ['codex/write.stdout', 'codex', 'lines'],
    ['gemini/ok.stdout', 'gemini', 'lines'],
    ['opencode/ok.stdout', 'opencode', 'lines'],
    ['copilot/ok.stdout', 'copilot', 'lines'],
  ])('whose output %s is, its first lines tell', async (name, as, shape) => {
    const { read, reply } = await inspectReply(file('sample', sample(name)), BY_SHAPE)
    expect([read, reply.end, reply.conversation === null]).toEqual([{ as, by: 'shape', shape }, 'success', false])
  })

  test('text mode weighs the words inside a document as well', async () => {
    const path = file('words.json', JSON.stringify({ type: 'result', result: 'All done.' }))
    const { mode, signals } = await inspectReply(path, { ...BY_SHAPE, text: true })
    expect([mode, signals.from]).toEqual(['text', 'words'])
  })

  test('with an agent its driver reads line by line, and what went to stderr counts', async () => {
    const path = file('agent.log', `${JSON.stringify({ said: 'half' })}\nnonsense\n`)
    writeFileSync(`${path}.err`, 'a warning\n')
    const mine = { command: ['mine'], output: 'jsonl' as const, fields: { text: 'said' }, env: {} }
    const { read, reply } = await inspectReply(path, { agent: 'mine', text: false, custom: { mine } })
    expect([read.as, read.by, reply.lastMessage, reply.remarks]).toEqual(['mine', 'agent', 'half', 2])
  })

  test('a file that is not there, or a folder, is said so', async () => {
    await expect(inspectReply(join(folder, 'nowhere.log'), BY_SHAPE)).rejects.toThrow(
      `there is no file ${join(folder, 'nowhere.log')}`,
    )
    await expect(inspectReply(folder, BY_SHAPE)).rejects.toThrow('it is a folder, not a file')
  })

  test('an agent nobody knows is refused with what was meant', async () => {
    const path = file('any.log', '')
    await expect(inspectReply(path, { ...BY_SHAPE, agent: 'cluade' })).rejects.toThrow('unknown agent "cluade"')
  })
})

test('signals: without gates two exit signals in a row end the loop, and a false one begins anew', async () => {
  const settings = await resolveSettings({ root: folder, flags: {}, env: {}, home: folder })
  const [done, notYet] = [file('done.txt', DONE), file('not-yet.txt', NOT_YET)]
  const decided = await evaluateReplyExits([done, notYet, done, done], BY_SHAPE, settings.rules())
  expect(decided.map(({ exitCounts, exit }) => [exitCounts.indicators, exit?.is ?? null])).toEqual([
    [1, null],
    [0, null],
    [1, null],
    [2, 'project_complete'],
  ])
})

describe('plan', () => {
  const loop = { plan: 'plan.md', optionalSections: ['Later'] }

  async function planOf(more: object): Promise<ReturnType<typeof inspectPlan>> {
    const settings = await resolveSettings({ root: folder, flags: {}, env: {}, home: folder })
    return inspectPlan(folder, { ...settings.rules().loop, ...loop, ...more })
  }

  test('boxes are listed with their lines from 1, optional ones are not counted', async () => {
    file('plan.md', '# Plan\n- [x] first\n- [ ] second\n## Later\n- [ ] third\n')
    expect(await planOf({})).toEqual({
      file: 'plan.md',
      open: 1,
      done: 1,
      next: 'second',
      items: [
        { text: 'first', done: true, optional: false, line: 2 },
        { text: 'second', done: false, optional: false, line: 3 },
        { text: 'third', done: false, optional: true, line: 5 },
      ],
    })
  })

  test('a plan that is not there, or not wanted, is said so', async () => {
    await expect(planOf({ plan: 'nowhere.md' })).rejects.toThrow(`nowhere.md is missing in ${folder}`)
    await expect(planOf({ plan: null })).rejects.toThrow('loop.plan is "none"')
  })
})
