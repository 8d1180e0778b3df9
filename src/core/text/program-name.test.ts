import { expect, test } from 'vitest'
import { envAssignments, programName } from './program-name.ts'

test.each([
  ['claude -p', 'claude'],
  ['/opt/bin/claude', 'claude'],
  ['C:\\bin\\claude.cmd', 'claude'],
  ['npx -y @anthropic-ai/claude-code@2.1', 'claude-code'],
  ['env CODEX_HOME=/other codex exec', 'codex'],
  ['env A=1 npx -y codex-acp', 'codex-acp'],
  ['', ''],
])('%s starts %s', (command, name) => {
  expect(programName(command.split(' '))).toBe(name)
})

test.each([
  ['env -i A=1 B=x=y codex C=3', { A: '1', B: 'x=y' }],
  ['/usr/bin/env A=1', { A: '1' }],
  ['codex A=1', {}],
])('%s sets %o', (command, set) => {
  expect(envAssignments(command.split(' '))).toEqual(set)
})
