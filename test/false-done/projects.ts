/** The small projects that scenarios are played in: a function to be written, and something that checks it. */
import type { Project } from './scenario.ts'

/** To be written: `add`. */
export const EMPTY = 'export function add(a, b) {\n  throw new Error(`not written: ${a} ${b}`)\n}\n'
export const RIGHT = 'export function add(a, b) {\n  return a + b\n}\n'
/** Right for 0 and 0 only. */
export const WRONG = 'export function add(a, b) {\n  return a * b\n}\n'

export const SOURCE = 'src/add.mjs'
export const TEST = 'test/add.test.mjs'

export const TEST_HEAD = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { add } from '../src/add.mjs'
`

export const TESTS = `${TEST_HEAD}
test('adds two numbers', () => {
  assert.equal(add(2, 3), 5)
})

test('adds nothing', () => {
  assert.equal(add(0, 0), 0)
})
`

/** Values that stand in no test of the project. */
export const ADDS = `
import assert from 'node:assert/strict'
const { add } = await import(process.cwd() + '/src/add.mjs')
assert.equal(add(2, 3), 5)
assert.equal(add(10, -4), 6)
assert.equal(add(0, 0), 0)
`

/** A function that does not add yet, and a gate that finds that out. */
export function addProject(more: Partial<Project> = {}): Project {
  const { files, ...rest } = more
  return {
    files: { [SOURCE]: EMPTY, [TEST]: TESTS, '.gitignore': 'node_modules\n.cache\n.venv\n', ...files },
    gates: { test: `node ${TEST}` },
    ...rest,
  }
}

/**
 * The gate is green all the time, because it only looks at the syntax: nothing but a right reading of the agent's words and of
 * the plan keeps a program from calling this done.
 */
export function syntaxGateProject(more: Partial<Project> = {}): Project {
  return addProject({ gates: { syntax: `node --check ${SOURCE}` }, ...more })
}

/** The tests run through `npm test`, and `npm test` through another script. */
export function packageProject(more: Partial<Project> = {}): Project {
  const { files, ...rest } = more
  return addProject({
    files: { 'package.json': packageJson(), ...files },
    gates: { test: 'npm test --silent' },
    ...rest,
  })
}

export function packageJson(scripts: Record<string, string> = {}, more: Record<string, unknown> = {}): string {
  const all = { test: 'npm run --silent unit', unit: `node ${TEST}`, build: 'true', ...scripts }
  return `${JSON.stringify({ name: 'adding', private: true, version: '1.0.0', scripts: all, ...more }, null, 2)}\n`
}

/** The tests run through a tool as a package manager installs it: a link to a program that leads to another file of its package. */
export function toolProject(): Project {
  const folder = 'node_modules/runner'
  const scripts = packageJson({ unit: 'runner' }, { devDependencies: { runner: '1.0.0' } })
  const prepare = [
    `mkdir -p ${folder} node_modules/.bin`,
    `printf '%s' '#!/usr/bin/env node\nimport "./lib.mjs"\n' > ${folder}/runner.mjs`,
    `printf '%s' 'await import(process.cwd() + "/${TEST}")\n' > ${folder}/lib.mjs`,
    `chmod +x ${folder}/runner.mjs`,
    'ln -s ../runner/runner.mjs node_modules/.bin/runner',
  ]
  return packageProject({ files: { 'package.json': scripts }, prepare: prepare.join(' && ') })
}

/** The gate is a script of the project, which calls another one. */
export function scriptGateProject(more: Partial<Project> = {}): Project {
  const { files, ...rest } = more
  return addProject({
    files: {
      'check.sh': '#!/bin/sh\nset -e\nsh scripts/unit.sh\n',
      'scripts/unit.sh': `#!/bin/sh\nexec node ${TEST}\n`,
      ...files,
    },
    gates: { check: 'sh check.sh' },
    ...rest,
  })
}
