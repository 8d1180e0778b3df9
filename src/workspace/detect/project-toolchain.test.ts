import { afterAll, expect, test } from 'vitest'
import { toolchainCommands } from './project-toolchain.ts'
import { aFolder, removeTestProjects } from '../../../test/kit/workspace.ts'

afterAll(removeTestProjects)

const js = JSON.stringify({ name: 'x', scripts: { test: 'node t.mjs' } })

test.each<[what: string, files: Record<string, string>, gates: string[], programs: string[]]>([
  ['an empty folder has none', {}, [], []],
  ['of JavaScript', { 'package.json': js }, [], ['node', 'npm', 'npx']],
  ['with its own package manager', { 'package.json': js, 'pnpm-lock.yaml': '' }, [], ['node', 'npm', 'npx', 'pnpm']],
  ['of Rust and of a Makefile', { 'Cargo.toml': '[package]\nname="x"', Makefile: 'test:\n' }, [], ['cargo', 'make']],
  ['of gates, each command of a line', {}, ['CI=1 task lint && ./check --all | tee'], ['task', './check', 'tee']],
  ['a shell only as it stands there', {}, ['sh check.sh', 'bash -c "a b"'], ['sh check.sh', 'bash -c "a b"']],
  ['nothing of a line that cannot be read', {}, ['$RUNNER test', 'x $(y)', '(cd a; b)'], []],
  ['nothing that would break a list', {}, ['./a(b) x', 'sh -c "a, b"'], []],
])('%s', (_what, files, gates, programs) => {
  const found = toolchainCommands(
    aFolder(files).root,
    gates.map((run) => ({ run })),
  )
  expect(found).toEqual(expect.arrayContaining(programs))
  if (programs.length === 0) expect(found).toEqual([])
})
