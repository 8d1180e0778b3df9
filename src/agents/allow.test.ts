import { expect, test } from 'vitest'
import type { Denial } from '../domain/reply/reply.ts'
import { allowByList } from './allow.ts'
import { driverFor } from './registry.ts'

const bash = (command: string): Denial => ({ tool: 'Bash', command })

test.each<[string, Denial[], string]>([
  [
    'a program with words of its own, by two of them',
    [bash('git push origin main')],
    'Read,Bash(git push *)',
  ],
  ['any other program, by its name', [bash('rm -rf build')], 'Read,Bash(rm *)'],
  ['a tool without a command, by its name', [{ tool: 'WebFetch' }], 'Read,WebFetch'],
  ['several at once, each once', [bash('rm a'), bash('rm b'), { tool: 'Edit' }], 'Read,Bash(rm *),Edit'],
  ['joined commands only where nothing else was denied', [bash('a && b'), bash('rm a')], 'Read,Bash(rm *)'],
  ['joined commands alone: no pattern speaks of them', [bash('cd x && make')], 'Read,Bash'],
  ['no word that a shell would expand', [bash('$(evil) x')], 'Read,Bash'],
])('%s', (_name, denials, list) => {
  expect(allowByList(denials, ['Read']).args).toEqual(['--allowed-tools', list])
})

test.each<[string, object, string[]]>([
  ['claude', { tools: ['Read'] }, ['--allowed-tools', 'Read,Bash(rm *)']],
  ['claude', { permission: 'acceptEdits' }, ['--permission', 'bypassPermissions']],
  ['claude', {}, []],
  ['codex', {}, ['--permission', 'danger-full-access']],
  ['codex', { permission: 'danger-full-access' }, []],
  ['gemini', { permission: 'auto_edit' }, ['--permission', 'yolo']],
  ['gemini', {}, []],
  ['opencode', {}, []],
  ['copilot', {}, []],
  ['cursor', {}, []],
  ['acp:some-agent', { tools: ['Read'] }, ['--allowed-tools', 'Read,Bash(rm *)']],
])('%s with %j', (agent, wishes, args) => {
  const allow = driverFor(agent, {}).onDenied([bash('rm x')], wishes)
  expect(allow.args).toEqual(args)
  expect(allow.say).toMatch(/^[A-Z].*\.$/)
})
