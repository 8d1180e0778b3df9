import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { AgentRequest } from '../core/calls/agent-io.ts'
import { sampleRequest, eventsIn, sample } from '../../test/agents/samples/samples.ts'
import { assetPath } from '../system/files/files.ts'
import { gemini } from './gemini.ts'

describe('what is started', () => {
  const before = ['gemini', '-o', 'stream-json', '--skip-trust', '--approval-mode']
  const table: [rule: string, wishes: Partial<AgentRequest>, argv: string[]][] = [
    ['everything is allowed', {}, [...before, 'yolo']],
    [
      'read-only is a policy, because the model may leave every mode',
      { readOnly: true, permission: 'yolo' },
      [...before, 'default', '--admin-policy', assetPath('agents/gemini-read-only.toml')],
    ],
    ['a mode of its own is passed on', { permission: 'auto_edit' }, [...before, 'auto_edit']],
    [
      'the mode of another vendor is not, and opens nothing',
      { permission: 'bypassPermissions' },
      [...before, 'default'],
    ],
    [
      'model, folders and conversation have flags',
      { model: 'gemini-2.5-pro', extraDirs: ['/E'], resume: 'u1' },
      [...before, 'yolo', '-m', 'gemini-2.5-pro', '--include-directories', '/E', '--resume', 'u1'],
    ],
  ]
  test.each(table)('%s, in one process that hears signals', (_rule, wishes, argv) => {
    const env = { GEMINI_CLI_NO_RELAUNCH: 'true' }
    expect(gemini.command(sampleRequest(wishes))).toEqual({ argv, env, stdin: 'do it' })
  })
})

test('the policy of a read-only run is there', () => {
  expect(existsSync(assetPath('agents/gemini-read-only.toml'))).toBe(true)
})

describe('what it says', () => {
  test('what its policy denies, by the call', () => {
    const error = { type: 'policy_violation', message: 'Tool execution denied by policy.' }
    const line = JSON.stringify({
      type: 'tool_result',
      tool_id: 'run_shell_command__x_0',
      status: 'error',
      output: error.message,
      error,
    })
    expect(gemini.read(line, 'stdout')[0]).toEqual({
      type: 'denied',
      tool: 'run_shell_command',
      call: 'run_shell_command__x_0',
    })
  })

  test('a file is written; the echoed prompt is nothing', () => {
    const id = 'write_file__write_file_1794772657565_0'
    expect(eventsIn(gemini, 'gemini/ok.stdout')).toEqual([
      { type: 'started', conversation: '7849645d-dbdd-4547-b643-9bcfa01bdeea', model: 'gemini-2.5-pro' },
      { type: 'text', text: 'I will write the file.', delta: true },
      { type: 'tool', id, name: 'write_file', input: '/P/hello.txt', paths: ['/P/hello.txt'] },
      { type: 'tool-ended', id, ok: true, output: '' },
      {
        type: 'text',
        text: 'All good.\n---RALPH_STATUS---\nSTATUS: COMPLETE\nTASKS_COMPLETED_THIS_LOOP: 1\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---',
        delta: true,
      },
      { type: 'usage', counts: 'add', usage: { input: 180, output: 40, cacheRead: 20 }, model: 'scripted' },
      { type: 'ended', ok: true, reason: 'success' },
    ])
    expect(eventsIn(gemini, 'gemini/ok.stderr')).toEqual([])
  })

  test('a tool that plan mode refuses fails', () => {
    expect(eventsIn(gemini, 'gemini/plan.stdout')[3]).toMatchObject({ type: 'tool-ended', ok: false })
  })

  test.each([
    ['e400', 'bad-request', 'scripted bad request'],
    ['e401', 'authentication', 'scripted bad key'],
  ])('%s ends as %s', (name, kind, message) => {
    expect(eventsIn(gemini, `gemini/${name}.stdout`).slice(1)).toEqual([
      { type: 'usage', counts: 'add', usage: { input: 0, output: 0, cacheRead: 0 }, model: 'gemini-2.5-pro' },
      { type: 'failed', kind, message },
      { type: 'ended', ok: false, reason: kind },
    ])
  })

  test('retries are told on stderr only', () => {
    expect(eventsIn(gemini, 'gemini/e429-then-ok.stderr')).toEqual([
      { type: 'limited', kind: 'rate-limit', message: 'scripted rate limit' },
    ])
    expect(eventsIn(gemini, 'gemini/e429.stderr')).toHaveLength(4)
  })

  test('a limit in the echoed prompt or a tool result is no limit', () => {
    const words = 'Attempt 1 failed with status 429. usage limit reached'
    const lines = [
      { type: 'message', role: 'user', content: words },
      { type: 'tool_result', tool_id: 't', status: 'success', output: words },
    ]
    expect(lines.flatMap((line) => gemini.read(JSON.stringify(line), 'stdout'))).toEqual([
      { type: 'tool-ended', id: 't', ok: true, output: words },
    ])
  })

  test('a warning is a remark, an error is a failure', () => {
    const line = (severity: string) => JSON.stringify({ type: 'error', severity, message: 'Loop detected' })
    expect(gemini.read(line('warning'), 'stdout')).toEqual([{ type: 'remark', text: 'Loop detected' }])
    expect(gemini.read(line('error'), 'stdout')).toEqual([
      { type: 'failed', kind: 'unknown', message: 'Loop detected' },
    ])
  })
})

describe('how it goes', () => {
  test.each([
    [42, sample('gemini/res5.stderr'), 'bad-conversation'],
    [55, sample('gemini/notrust.stderr'), 'permission'],
    [145, sample('gemini/e401.stderr'), 'authentication'],
    [41, '', 'authentication'],
    [244, '', 'server'],
  ])('exit %i is told by its words or its code', (code, stderrTail, kind) => {
    expect(gemini.exited?.({ code, signal: null, stderrTail })).toMatchObject({
      type: 'failed',
      kind,
    })
  })

  test('exit 0, as after a signal, tells nothing', () => {
    expect(gemini.exited?.({ code: 0, signal: null, stderrTail: sample('gemini/ok.stderr') })).toBeNull()
  })
})
