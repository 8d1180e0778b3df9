import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classifyLockFileChange } from './classify-lock-file.ts'

const USES = { isDirect: (name: string) => name === 'direct', byProtected: (name: string) => name === 'chai' }
const is = (path: string, base: string, final: string) => classifyLockFileChange(path, base, final, USES).is

describe('package-lock.json', () => {
  const url = (name: string, version: string) =>
    `https://registry.npmjs.org/${name}/-/${name.split('/').at(-1)}-${version}.tgz`
  const entry = (name: string, version: string, more: Record<string, unknown> = {}) => ({
    version,
    resolved: url(name, version),
    integrity: `sha512-${name}${version}`,
    ...more,
  })
  const BASE = {
    '': { name: 'a', version: '1.0.0', dependencies: { ms: '^2' } },
    'node_modules/ms': entry('ms', '2.1.3'),
    'node_modules/vitest': entry('vitest', '2.0.0', { bin: { vitest: 'v.js' }, dev: true }),
    'node_modules/chai': entry('chai', '5.0.0'),
  }
  const lock = (packages: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    JSON.stringify({ name: 'a', version: '1.0.0', lockfileVersion: 3, packages, ...more })
  test.each<[string, 'work' | 'protected', Record<string, unknown>]>([
    ['an added package', 'work', { ...BASE, 'node_modules/x': entry('x', '1.0.0') }],
    ['an added package with a scope', 'work', { ...BASE, 'node_modules/@a/x': entry('@a/x', '1.0.0') }],
    [
      'another version, nested',
      'work',
      {
        ...BASE,
        'node_modules/x': entry('x', '1.0.0'),
        'node_modules/x/node_modules/ms': entry('ms', '1.0.0'),
      },
    ],
    [
      'a tool that is no tool only any more',
      'work',
      { ...BASE, 'node_modules/vitest': entry('vitest', '2.0.0', { bin: { vitest: 'v.js' } }) },
    ],
    [
      'what the project asks for',
      'work',
      { ...BASE, '': { name: 'a', version: '1.1.0', dependencies: { ms: '^2', x: '1' } } },
    ],
    ['a package taken away', 'work', { ...BASE, 'node_modules/ms': undefined }],
    ['a package of the judge taken away', 'protected', { ...BASE, 'node_modules/chai': undefined }],
    ['another version', 'protected', { ...BASE, 'node_modules/ms': entry('ms', '2.0.0') }],
    [
      'another integrity',
      'protected',
      { ...BASE, 'node_modules/ms': { ...entry('ms', '2.1.3'), integrity: 'sha512-zzzz' } },
    ],
    [
      'another source',
      'protected',
      {
        ...BASE,
        'node_modules/ms': { ...entry('ms', '2.1.3'), resolved: 'https://x.test/ms/-/ms-2.1.3.tgz' },
      },
    ],
    [
      'a package without integrity',
      'protected',
      { ...BASE, 'node_modules/x': { ...entry('x', '1.0.0'), integrity: undefined } },
    ],
    [
      'a package of another name',
      'protected',
      { ...BASE, 'node_modules/x': { ...entry('x', '1.0.0'), resolved: url('fake', '1.0.0') } },
    ],
    ['an alias', 'protected', { ...BASE, 'node_modules/x': { ...entry('x', '1.0.0'), name: 'fake' } }],
    ['a link', 'protected', { ...BASE, 'node_modules/x': { resolved: 'packages/x', link: true } }],
    [
      'a package from git',
      'protected',
      {
        ...BASE,
        'node_modules/x': { ...entry('x', '1.0.0'), resolved: 'git+ssh://git@github.com/a/x.git#1' },
      },
    ],
    [
      'an address without TLS',
      'protected',
      { ...BASE, 'node_modules/x': { ...entry('x', '1.0.0'), resolved: 'http://r.test/x/-/x-1.0.0.tgz' } },
    ],
    [
      'a program in front of a tool',
      'protected',
      { ...BASE, 'node_modules/x': entry('x', '1.0.0', { bin: { vitest: 'x.js' } }) },
    ],
    ['a member of the workspace', 'protected', { ...BASE, 'packages/x': { name: 'x' } }],
  ])('%s: %s', (_, expected, packages) => expect(is('package-lock.json', lock(BASE), lock(packages))).toBe(expected))

  test('another version of the file itself, and one that cannot be read', () => {
    expect(is('package-lock.json', lock(BASE), lock(BASE, { lockfileVersion: 2 }))).toBe('protected')
    expect(is('package-lock.json', lock(BASE), '{')).toBe('protected')
    expect(is('package-lock.json', '{"lockfileVersion":1,"dependencies":{}}', lock(BASE))).toBe('protected')
  })
})

describe('yarn.lock', () => {
  const block = (asks: string, version: string, name = asks.split('@')[0] ?? '') =>
    `${asks}:\n  version "${version}"\n  resolved "https://registry.yarnpkg.com/${name}/-/${name}-${version}.tgz#abc"\n  integrity sha512-${name}${version}==\n\n`
  const BASE = `# yarn lockfile v1\n\n\n${block('ms@^2.0.0', '2.1.3')}${block('chai@^5.0.0', '5.0.0')}`
  test.each<[string, 'work' | 'protected', string]>([
    ['an added package', 'work', BASE + block('x@^1.0.0', '1.0.0')],
    ['one more who asks', 'work', BASE.replace('ms@^2.0.0:', 'ms@^2.0.0, ms@^2.1.0:')],
    [
      'another version for one who asked',
      'protected',
      BASE.replace(block('chai@^5.0.0', '5.0.0'), block('chai@5.0.0', '5.0.0') + block('chai@^5.0.0', '5.1.0')),
    ],
    ['a second version', 'work', BASE + block('ms@^1.0.0', '1.0.0')],
    [
      'a second version that the manifest asks for',
      'protected',
      BASE + block('direct@^1.0.0', '1.0.0') + block('direct@^2.0.0', '2.0.0'),
    ],
    ['an alias', 'protected', `${BASE}${block('"x@npm:fake@1"', '1.0.0', 'fake')}`],
    [
      'a package from an address',
      'protected',
      `${BASE}x@1:\n  version "1"\n  resolved "https://x.test/x.tgz"\n  integrity sha512-a\n`,
    ],
    [
      'a package without integrity',
      'protected',
      `${BASE}x@1:\n  version "1"\n  resolved "https://registry.yarnpkg.com/x/-/x-1.tgz#a"\n`,
    ],
    ['something else', 'protected', `${BASE}nonsense\n`],
  ])('%s: %s', (name, expected, final) => {
    const base = name.startsWith('a second version that') ? BASE + block('direct@^1.0.0', '1.0.0') : BASE
    expect(is('yarn.lock', base, final)).toBe(expected)
  })

  test('of the later kind', () => {
    const head = '__metadata:\n  version: 8\n\n'
    const one = (name: string, version: string) =>
      `"${name}@npm:^${version}":\n  version: ${version}\n  resolution: "${name}@npm:${version}"\n  checksum: 10c0/abcdef\n  languageName: node\n\n`
    const base = `${head}${one('ms', '2.1.3')}"a@workspace:.":\n  resolution: "a@workspace:."\n`
    expect(is('yarn.lock', base, base + one('x', '1.0.0'))).toBe('work')
    expect(is('yarn.lock', base, base.replaceAll('2.1.3', '2.1.2'))).toBe('protected')
    expect(is('yarn.lock', base, base.replace('@npm:2.1.3"', '@npm:2.1.2"'))).toBe('protected')
    expect(
      is(
        'yarn.lock',
        base,
        `${base}"x@patch:x@npm%3A1#./x.patch":\n  version: 1.0.0\n  resolution: "x@patch:x@npm%3A1.0.0#./x.patch"\n  checksum: 10c0/a\n`,
      ),
    ).toBe('protected')
    expect(is('yarn.lock', base, base.replace('version: 8', 'version: 6'))).toBe('protected')
  })
})

test('pnpm-lock.yaml', () => {
  const base =
    "lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      ms:\n        specifier: ^2\n        version: 2.1.3\npackages:\n  ms@2.1.3:\n    resolution: {integrity: sha512-a}\nsnapshots:\n  ms@2.1.3: {}\n"
  const added = base
    .replace('packages:\n', 'packages:\n  x@1.0.0:\n    resolution: {integrity: sha512-b}\n')
    .replace('      ms:\n', '      x:\n        specifier: ^1\n        version: 1.0.0\n      ms:\n')
  expect(is('pnpm-lock.yaml', base, added)).toBe('work')
  expect(is('pnpm-lock.yaml', base, base.replaceAll('2.1.3', '2.1.2'))).toBe('protected')
  expect(is('pnpm-lock.yaml', base, base.replace('sha512-a', 'sha512-z'))).toBe('protected')
  expect(
    is('pnpm-lock.yaml', base, added.replace('{integrity: sha512-b}', '{tarball: file:x.tgz, integrity: sha512-b}')),
  ).toBe('protected')
  expect(is('pnpm-lock.yaml', base, added.replace('version: 1.0.0', 'version: fake@1.0.0'))).toBe('protected')
  expect(is('pnpm-lock.yaml', base, `${base}overrides:\n  ms: 1.0.0\n`)).toBe('protected')
  expect(is('pnpm-lock.yaml', base, `${base}patchedDependencies:\n  ms: x\n`)).toBe('protected')
})

test('poetry.lock', () => {
  const one = (name: string, version: string, more = '') =>
    `[[package]]\nname = "${name}"\nversion = "${version}"\nfiles = [{ file = "${name}.whl", hash = "sha256:ab" }]\n${more}\n`
  const base = `${one('a', '1')}[metadata]\nlock-version = "2.0"\ncontent-hash = "x"\n`
  expect(is('poetry.lock', base, one('b', '1') + base.replace('"x"', '"y"'))).toBe('work')
  expect(is('poetry.lock', base, base.replace('version = "1"', 'version = "2"'))).toBe('protected')
  expect(is('poetry.lock', base, base.replace('sha256:ab', 'sha256:cd'))).toBe('protected')
  expect(is('poetry.lock', base, one('b', '1', '[package.source]\ntype = "git"\nurl = "x"') + base)).toBe('protected')
  expect(is('poetry.lock', base, one('b', '1').replace('sha256:ab', '') + base)).toBe('protected')
})

test('uv.lock', () => {
  const one = (name: string, source = '{ registry = "https://pypi.org/simple" }') =>
    `[[package]]\nname = "${name}"\nversion = "1"\nsource = ${source}\nsdist = { url = "x", hash = "sha256:ab" }\n\n`
  const base = `version = 1\n\n${one('a')}[[package]]\nname = "me"\nversion = "1"\nsource = { virtual = "." }\ndependencies = [{ name = "a" }]\n`
  expect(is('uv.lock', base, base + one('b'))).toBe('work')
  expect(is('uv.lock', base, base + one('b', '{ git = "https://x" }'))).toBe('protected')
  expect(is('uv.lock', base, base.replace('sha256:ab', 'sha256:cd'))).toBe('protected')
  expect(is('uv.lock', base, `${base}[[package]]\nname = "fake"\nversion = "1"\nsource = { editable = "x" }\n`)).toBe(
    'protected',
  )
})

test('Cargo.lock', () => {
  const hash = 'a'.repeat(64)
  const one = (name: string, version: string, more = '') =>
    `[[package]]\nname = "${name}"\nversion = "${version}"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "${hash}"\n${more}\n`
  const base = `version = 3\n\n[[package]]\nname = "me"\nversion = "1.0.0"\ndependencies = ["serde"]\n\n${one('serde', '1.0.0', 'dependencies = ["quote"]')}${one('quote', '1.0.0')}`
  expect(
    is(
      'Cargo.lock',
      base,
      (base + one('rand', '0.8.0'))
        .replace('["serde"]', '["rand", "serde"]')
        .replace('name = "me"\nversion = "1.0.0"', 'name = "me"\nversion = "1.1.0"'),
    ),
  ).toBe('work')
  expect(
    is('Cargo.lock', base, base.replace('name = "serde"\nversion = "1.0.0"', 'name = "serde"\nversion = "1.0.1"')),
  ).toBe('protected')
  expect(is('Cargo.lock', base, `${base}${one('quote', '2.0.0')}`.replace('["quote"]', '["quote 2.0.0"]'))).toBe(
    'protected',
  )
  expect(is('Cargo.lock', base, `${base}${one('quote', '2.0.0')}`.replace('["quote"]', '["quote 1.0.0"]'))).toBe('work')
  expect(is('Cargo.lock', base, `${base}${one('x', '1.0.0').replace('registry+https', 'git+https')}`)).toBe('protected')
  expect(is('Cargo.lock', base, `${base}[[package]]\nname = "x"\nversion = "1.0.0"\n`)).toBe('protected')
})

test('go.sum', () => {
  const base = 'a v1.0.0 h1:aaa=\na v1.0.0/go.mod h1:bbb=\n'
  expect(is('go.sum', base, `${base}b v1.0.0 h1:ccc=\n`)).toBe('work')
  expect(is('go.sum', base, base.replace('aaa', 'zzz'))).toBe('protected')
  expect(is('go.sum', base, `${base}a v1.0.0 h1:zzz=\n`)).toBe('protected')
  expect(is('go.sum', base, `${base}b v1.0.0 nonsense\n`)).toBe('protected')
})

test.each(['bun.lock', 'Gemfile.lock', 'composer.lock'])('%s: a person looks at every change', (path) => {
  expect(is(path, '{"packages":{}}', '{"packages":{} }')).toBe('protected')
})

const KINDS = [
  'package-lock.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'poetry.lock',
  'uv.lock',
  'Cargo.lock',
  'go.sum',
  'Gemfile.lock',
  'composer.lock',
] as const

test('foreign text never throws', () => {
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom(
      '__metadata:\n a: &a [*a, *a]\n',
      'packages:\n  x: 1\n',
      '[[package]]\nname = 1\n',
      'GEM\n',
      '{"packages":{"node_modules/x":null}}',
    ),
  )
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), text, text, (path, base, final) => {
      classifyLockFileChange(path, base, final, USES)
    }),
  )
})

test('a file that did not change what is installed is work', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.stringMatching(/^\d\.\d\.\d$/)), (all) => {
      const lock = (order: [string, string][]) =>
        JSON.stringify({
          packages: Object.fromEntries(
            order.map(([name, version]) => [`node_modules/${name}`, { version, integrity: `sha512-${name}` }]),
          ),
        })
      expect(is('package-lock.json', lock(Object.entries(all)), lock(Object.entries(all).toReversed()))).toBe('work')
    }),
  )
})
