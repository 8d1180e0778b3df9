import { expect, test } from 'vitest'
import type { Denial } from '../core/agent-output/reply.ts'
import { suggestAllowedTools } from './suggest-allowed-tools.ts'
import { driverFor } from './registry.ts'

const bash = (command: string): Denial => ({ tool: 'Bash', command })

test.each<[string, Denial[], string]>([
  ['a program with words of its own, by two of them', [bash('git push origin main')], 'Bash(git push *)'],
  ['any other program, by its name', [bash('docker ps')], 'Bash(docker ps)'],
  ['a tool without a command, by its name', [{ tool: 'WebFetch' }], 'WebFetch'],
  ['several at once, each once', [bash('tsx a'), bash('tsx b'), { tool: 'Edit' }], 'Bash(tsx *),Edit'],
  ['of joined commands each one', [bash('cd x && make 2>&1 | tail -3')], 'Bash(cd *),Bash(make),Bash(tail *)'],
  ['what is on the list already is not said again', [bash('git log -1; tsx a')], 'Bash(tsx *)'],
  [
    'a line that no pattern speaks of only where nothing else was denied',
    [bash('a > b'), bash('tsx a')],
    'Bash(tsx *)',
  ],
  ['by whatever name a vendor has for its shell', [{ tool: 'run_shell_command', command: 'tsx x' }], 'Bash(tsx *)'],
  ['or for its editor', [{ tool: 'write_file' }], 'Edit'],
])('%s', (_name, denials, list) => {
  expect(suggestAllowedTools(denials, ['Read', 'Bash(git log *)']).args).toEqual(['--allow', list])
})

test.each<[string, object, string[]]>([
  ['claude', { tools: ['Read'] }, ['--allow', 'Bash(tsx *)']],
  ['claude', { tools: ['Read'], permission: 'edits' }, ['--allow', 'Bash(tsx *)']],
  ['claude', { permission: 'acceptEdits' }, ['--permission', 'list']],
  ['claude', { permission: 'bypass' }, []],
  ['claude', {}, []],
  ['codex', {}, ['--permission', 'bypass']],
  ['codex', { permission: 'list', tools: ['Read'] }, ['--permission', 'bypass']],
  ['codex', { permission: 'danger-full-access' }, []],
  ['gemini', { permission: 'auto_edit' }, ['--permission', 'list']],
  ['gemini', { permission: 'list', tools: ['Read'] }, ['--allow', 'Bash(tsx *)']],
  ['opencode', { permission: 'list', tools: ['Read'] }, ['--allow', 'Bash(tsx *)']],
  ['copilot', { permission: 'list', tools: ['Read'] }, ['--allow', 'Bash(tsx *)']],
  ['gemini', {}, []],
  ['opencode', {}, []],
  ['copilot', {}, []],
  ['cursor', {}, []],
  ['acp:some-agent', { tools: ['Read'] }, ['--allow', 'Bash(tsx *)']],
  ['acp:some-agent', { permission: 'bypass', tools: ['Read'] }, []],
])('%s with %j', (agent, wishes, args) => {
  const allow = driverFor(agent, {}).onDenied([bash('tsx x')], wishes)
  expect(allow.args).toEqual(args)
  expect(allow.say).toMatch(/^[A-Z].*\.$/)
})

test.each([
  ['rm -rf build', 'Bash(rm *)'],
  ['git reset --hard', 'Bash(git reset *)'],
  ['sudo make install', 'Bash(sudo *)'],
  // Of these no pattern speaks: the whole shell would have to be allowed.
  ['make > out.txt', 'Bash'],
  ['$(evil) x', 'Bash'],
])('nobody is told to allow %j, only that it is not', (command, pattern) => {
  expect(suggestAllowedTools([bash(command)], [])).toEqual({
    say: `The tool list (agent.tools) does not include ${pattern}. It is safer to tell the agent in the prompt to do without ${pattern}.`,
    args: [],
  })
  expect(suggestAllowedTools([bash(command), bash('tsx a')], []).args).toEqual(['--allow', 'Bash(tsx *)'])
})
