import { describe, expect, test } from 'vitest'
import type { AgentRequest } from '../core/calls/agent-io.ts'
import { sampleRequest, eventsIn, sample } from '../../test/agents/samples/samples.ts'
import { codex } from './codex.ts'

/** Some id of the vendor's. */
const ANY = expect.any(String) as string

describe('what is started', () => {
  const before = ['codex', 'exec', '--json', '--skip-git-repo-check', '--sandbox']
  const id = '01a1e0bd-564e-7972-90d2-17afe3c4e291'
  const table: [rule: string, wishes: Partial<AgentRequest>, argv: string[]][] = [
    ['the project may be written, nothing else', {}, [...before, 'workspace-write', '-']],
    [
      'the folders git needs may be written, too',
      { extraDirs: ['/P/.git', '/M/.git/worktrees/p'] },
      [...before, 'workspace-write', '--add-dir', '/P/.git', '--add-dir', '/M/.git/worktrees/p', '-'],
    ],
    ['read-only has a sandbox of its own', { readOnly: true, extraDirs: ['/P/.git'] }, [...before, 'read-only', '-']],
    [
      'a sandbox that the user chose is passed on',
      { permission: 'danger-full-access', extraDirs: ['/P/.git'] },
      [...before, 'danger-full-access', '-'],
    ],
    ['the mode of another vendor is not', { permission: 'bypassPermissions' }, [...before, 'workspace-write', '-']],
    [
      'options stand before resume',
      { model: 'gpt-5.5', effort: 'high', resume: id },
      [...before, 'workspace-write', '-m', 'gpt-5.5', '-c', 'model_reasoning_effort="high"', 'resume', id, '-'],
    ],
    ['what is no UUID would silently start a new thread', { resume: 'mine' }, [...before, 'workspace-write', '-']],
  ]
  test.each(table)('%s', (_rule, wishes, argv) => {
    expect(codex.command(sampleRequest(wishes))).toEqual({ argv, env: {}, stdin: 'do it' })
  })

  test('system text goes in front of the prompt', () => {
    expect(codex.command(sampleRequest({ system: 'Be brief.\n' })).stdin).toBe('Be brief.\n\ndo it')
  })
})

describe('what it says', () => {
  test('a file is written and committed; usage is that of the whole thread', () => {
    expect(eventsIn(codex, 'codex/git2.stdout')).toEqual([
      { type: 'started', conversation: '01a1e0bb-82f2-7c92-88f7-09031fa9430b' },
      { type: 'text', text: 'Step one.', delta: false, message: ANY },
      { type: 'tool', id: 'item_1', name: 'edit', input: '/P/a.txt', paths: ['/P/a.txt'] },
      { type: 'tool-ended', id: 'item_1', ok: true, output: '' },
      { type: 'text', text: 'Step two.', delta: false, message: ANY },
      {
        type: 'tool',
        id: 'item_3',
        name: 'shell',
        input: 'cat a.txt && git add -A && git commit -qm scripted && echo committed',
        paths: [],
      },
      { type: 'tool-ended', id: 'item_3', ok: true, output: 'one\ncommitted\n' },
      {
        type: 'text',
        text: 'Both steps done.\n---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nTASKS_COMPLETED_THIS_LOOP: 1\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---',
        delta: false,
        message: ANY,
      },
      {
        type: 'usage',
        counts: 'conversation',
        usage: { input: 270, output: 60, cacheRead: 30, cacheWrite: 0, reasoning: 15 },
      },
      { type: 'ended', ok: true, reason: 'completed' },
    ])
  })

  test('a command that fails is a tool that fails', () => {
    expect(eventsIn(codex, 'codex/shellfail.stdout').slice(2, 4)).toEqual([
      { type: 'tool', id: 'item_1', name: 'shell', input: 'echo oops >&2; exit 3', paths: [] },
      { type: 'tool-ended', id: 'item_1', ok: false, output: 'oops\n' },
    ])
  })

  test('thoughts are apart from words', () => {
    expect(eventsIn(codex, 'codex/think-todo.stdout')[1]).toEqual({
      type: 'thought',
      text: 'I should plan first.',
    })
  })

  test('an error item is only a warning', () => {
    const events = eventsIn(codex, 'codex/home-in-tmp-unknown-model.stdout')
    expect(events[1]).toEqual({
      type: 'remark',
      text: 'Model metadata for `gpt-5.1-codex` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.',
    })
    expect(events.at(-1)).toEqual({ type: 'ended', ok: true, reason: 'completed' })
  })

  test('a reconnect is told and is not the end', () => {
    expect(eventsIn(codex, 'codex/e429-then-ok.stdout').slice(1, 3)).toEqual([
      {
        type: 'limited',
        kind: 'rate-limit',
        message: 'exceeded retry limit, last status: 429 Too Many Requests',
      },
      { type: 'text', text: 'Recovered after one refusal.', delta: false, message: ANY },
    ])
  })

  test.each([
    ['e400', 'bad-request'],
    ['e401', 'authentication'],
    ['e429', 'rate-limit'],
    ['e500', 'server'],
    ['quota', 'balance'],
    ['usage-limit', 'usage-limit'],
    ['drop', 'network'],
    ['nokey', 'authentication'],
  ])('%s ends as %s', (name, reason) => {
    expect(eventsIn(codex, `codex/${name}.stdout`).at(-1)).toEqual({ type: 'ended', ok: false, reason })
  })

  test.each([
    [`/usr/bin/zsh -lc 'echo '\\''hi'\\'''`, `echo 'hi'`],
    [String.raw`bash -c "echo \"hi\""`, 'echo "hi"'],
    ['bash -lc ls', 'ls'],
    [`sh -c 'a' b`, `sh -c 'a' b`],
    [`sh -c 'open`, `sh -c 'open`],
    ['make test', 'make test'],
  ])('the model wrote %j as %j', (command, written) => {
    const item = { id: 'i', type: 'command_execution', command, status: 'declined' }
    expect(codex.read(JSON.stringify({ type: 'item.completed', item }), 'stdout')[0]).toEqual({
      type: 'denied',
      tool: 'shell',
      command: written,
    })
  })

  test('a command that was declined is denied', () => {
    const item = { id: 'i', type: 'command_execution', command: "bash -lc 'rm x'", status: 'declined' }
    expect(codex.read(JSON.stringify({ type: 'item.completed', item }), 'stdout')).toEqual([
      { type: 'denied', tool: 'shell', command: 'rm x' },
      { type: 'tool-ended', id: 'i', ok: false, output: '' },
    ])
  })

  test('a limit in the output of a command is no limit', () => {
    const item = {
      id: 'i',
      type: 'command_execution',
      aggregated_output: 'usage limit reached',
      status: 'completed',
    }
    expect(codex.read(JSON.stringify({ type: 'item.completed', item }), 'stdout')).toEqual([
      { type: 'tool-ended', id: 'i', ok: true, output: 'usage limit reached' },
    ])
  })

  test('greetings on stderr are nothing, half a line is a remark', () => {
    expect(codex.read('Reading additional input from stdin...', 'stderr')).toEqual([])
    expect(codex.read('{"type":"turn.comp', 'stdout')).toEqual([{ type: 'remark', text: '{"type":"turn.comp' }])
  })
})

test.each([
  ['res4', 'bad-conversation'],
  ['ng', 'bad-request'],
  ['append', 'bad-request'],
])('an exit with the words of %s is %s', (name, kind) => {
  const stderrTail = sample(`codex/${name}.stderr`)
  expect(codex.exited?.({ code: 1, signal: null, stderrTail })).toMatchObject({ type: 'failed', kind })
})
