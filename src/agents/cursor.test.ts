import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AgentRequest } from '../core/calls/agent-io.ts'
import { sampleRequest } from '../../test/agents/samples/samples.ts'
import { cursor } from './cursor.ts'

describe('what is started', () => {
  const before = ['cursor-agent', '-p', '--output-format', 'stream-json']
  const table: [rule: string, wishes: Partial<AgentRequest>, argv: string[]][] = [
    ['changes are made', {}, [...before, '--force']],
    ['read-only only proposes them', { readOnly: true }, before],
    [
      'model and conversation have flags',
      { model: 'auto', resume: 'c1' },
      [...before, '--force', '--model', 'auto', '--resume', 'c1'],
    ],
    ['the program that was found is started', { program: ['/b/agent'] }, ['/b/agent', ...before.slice(1), '--force']],
  ]
  test.each(table)('%s', (_rule, wishes, argv) => {
    expect(cursor.command(sampleRequest(wishes))).toEqual({ argv, env: {}, stdin: 'do it' })
  })
})

test('its program goes by several names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-cursor-'))
  const program = (path: string) => {
    writeFileSync(path, '#!/bin/sh\n')
    chmodSync(path, 0o755)
    return path
  }
  expect(cursor.find?.({ PATH: folder })).toBeNull()
  mkdirSync(join(folder, 'cursor-agent-app'))
  const agent = program(join(folder, 'agent'))
  expect(cursor.find?.({ PATH: folder })).toBe(agent)
  const full = program(join(folder, 'cursor-agent'))
  expect(cursor.find?.({ PATH: folder })).toBe(full)
  const local = mkdtempSync(join(tmpdir(), 'ralph-cursor-'))
  mkdirSync(join(local, 'cursor-agent'))
  const script = program(join(local, 'cursor-agent', 'v1.cmd'))
  expect(cursor.find?.({ PATH: '', LOCALAPPDATA: local })).toBe(script)
  rmSync(folder, { recursive: true })
  rmSync(local, { recursive: true })
})

describe('what it says', () => {
  const shell = { shellToolCall: { args: { command: 'npm test' } } }
  const write = { writeToolCall: { args: { path: '/P/a.txt' } } }
  const table: [line: Record<string, unknown>, events: unknown[]][] = [
    [
      { type: 'system', subtype: 'init', session_id: 'c1', model: 'Sonnet', permissionMode: 'default' },
      [{ type: 'started', conversation: 'c1', model: 'Sonnet' }],
    ],
    [{ type: 'user', message: { content: [{ type: 'text', text: 'do it' }] } }, []],
    [
      { type: 'assistant', message: { content: [{ type: 'text', text: 'I will.' }] } },
      [{ type: 'text', text: 'I will.', delta: false }],
    ],
    [{ type: 'thinking', subtype: 'delta', text: 'Hm' }, [{ type: 'thought', text: 'Hm' }]],
    [
      { type: 'tool_call', subtype: 'started', call_id: 't1', tool_call: write },
      [{ type: 'tool', id: 't1', name: 'write', input: '/P/a.txt', paths: ['/P/a.txt'] }],
    ],
    [
      {
        type: 'tool_call',
        subtype: 'completed',
        call_id: 't1',
        tool_call: {
          shellToolCall: { ...shell.shellToolCall, result: { success: { exitCode: 0, stdout: 'ok' } } },
        },
      },
      [{ type: 'tool-ended', id: 't1', ok: true, output: 'ok' }],
    ],
    [
      {
        type: 'tool_call',
        subtype: 'completed',
        call_id: 't1',
        tool_call: { shellToolCall: { ...shell.shellToolCall, result: { rejected: { reason: 'no' } } } },
      },
      [
        { type: 'denied', tool: 'shell', command: 'npm test' },
        { type: 'tool-ended', id: 't1', ok: false, output: 'no' },
      ],
    ],
    [
      {
        type: 'result',
        subtype: 'success',
        is_error: false,
        result: 'Done.',
        session_id: 'c1',
        usage: { inputTokens: 5, outputTokens: 7 },
      },
      [
        { type: 'usage', counts: 'total', usage: { input: 5, output: 7 } },
        { type: 'ended', ok: true, reason: 'success', text: 'Done.' },
      ],
    ],
    [
      { type: 'result', subtype: 'success', is_error: true, result: 'usage limit reached' },
      [
        { type: 'limited', kind: 'usage-limit', message: 'usage limit reached' },
        { type: 'ended', ok: false, reason: 'usage-limit' },
      ],
    ],
    [{ type: 'news' }, [{ type: 'remark', text: '{"type":"news"}' }]],
  ]
  test.each(table)('%j', (line, events) => {
    expect(cursor.read(JSON.stringify(line), 'stdout')).toEqual(events)
  })
})
