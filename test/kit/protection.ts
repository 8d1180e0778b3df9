/** Two small trees told by their difference, for tables of cases. */
import {
  type ChangedPath,
  classifyChanges,
  type ClassifiedPaths,
  type ClassifyChangesInput,
} from '../../src/protection/classify-changes.ts'

export type Files = Record<string, string>

export interface Given {
  base: Files
  /** What became of files; null: deleted. */
  change: Record<string, string | null>
  gate?: string
  cwd?: string
  work?: string[]
  protectedFiles?: string[]
  links?: string[]
}

export function classifyInput({
  base,
  change,
  gate = 'npm test',
  cwd = '',
  work = [],
  protectedFiles = [],
  links = [],
}: Given): ClassifyChangesInput {
  const final = Object.fromEntries(
    Object.entries({ ...base, ...change }).filter((entry): entry is [string, string] => entry[1] !== null),
  )
  const tree = (files: Files) => ({
    has: (path: string) => Object.hasOwn(files, path),
    text: (path: string) => files[path] ?? null,
    isLink: (path: string) => links.includes(path),
  })
  const changed = Object.entries(change)
    .filter(([path, text]) => text !== (base[path] ?? null))
    .map(([path, text]): ChangedPath => ({
      path,
      kind: text === null ? 'deleted' : Object.hasOwn(base, path) ? 'changed' : 'added',
    }))
  return {
    base: tree(base),
    final: tree(final),
    paths: { base: Object.keys(base), final: Object.keys(final) },
    changed,
    gates: [{ name: 'test', run: gate, cwd }],
    work,
    protectedFiles,
  }
}

export type FileClass = 'work' | 'protected' | 'docs' | 'mixed'

/** Where each changed path went. */
export function classesOf(given: Given): Record<string, FileClass> {
  return Object.fromEntries(
    Object.keys(given.change).map((path) => [path, belonging(path, classifyChanges(classifyInput(given)))]),
  )
}

function belonging(path: string, sorted: ClassifiedPaths): FileClass {
  const has = (list: readonly { path: string }[]) => list.some((one) => one.path === path)
  if (has(sorted.mixed)) return 'mixed'
  if (has(sorted.docs)) return 'docs'
  return has(sorted.work) ? 'work' : 'protected'
}

// Projects

export const PACKAGE = (more: Record<string, unknown> = {}) =>
  `${JSON.stringify({ name: 'adding', version: '1.0.0', type: 'module', scripts: { test: 'node --test' }, dependencies: { ms: '^2.1.0' }, devDependencies: { vitest: '^2.0.0' }, ...more }, null, 2)}\n`

export const NODE: Files = {
  'package.json': PACKAGE(),
  'README.md': '# Adding\n',
  'src/add.js': "import { check } from './check-numbers.js'\nexport const add = (a, b) => check(a) * b\n",
  'src/check-numbers.js': 'export const check = (a) => a\n',
  'test/add.test.js':
    "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { add } from '../src/add.js'\ntest('adds', () => assert.equal(add(2, 3), 5))\n",
}

export const PYTHON: Files = {
  'pyproject.toml':
    '[project]\nname = "calc"\nversion = "1.0"\ndependencies = ["requests>=2"]\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
  'calc/__init__.py': '',
  'calc/core.py': 'from .numbers import check\n\ndef add(a, b):\n    return check(a) * b\n',
  'calc/numbers.py': 'def check(a):\n    return a\n',
  'tests/test_core.py': 'import decimal\nfrom calc.core import add\n\ndef test_add():\n    assert add(2, 3) == 5\n',
}

export const RUST: Files = {
  'Cargo.toml': '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nserde = "1.0"\n',
  'src/lib.rs': 'mod ops;\npub use ops::add;\n',
  'src/ops.rs': 'pub fn add(a: i32, b: i32) -> i32 { a * b }\n',
  'tests/add.rs': 'use calc::add;\n#[test]\nfn adds() { assert_eq!(add(2, 3), 5); }\n',
}

export const GO: Files = {
  'go.mod': 'module example.com/calc\n\ngo 1.22\n\nrequire github.com/google/uuid v1.6.0\n',
  'go.sum': 'github.com/google/uuid v1.6.0 h1:NIvaJDMOsjHA8n1jAhLSgzrAzy1Hgr+hNrb57e+94F0=\n',
  'calc.go': 'package calc\n\nfunc Add(a, b int) int { return a * b }\n',
  'calc_test.go':
    'package calc\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) { if Add(2, 3) != 5 { t.Fatal() } }\n',
  'internal/testutil/equal.go':
    'package testutil\n\nimport "testing"\n\nfunc Equal(t *testing.T, a, b int) { if a != b { t.Fatal() } }\n',
}

export const C: Files = {
  Makefile: 'include rules.mk\ntest: ; cc -Iinclude src/*.c tests/*.c -o t && ./t\n',
  'rules.mk': 'CC = cc\n',
  'include/calc.h': 'int add(int a, int b);\n',
  'src/calc.c': '#include "calc.h"\nint add(int a, int b) { return a * b; }\n',
  'tests/test_calc.c': '#include <assert.h>\n#include "calc.h"\nint main(void) { assert(add(2, 3) == 5); }\n',
}
