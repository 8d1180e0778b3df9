import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonOrNull } from '../../core/text/json.ts'
import { tomlOrNull } from '../parse-data.ts'
import { classifyDependencyChange } from './dependencies.ts'
import { mergeManifest, type MergeRules } from './manifest.ts'

const RULES: MergeRules = {
  takesDependencies: true,
  isEntry: (path) => path.startsWith('./src/') || path.startsWith('src/'),
  isCommand: (name) => name === 'vitest',
}
const USES = { byProtected: (name: string) => name === 'chai', isLocal: (name: string) => name === 'own' }

const PACKAGE = {
  name: 'a',
  version: '1.0.0',
  scripts: { test: 'vitest' },
  dependencies: { ms: '^2.0.0' },
  devDependencies: { vitest: '^2.0.0' },
}

function merged(change: Record<string, unknown>, rules: Partial<MergeRules> = {}) {
  return mergeManifest('package.json', JSON.stringify(PACKAGE), JSON.stringify({ ...PACKAGE, ...change }), {
    ...RULES,
    ...rules,
  })
}

describe('package.json with the original tests', () => {
  test('holds the work of a mixed change and nothing else', () => {
    const found = merged({
      version: '1.1.0',
      scripts: { test: 'true' },
      dependencies: { ms: '^2.0.0', nanoid: '^5.0.0' },
      jest: {},
      exports: { '.': './src/a.js' },
    })
    expect(found.is === 'mixed' ? [jsonOrNull(found.text), found.why] : found).toEqual([
      {
        ...PACKAGE,
        version: '1.1.0',
        dependencies: { ms: '^2.0.0', nanoid: '^5.0.0' },
        exports: { '.': './src/a.js' },
      },
      'scripts, jest can change how the gates run',
    ])
  })

  test('keeps its dependencies where they do not fit the lock file', () => {
    expect(merged({ dependencies: {}, version: '2.0.0' }, { takesDependencies: false })).toMatchObject({
      is: 'mixed',
      why: 'dependencies can change how the gates run',
    })
  })

  test('a key of an odd name does no harm', () => {
    const odd = '{ "name": "a", "__proto__": { "scripts": { "test": "true" } }, "constructor": 1 }'
    expect(mergeManifest('package.json', '{ "name": "a" }', odd, RULES)).toEqual({
      is: 'protected',
      why: '__proto__, constructor can change how the gates run',
    })
  })

  test.each(['null', '[]', '"x"', '{', ''])('%j cannot be read', (text) => {
    expect(mergeManifest('package.json', '{}', text, RULES)).toEqual({
      is: 'protected',
      why: 'it cannot be read as JSON',
    })
  })

  test.each(['{ "a": 1, "a": 2 }', '{ "a": { "b": 1, "\\u0062": 2 } }', '{ "x": [{ "a": 1, "a": 1 }] }'])(
    '%s says a key twice',
    (text) => {
      expect(mergeManifest('package.json', '{}', text, RULES)).toMatchObject({
        is: 'protected',
        why: 'it has the same key twice',
      })
    },
  )

  test('whatever changes, the keys of the protected files are those of the base', () => {
    const keys = fc.constantFrom(
      'scripts',
      'jest',
      'overrides',
      'workspaces',
      'type',
      'imports',
      'pnpm',
      'version',
      'main',
      'dependencies',
      'exports',
      'bin',
    )
    fc.assert(
      fc.property(fc.dictionary(keys, fc.jsonValue()), fc.dictionary(keys, fc.jsonValue()), (base, final) => {
        const found = mergeManifest('package.json', JSON.stringify(base), JSON.stringify(final), RULES)
        const under =
          found.is === 'work'
            ? final
            : found.is === 'protected'
              ? base
              : (jsonOrNull(found.text) as Record<string, unknown>)
        // By value: -0 is written as 0.
        const plain = (value: unknown) => JSON.parse(JSON.stringify(value ?? null)) as unknown
        for (const key of ['scripts', 'jest', 'overrides', 'workspaces', 'type', 'imports', 'pnpm'])
          expect(plain(under[key])).toEqual(plain(base[key]))
      }),
    )
  })
})

