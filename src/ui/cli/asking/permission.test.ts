import { expect, test } from 'vitest'
import type { PermissionRequest } from '../../../core/calls/permission-request.ts'
import { permissionRequestLines } from './permission.ts'

const wanted = (more: Partial<PermissionRequest>): PermissionRequest => ({
  agent: 'acp:small',
  tool: 'Bash',
  command: null,
  env: {},
  cwd: null,
  paths: [],
  about: [],
  ...more,
})

test('a command is shown with all that it would get, and nothing in it can hide', () => {
  const command = 'echo a\u001b[2K\u202e\nrm -rf x'
  expect(permissionRequestLines(wanted({ command, cwd: '/P/src', env: { CI: '1', WORDS: 'a b' } }))).toEqual([
    'acp:small wants to run:',
    "  CI=1 WORDS='a b' echo a\\u{1b}[2K\\u{202e}",
    '  rm -rf x',
    '  in /P/src',
  ])
})

test('of a very long one the beginning and the end are seen, and that there is more', () => {
  const [, begins, between, ends] = permissionRequestLines(wanted({ command: `${'a'.repeat(50_000)} && rm -rf x` }))
  expect([begins?.length, between, ends?.endsWith('a && rm -rf x')]).toEqual([
    1_502,
    '  … 47012 more characters …',
    true,
  ])
})

test('blank lines do not push the beginning out of sight', () => {
  const lines = permissionRequestLines(wanted({ command: `true${'\n'.repeat(200)}rm -rf x` }))
  expect(lines).toHaveLength(18)
  expect(lines[1]).toBe('  true')
  expect(lines[9]).toBe('  … 185 more lines …')
  expect(lines.at(-1)).toBe('  rm -rf x')
})

test('of a tool without files, what the agent says of it', () => {
  const about = ['Fetch it', '{"url":"http://x/\u001b"}']
  expect(permissionRequestLines(wanted({ tool: 'fetch', about }))).toEqual([
    'acp:small wants to use fetch:',
    '  Fetch it',
    '  {"url":"http://x/\\u{1b}"}',
  ])
})

test('of a tool, the files', () => {
  const paths = Array.from({ length: 12 }, (_, n) => `/P/${n}.txt`)
  expect(permissionRequestLines(wanted({ tool: 'Write', paths })).slice(0, 2)).toEqual([
    'acp:small wants to use Write:',
    '  /P/0.txt',
  ])
  expect(permissionRequestLines(wanted({ tool: 'Write', paths })).at(-1)).toBe('  and 2 more files')
})
