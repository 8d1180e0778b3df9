import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Gate } from '../../core/proof/evidence.ts'
import { gateProgram } from '../../core/text/gate-program.ts'
import { gateFindings } from './doctor-gates.ts'

const root = mkdtempSync(join(tmpdir(), 'ralph-gates-'))
mkdirSync(join(root, 'bin'))
for (const name of ['bin/checker', 'check.sh']) {
  writeFileSync(join(root, name), '#!/bin/sh\n')
  chmodSync(join(root, name), 0o755)
}
writeFileSync(join(root, 'not-executable.sh'), '#!/bin/sh\n')
afterAll(() => rmSync(root, { recursive: true }))

function found(run: string, more: Partial<Gate> = {}): [level: string | undefined, what: string | undefined] {
  const gate: Gate = { name: 'test', run, timeoutMs: 1_000, when: 'completion', cwd: '.', env: {}, ...more }
  const [finding] = gateFindings(root, [gate], { PATH: join(root, 'bin') })
  return [finding?.level, finding?.what]
}

test.each([
  ['npm test', 'npm'],
  ['CI=1 FOO="a b" npm test', 'npm'],
  ['./check.sh --all', './check.sh'],
  ['"my checker" x', 'my checker'],
  ['cd web && npm test', null],
  ['(make)', null],
  ['$RUNNER test', null],
  ['! grep -r TODO src', null],
  ['if true; then make; fi', null],
  ['"unclosed', null],
  ['A=1', null],
])('%s begins with %s', (line, program) => {
  expect(gateProgram(line)).toBe(program)
})

test('a program is looked for on the PATH, a path in the folder of the gate', () => {
  expect(found('checker --all')).toEqual(['ok', 'checker --all'])
  expect(found('./check.sh')).toEqual(['ok', './check.sh'])
  expect(found('../check.sh', { cwd: 'bin' })).toEqual(['ok', '../check.sh'])
})

test('a program that is not there is bad, whatever follows it', () => {
  expect(found('nonsuch test')).toEqual(['bad', 'nonsuch test: nonsuch is not on the PATH'])
  expect(found('./check.sh', { cwd: 'bin' })).toEqual([
    'bad',
    './check.sh: ./check.sh is missing in bin, or not executable',
  ])
  expect(found('./not-executable.sh')).toEqual([
    'bad',
    './not-executable.sh: ./not-executable.sh is missing in the project, or not executable',
  ])
})

test("the gate's own PATH counts", () => {
  expect(found('checker', { env: { PATH: '/nonsuch' } })).toEqual(['bad', 'checker: checker is not on the PATH'])
})

test('what only a shell can tell is left to it', () => {
  expect(found('cd web && nonsuch')).toEqual(['ok', 'cd web && nonsuch (a shell command; not checked)'])
})

test('a folder that is not there is bad', () => {
  expect(found('checker', { cwd: 'nowhere' })).toEqual(['bad', 'its folder nowhere is missing'])
})

test('no gate at all is worth a warning', () => {
  expect(gateFindings(root, [], {}).map(({ level, about }) => [level, about])).toEqual([['warn', 'gates']])
})