describe('other manifests', () => {
  const PYPROJECT =
    '[project]\nname = "a"\nversion = "1"\ndependencies = ["x>=1"]\n[tool.pytest.ini_options]\naddopts = "-q"\n'
  const CARGO = '[package]\nname = "a"\nversion = "1.0.0"\n[dependencies]\nserde = "1"\n'

  test('pyproject.toml', () => {
    const final = PYPROJECT.replace('"1"', '"2"').replace('"-q"', '"-k none"').replace('["x>=1"]', '["x>=1", "y"]')
    const found = mergeManifest('pyproject.toml', PYPROJECT, final, RULES)
    expect(found.is === 'mixed' ? [tomlOrNull(found.text), found.why] : found).toEqual([
      tomlOrNull(PYPROJECT.replace('"1"', '"2"').replace('["x>=1"]', '["x>=1", "y"]')),
      'tool.pytest can change how the gates run',
    ])
  })

  test.each<[string, string, string]>([
    ['project.scripts.vitest', PYPROJECT, PYPROJECT.replace('[tool', '[project.scripts]\nvitest = "a:b"\n[tool')],
    ['project.requires-python', PYPROJECT, PYPROJECT.replace('[tool', 'requires-python = ">=3"\n[tool')],
    ['build-system', PYPROJECT, `${PYPROJECT}[build-system]\nrequires = []\n`],
    ['tool.uv', PYPROJECT, `${PYPROJECT}[tool.uv.sources]\nx = { path = "y" }\n`],
    [
      'tool.poetry.dependencies.python',
      '[tool.poetry.dependencies]\npython = "3"\n',
      '[tool.poetry.dependencies]\npython = "2"\n',
    ],
    ['profile', CARGO, `${CARGO}[profile.test]\nopt-level = 3\n`],
    ['workspace', CARGO, `${CARGO}[workspace]\n`],
    ['bin', CARGO, `${CARGO}[[bin]]\nname = "b"\npath = "src/b.rs"\ntest = false\n`],
    ['build-dependencies', CARGO, `${CARGO}[build-dependencies]\ncc = "1"\n`],
  ])('%s is protected', (key, base, final) => {
    const path = base === CARGO ? 'Cargo.toml' : 'pyproject.toml'
    expect(mergeManifest(path, base, final, RULES)).toEqual({
      is: 'protected',
      why: `${key} can change how the gates run`,
    })
  })

  test('a program of a crate is work', () => {
    expect(mergeManifest('Cargo.toml', CARGO, `${CARGO}[[bin]]\nname = "b"\npath = "src/b.rs"\n`, RULES)).toEqual({
      is: 'work',
    })
  })

  test('go.mod: added modules beside a changed toolchain', () => {
    const base = 'module a\n\ngo 1.20\n\nrequire x v1.0.0\n'
    expect(
      mergeManifest('go.mod', base, 'module a\n\ngo 1.22\n\nrequire (\n\tx v1.0.0\n\ty v2.0.0 // indirect\n)\n', RULES),
    ).toEqual({
      is: 'mixed',
      text: `${base}\nrequire y v2.0.0\n`,
      why: 'it has changes other than `require`',
    })
  })

  test('a Gemfile with more than gems', () => {
    expect(mergeManifest('Gemfile', "gem 'a'\n", "gem 'a'\nsystem('x')\n", RULES).is).toBe('protected')
    expect(
      mergeManifest(
        'Gemfile',
        "gem 'a'\ngroup :test do\ngem 'b'\nend\n",
        "group :test do\ngem 'a'\ngem 'b'\nend\n",
        RULES,
      ).is,
    ).toBe('protected')
  })

  test('foreign text never throws', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('[a', 'gem "', 'require (\n', '{', '[[bin]]\n', 'a = 1979-05-27\n', '-r x'),
    )
    fc.assert(
      fc.property(
        fc.constantFrom(
          'package.json',
          'pyproject.toml',
          'Cargo.toml',
          'go.mod',
          'Gemfile',
          'requirements.txt',
          'composer.json',
        ),
        text,
        text,
        (path, base, final) => {
          mergeManifest(path, base, final, RULES)
          classifyDependencyChange(path, base, final, USES)
        },
      ),
    )
  })
})

