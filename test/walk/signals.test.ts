/** What agents tell by tags: it reaches the journal and the next prompts, and nothing that they only show or say again does. */
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { EffectOf } from '../../src/core/state/effect.ts'
import { emptyAgentReport, type AgentReport } from '../../src/core/agent-output/agent-report.ts'
import { runAgentHandler } from '../../src/engine/handlers/run-agent.ts'
import { recentNotes } from '../../src/store/journal.ts'
import { ensureFolder, writeWithoutSync } from '../../src/system/files/files.ts'
import { iterationLogFolder } from '../../src/workspace/log-folders.ts'
import { statusOf, storeOf, task, withTasks } from './task-store-kit.ts'
import { makeTestWorld, removeTestWorlds, RUN_AGENT } from './handler-world.ts'

afterAll(removeTestWorlds)

test('notes reach later tasks, slips the next visit, and a tag that is shown nobody', async () => {
  const shown = '```\n<task-done>a</task-done>\n<journal>shown</journal>\n```\n\n> <task-done>a</task-done>'
  const fixture = await withTasks(
    {
      turns: [
        [
          { do: 'say', text: '<journal>The wheel of task a is square.</journal>' },
          { do: 'think', text: '<journal>thought</journal>' },
          { do: 'tool', name: 'Read', input: {}, output: '<journal>read</journal>' },
          { do: 'write', path: 'a.txt', content: 'good\n' },
          { do: 'say', text: `I am to end so:\n\n${shown}\n\nNot yet. <knowledge title="T">x` },
        ],
        [
          { do: 'expect-prompt', matches: 'Fix this first: You did not report the result of your task' },
          { do: 'expect-prompt', matches: 'Fix this first: You did not close <knowledge>' },
          { do: 'say', text: 'Done.\n\n<task-done>a</task-done>' },
        ],
        [
          { do: 'expect-prompt', matches: 'The wheel of task a is square' },
          { do: 'write', path: 'b.txt', content: 'good\n' },
          { do: 'say', text: '<task-done>b</task-done>' },
        ],
      ],
    },
    [task('a'), task('b', { blockers: ['a'] })],
  )
  const ran = await fixture.ralph(['run'])
  expect([ran.code, fixture.starts().length], ran.stdout + ran.stderr).toEqual([0, 3])
  expect(await statusOf(fixture, 'a', 'b')).toEqual(['done', 'done'])
  const store = await storeOf(fixture)
  const notes = await recentNotes(store.sql, { run: null, limit: 9 })
  await store.close()
  expect(notes.map(({ iteration, author, task: about, text }) => [iteration, author, about, text])).toEqual([
    [1, 'claude', 'a', 'The wheel of task a is square.'],
  ])
  const log = (await fixture.ralph(['show', '--json'])).stdout
  const { entry } = JSON.parse(log) as { entry: { id: string } }
  const rows = (await fixture.ralph(['replay', entry.id, '--check'])).code
  expect(rows).toBe(0)
})

test('saves what the agent learnt as a page of the project and adds it to the prompt of a matching task', async () => {
  const learnt = '<knowledge title="Wheels" tags="wheel, shop">Round ones are better.</knowledge>'
  const fixture = await withTasks(
    {
      turns: [
        [{ do: 'say', text: learnt }],
        [
          { do: 'write', path: 'a.txt', content: 'good\n' },
          { do: 'say', text: `${learnt}\n\n<task-done>a</task-done>` },
        ],
        [
          { do: 'expect-prompt', matches: 'Ours are oak\\.\\n\\nAn agent added:\\n\\nRound ones are better' },
          { do: 'write', path: 'b.txt', content: 'good\n' },
          { do: 'say', text: '<task-done>b</task-done>' },
        ],
      ],
    },
    [task('a'), task('b', { blockers: ['a'], description: 'Make a wheel for it.' })],
  )
  await fixture.write('.ralph/knowledge/mine.md', '---\ntitle: wheels\ntags: [wood]\n---\nOurs are oak.\n')
  await fixture.write('.ralph/knowledge/akin.md', '---\ntitle: Wheels of ours\ntags: [wheel]\n---\nMine too.\n')
  const ran = await fixture.ralph(['run'])
  expect([ran.code, fixture.starts().length], ran.stdout + ran.stderr).toEqual([0, 3])
  expect(await fixture.read('.ralph/knowledge/mine.md')).toMatch(/Ours are oak\.[^]*Round ones are better\./)
  expect(await fixture.read('.ralph/knowledge/akin.md')).toContain('Mine too.')
  // The files are the person's to read, and the visit that did nothing else is told all the same.
  expect(ran.stdout).toMatch(/1 .*a · no changes[^]*saved: \.ralph\/knowledge\/mine\.md/)
  // It is nobody's work: no commit of a task has it.
  expect(await fixture.git('log', '--format=', '--name-only')).not.toContain('.ralph/knowledge')
})

describe('an iteration that was cut off', () => {
  const chunk = (text: string) =>
    JSON.stringify({
      jsonrpc: '2.0',
      method: 'session/update',
      params: {
        sessionId: 's1',
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
      },
    })

  async function toldBy(agent: string, line: string, resume: string | null): Promise<AgentReport | undefined> {
    const { world } = await makeTestWorld()
    const effect: EffectOf<'run-agent'> = { ...RUN_AGENT, agent, resume }
    const folder = iterationLogFolder(world, effect.worker, effect.iteration)
    ensureFolder(folder)
    writeWithoutSync(join(folder, 'agent.log'), `${line}\n`)
    const found = await runAgentHandler(world, { words: () => {} }).recoverAnswer(effect)
    return found.is === 'answered' && found.event.type === 'agent-ended' ? found.event.reply.told : undefined
  }

  test('tells what it told so far', async () => {
    const text = '<journal>one</journal>'
    const line = JSON.stringify({
      type: 'assistant',
      message: { id: 'm', content: [{ type: 'text', text }] },
    })
    const told = { ...emptyAgentReport(), notes: ['one'] }
    expect(await toldBy('claude', line, 's1')).toEqual(told)
    expect(await toldBy('acp:small', chunk(text), null)).toEqual(told)
  })

  test('but nothing of a session that was loaded: what was said before is told in it again', async () => {
    expect(await toldBy('acp:small', chunk('<journal>old</journal>'), 's1')).toEqual(emptyAgentReport())
  })
})
