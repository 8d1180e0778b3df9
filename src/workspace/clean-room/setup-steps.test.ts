import { describe, expect, test } from 'vitest'
import { buildsFromSources, setupKey, setupSteps } from './setup-steps.ts'

describe('the steps of a set-up', () => {
  const packageJson = '{"scripts": {"prepare": "tsc", "test": "x"}}'
  const runs = (command: string, known: string[] = []) =>
    setupSteps(command, { held: { added: ['new'], known }, packageJson }).map(({ run }) => run)

  test('are the command alone while no package was added', () => {
    const alone = [{ run: 'npm ci', env: {} }]
    expect(setupSteps('npm ci', { held: null, packageJson })).toEqual(alone)
    expect(setupSteps('npm ci', { held: { added: [], known: ['a'] }, packageJson })).toEqual(alone)
  })

  test.each([
    ['npm ci', ['npm ci', 'npm rebuild a @b/c', 'npm run prepare']],
    ['cd ../.. && npm ci', ['cd ../.. && npm ci', 'npm rebuild a @b/c', 'npm run prepare']],
    ['pnpm install --frozen-lockfile', ['pnpm install --frozen-lockfile', 'pnpm rebuild a @b/c', 'pnpm run prepare']],
    [
      'yarn install --frozen-lockfile',
      ['yarn install --ignore-scripts --frozen-lockfile', 'npm rebuild a @b/c', 'yarn run prepare'],
    ],
    ['yarn install --immutable', ['yarn install --immutable', 'yarn rebuild a @b/c', 'yarn run prepare']],
    ['bun install --frozen-lockfile', ['bun install --ignore-scripts --frozen-lockfile']],
    ['uv sync --frozen', ['uv sync --frozen']],
  ])('of %s hold back what is new and run what always ran', (command, steps) => {
    expect(runs(command, ['a', '@b/c'])).toEqual(steps)
  })

  test('a name that would be more than a name in a command line is no package', () => {
    expect(runs('npm ci', ['a; rm -rf ~', '--global', '$(x)'])).toEqual(['npm ci', 'npm run prepare'])
  })

  test('only the first is told to run no scripts', () => {
    const steps = setupSteps('npm ci', { held: { added: ['new', 'newer'], known: ['a'] }, packageJson })
    expect(steps.map(({ env }) => env['npm_config_ignore_scripts'])).toEqual(['true', undefined, undefined])
    expect(steps[0]?.env).toMatchObject({ PIP_ONLY_BINARY: 'new,newer', UV_NO_BUILD_PACKAGE: 'new newer' })
  })
})

describe('the key of a set-up', () => {
  const key = (files: Record<string, string>, more: { command?: string; builds?: boolean } = {}) =>
    setupKey({
      command: 'npm ci',
      files: new Map(Object.entries(files).map(([path, hash]) => [path, { hash }])),
      ...more,
    })
  const before = { 'package.json': '1', 'a/package-lock.json': '2', 'src/a.ts': '3' }

  test.each([
    ['a source file', { ...before, 'src/a.ts': '4' }, true],
    ['the order of files', { 'src/a.ts': '3', 'a/package-lock.json': '2', 'package.json': '1' }, true],
    ['a manifest', { ...before, 'package.json': '4' }, false],
    ['a lock file further down', { ...before, 'a/package-lock.json': '4' }, false],
    ['a patch of a package', { ...before, 'patches/x+1.0.0.patch': '4' }, false],
    ["the package manager's settings", { ...before, '.npmrc': '4' }, false],
  ])('%s', (_what, files, same) => {
    expect(key(files) === key(before)).toBe(same)
  })

  test('another command, and sources where the set-up builds them, give another', () => {
    expect(key(before, { command: 'npm i' })).not.toBe(key(before))
    const changed = { ...before, 'src/a.ts': '4' }
    expect(key(changed, { builds: true })).not.toBe(key(before, { builds: true }))
  })
})

test.each([
  ['{"scripts": {"prepare": "husky"}}', false],
  ['{"scripts": {"prepare": "is-ci || husky install", "postinstall": "patch-package"}}', false],
  ['{"scripts": {"prepare": "husky && npm run build"}}', true],
  ['{"scripts": {"prepare": "tsc"}}', true],
  ['{"scripts": {"build": "tsc"}}', false],
  ['not json', false],
])('%s makes something of the sources: %s', (packageJson, builds) => {
  expect(buildsFromSources({ packageJson, pyproject: '', setupPy: '' })).toBe(builds)
})

test('extensions of Python are built from the sources', () => {
  const none = { packageJson: '', pyproject: '', setupPy: '' }
  expect(buildsFromSources({ ...none, pyproject: 'build-backend = "maturin"\n' })).toBe(true)
  expect(buildsFromSources({ ...none, pyproject: 'build-backend = "hatchling.build"\n' })).toBe(false)
  expect(buildsFromSources({ ...none, setupPy: 'setup(ext_modules=[x])' })).toBe(true)
})