describe('dependencies', () => {
  const asking = (dependencies: Record<string, string>, devDependencies: Record<string, string> = {}) =>
    JSON.stringify({ dependencies, devDependencies })
  test.each<[string, string, string, string]>([
    ['nothing', asking({ a: '1' }), asking({ a: '1' }), 'same'],
    ['an added one', asking({}), asking({ a: '^1.0.0' }), 'fine'],
    ['a tag', asking({}), asking({ a: 'latest' }), 'fine'],
    ['a moved one', asking({ a: '1' }), asking({}, { a: '1' }), 'same'],
    ['one taken away', asking({ a: '1' }), asking({}), 'fine'],
    ['one taken away that tests use', asking({ chai: '1' }), asking({}), 'protected'],
    ['a tool taken away', asking({}, { a: '1' }), asking({}), 'protected'],
    ['another range', asking({ a: '1' }), asking({ a: '2' }), 'protected'],
    ['another range of a folder', asking({ a: 'file:x' }), asking({ a: 'file:y' }), 'protected'],
    ['one of the tree', asking({}), asking({ own: '1' }), 'protected'],
    ['an alias', asking({}), asking({ a: 'npm:b@1' }), 'protected'],
    ['a runner', asking({}), asking({}, { '@jest/core': '1' }), 'protected'],
    [
      'a peer with another range',
      asking({ a: '1' }),
      '{"dependencies":{"a":"1"},"peerDependencies":{"a":"2"}}',
      'protected',
    ],
  ])('%s', (_, base, final, is) => expect(classifyDependencyChange('package.json', base, final, USES).is).toBe(is))

  test.each<[string, string, string, string]>([
    [
      'Cargo.toml',
      '[dependencies]\na = "1"',
      '[dependencies]\na = "1"\nb = { version = "1", features = ["x"] }',
      'fine',
    ],
    [
      'Cargo.toml',
      '[dependencies]\na = "1"',
      '[dependencies]\na = "1"\nb = { version = "1", package = "c" }',
      'protected',
    ],
    ['Cargo.toml', '[dependencies]', '[dependencies]\nb = { git = "x" }', 'protected'],
    ['Cargo.toml', '[dependencies]\na = "1"', '[dependencies]\na = { path = "x" }', 'protected'],
    [
      'pyproject.toml',
      '[project]\ndependencies = []',
      '[project]\ndependencies = ["Rich[all]>=1,<2; python_version>\'3\'"]',
      'fine',
    ],
    ['pyproject.toml', '[project]\ndependencies = []', '[project]\ndependencies = ["rich @ file:///x"]', 'protected'],
    ['pyproject.toml', '[tool.poetry.dependencies]', '[tool.poetry.dependencies]\nrich = { git = "x" }', 'protected'],
    ['pyproject.toml', '[dependency-groups]', '[dependency-groups]\ndev = ["pytest-x"]', 'protected'],
    ['requirements.txt', 'a==1', 'a==1\n# b\nB_c==2 # why', 'fine'],
    ['requirements.txt', 'a-b==1', 'A_b==2', 'protected'],
    ['go.mod', 'require a v1', 'require a v1 // indirect', 'same'],
    ['go.mod', 'require a v1', 'require a v2', 'protected'],
    ['Gemfile', "gem 'a'", "gem 'a', '2'", 'protected'],
    ['composer.json', '{}', '{"require":{"a/b":"^1.0"}}', 'fine'],
  ])('%s: %s → %s', (path, base, final, is) => expect(classifyDependencyChange(path, base, final, USES).is).toBe(is))
})
