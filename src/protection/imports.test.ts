import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { importsOf, type Reference, referencesIn } from './imports.ts'
import { languageOf } from './file-kinds.ts'
import { importGraphOf } from './import-graph.ts'
import { indexTree } from './file-tree.ts'
import { resolveReference, type ModuleRoots } from './resolve-reference.ts'

const PLACES: ModuleRoots = {
  packages: new Map([
    ['adding', ''],
    ['@x/a', 'packages/a'],
    ['example.com/calc', ''],
  ]),
  roots: ['', 'src', 'lib'],
  namesFromSource: false,
}

function treeOf(files: Record<string, string>) {
  return indexTree({ has: (path) => path in files, text: (path) => files[path] ?? null }, Object.keys(files))
}

describe('what a text imports', () => {
  const js = 'add.ts'
  test.each<[string, string, string[]]>([
    [js, "import a, { b } from './a.js'", ['./a.js']],
    [js, 'export * from "../b"', ['../b']],
    [js, "import './side'", ['./side']],
    [js, "const c = require('./c')", ['./c']],
    [js, 'const d = await import(`./d/${x}.js`)', ['./d/*.js']],
    [js, "vi.mock('./e')", ['./e']],
    [js, "import pic from './f.svg?url'", ['./f.svg']],
    [js, "import {\n  g,\n  h,\n} from '@x/a'", ['@x/a']],
    ['a.py', 'import os, calc.core as c', ['os', 'calc.core']],
    ['a.py', 'from .a import (b, # why\n  c)', ['.a', '.a.b', '.a.c']],
    ['a.py', 'from . import d', ['.', '.d']],
    ['a.rs', 'pub(crate) mod ops;\nmod inner { }', ['mod ops']],
    ['a.go', 'import (\n\t"fmt"\n\tx "example.com/calc/ops"\n)', ['fmt', 'example.com/calc/ops']],
    ['a.c', '#include "a.h"\n#  include <b.h>', ['a.h', 'b.h']],
    ['a.rb', "require_relative 'a/b'\nrequire 'set'", ['./a/b', 'set']],
    ['A.java', 'import static a.b.C.d;\nimport a.b.E;', ['a.b.C.d', 'a.b.E']],
    ['a.php', "use App\\Foo;\nrequire __DIR__ . '/x.php';", ['App\\Foo', './x.php']],
    ['a.sh', 'source ./lib.sh\n. "$here/other.sh"', ['./lib.sh', './other.sh']],
    ['b.sh', `. './my lib.sh'; x\nsource "a"/b.sh&&y`, ['./my lib.sh', 'a/b.sh']],
    ['a.lua', "local x = require('a.b')", ['a.b']],
  ])('%s: %s', (path, text, expected) => {
    const language = languageOf(path)
    expect(language === null ? [] : importsOf(language, text).map(({ to }) => to)).toEqual(expected)
  })
})

describe('which files are meant', () => {
  const tree = treeOf(
    Object.fromEntries(
      [
        'src/add.ts',
        'src/add.js',
        'src/sub/index.js',
        'packages/a/src/index.ts',
        'calc/__init__.py',
        'calc/core.py',
        'src/ops/mod.rs',
        'ops/a.go',
        'ops/a_test.go',
        'include/a.h',
        'lib/a.c',
        'lib/x/y.rb',
        'data/one.csv',
        'src/App/Foo.php',
      ].map((path) => [path, '']),
    ),
  )
  test.each<[string, Reference, string[]]>([
    ['test/a.js', { is: 'path', to: '../src/add' }, ['src/add.js', 'src/add.ts']],
    ['test/a.js', { is: 'path', to: '../src/add.js' }, ['src/add.js', 'src/add.ts']],
    ['test/a.js', { is: 'path', to: '../src/sub' }, ['src/sub/index.js']],
    ['test/a.js', { is: 'path', to: '../../../etc/passwd' }, []],
    ['test/a.js', { is: 'module', to: '@x/a' }, ['packages/a/src/index.ts']],
    ['test/a.js', { is: 'module', to: '@/add' }, ['src/add.js', 'src/add.ts']],
    ['tests/a.py', { is: 'module', to: 'calc.core' }, ['calc/__init__.py', 'calc/core.py']],
    ['calc/b.py', { is: 'module', to: '.core' }, ['calc/__init__.py', 'calc/core.py']],
    ['src/lib.rs', { is: 'module', to: 'mod ops' }, ['src/ops/mod.rs']],
    ['main.go', { is: 'module', to: 'example.com/calc/ops' }, ['ops/a.go']],
    ['tests/t.c', { is: 'path', to: 'a.h' }, ['include/a.h', 'lib/a.c']],
    ['test/a.rb', { is: 'module', to: 'x/y' }, ['lib/x/y.rb']],
    ['test/a.js', { is: 'word', to: 'data/one.csv' }, ['data/one.csv']],
    ['tests/A.php', { is: 'module', to: 'App\\Foo' }, ['src/App/Foo.php']],
  ])('%s: %j', (from, reference, expected) =>
    expect(resolveReference(tree, PLACES, from, reference).files.toSorted()).toEqual(expected),
  )
})

test('pieces of a path are put together', () => {
  expect(referencesIn('a.js', "join(here, '..', 'src', 'cases.json')")).toContainEqual({
    is: 'path',
    to: '../src/cases.json',
  })
  expect(referencesIn('a.py', 'Path(here) / "data" / "one.csv"')).toContainEqual({
    is: 'word',
    to: 'data/one.csv',
  })
})

test('foreign text never throws, and takes no longer than its length', () => {
  const nasty = fc.oneof(
    fc.string(),
    fc.constantFrom("import '", 'from "', '(((((', '#include <', '"""', 'mod ', '../'.repeat(50), '{a,b', '[', '${'),
  )
  fc.assert(
    fc.property(
      fc.constantFrom(
        'a.ts',
        'a.py',
        'a.rs',
        'a.go',
        'a.c',
        'a.rb',
        'a.php',
        'a.java',
        'a.sh',
        'a.css',
        'a.html',
        'Makefile',
        'a.ex',
      ),
      fc.array(nasty),
      (path, parts) => {
        const tree = treeOf({ [path]: parts.join(''), 'src/x.js': '' })
        importGraphOf(tree, PLACES)
      },
    ),
  )
})

test.each([
  'import {',
  '"',
  "'a',",
  'from a import (',
  '#include "',
  '/*',
  'require(',
  '${',
  'a/',
  '.',
  ' ',
  '\t',
  '"a" / ',
])('%j, a hundred thousand times', (piece) => {
  for (const path of ['a.ts', 'a.py', 'a.go', 'a.php', 'a.html', 'a.css', 'a.sh', 'Makefile'])
    referencesIn(path, piece.repeat(100_000))
})
