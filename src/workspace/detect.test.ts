import { basename } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { detectGates, detectProject } from './detect.ts'
import { aFolder, clearGardens } from './test-kit.ts'

afterAll(clearGardens)

async function gates(files: Record<string, string>): Promise<Record<string, string>> {
  const found = await detectGates(aFolder(files).root)
  return Object.fromEntries(found.map(({ gate }) => [gate.name, gate.run]))
}

function scripts(all: Record<string, string>, more: object = {}): string {
  return JSON.stringify({ name: 'app', scripts: all, ...more })
}

describe('gates of a package.json', () => {
  test('each useful script, in order, with its reason', async () => {
    const json = scripts({
      build: 'tsc',
      lint: 'eslint .',
      test: 'vitest',
      typecheck: 'tsc --noEmit',
      dev: 'vite',
    })
    expect(await detectGates(aFolder({ 'package.json': json }).root)).toEqual([
      { gate: { name: 'test', run: 'npm test' }, why: 'package.json has the script "test"' },
      {
        gate: { name: 'typecheck', run: 'npm run typecheck' },
        why: 'package.json has the script "typecheck"',
      },
      { gate: { name: 'lint', run: 'npm run lint' }, why: 'package.json has the script "lint"' },
      { gate: { name: 'build', run: 'npm run build' }, why: 'package.json has the script "build"' },
    ])
  })
  test("npm's placeholder and watchers are none", async () => {
    expect(
      await gates({
        'package.json': scripts({
          test: 'echo "Error: no test specified" && exit 1',
          lint: 'eslint --watch',
        }),
      }),
    ).toEqual({})
  })
  test('a runner that waits for keys is told that nobody is there', async () => {
    expect(await gates({ 'package.json': scripts({ test: 'react-scripts test' }) })).toEqual({
      test: 'CI=true npm test',
    })
  })
  test.each([
    ['pnpm-lock.yaml', 'pnpm test', 'pnpm run build'],
    ['yarn.lock', 'yarn test', 'yarn run build'],
    ['bun.lockb', 'bun run test', 'bun run build'],
    ['package-lock.json', 'npm test', 'npm run build'],
  ])('with %s', async (lock, run, build) => {
    expect(await gates({ [lock]: '', 'package.json': scripts({ test: 'x', build: 'y' }) })).toEqual({
      test: run,
      build,
    })
  })
  test('packageManager decides over a lock file', async () => {
    const json = scripts({ test: 'x' }, { packageManager: 'pnpm@9.1.0' })
    expect(await gates({ 'yarn.lock': '', 'package.json': json })).toEqual({ test: 'pnpm test' })
  })
  test('a broken one is no error', async () => {
    expect(await gates({ 'package.json': '{ "scripts": ' })).toEqual({})
  })
})

describe('gates of other languages', () => {
  test.each([
    [{ 'pyproject.toml': '[tool.pytest.ini_options]\n' }, 'python3 -m pytest'],
    [{ 'pyproject.toml': '[project]\n', 'uv.lock': '', 'tests/test_a.py': '' }, 'uv run pytest'],
    [{ 'pyproject.toml': '', 'poetry.lock': '', 'conftest.py': '' }, 'poetry run pytest'],
    [
      { 'requirements-dev.txt': 'pytest==8\n', 'requirements.txt': '', '.venv/bin/python': '' },
      '.venv/bin/pytest',
    ],
    [{ 'setup.py': '', 'tox.ini': '[tox]\n' }, 'tox'],
    [{ 'requirements.txt': 'django\n', 'manage.py': '' }, 'python3 manage.py test'],
    [{ 'Cargo.toml': '[package]\n' }, 'cargo test'],
    [{ 'go.mod': 'module x\n' }, 'go test ./...'],
    [{ 'pom.xml': '', mvnw: '' }, './mvnw -q test'],
    [{ 'pom.xml': '' }, 'mvn -q test'],
    [{ 'build.gradle.kts': '', gradlew: '' }, './gradlew test'],
    [{ Gemfile: '', '.rspec': '' }, 'bundle exec rspec'],
    [{ Rakefile: 'Rake::TestTask.new\n' }, 'rake test'],
    [{ 'App.sln': '' }, 'dotnet test'],
    [{ 'composer.json': '{"scripts":{"test":"phpunit"}}' }, 'composer test'],
    [{ 'composer.json': '{}', 'phpunit.xml.dist': '' }, 'vendor/bin/phpunit'],
    [{ 'mix.exs': 'app: :x' }, 'mix test'],
    [{ Makefile: 'all:\n\ntest: all\n\tsh t.sh\n' }, 'make test'],
    [{ makefile: '.PHONY: check\ncheck:\n\ttrue\n' }, 'make check'],
    [{ justfile: 'test *args:\n  sh t.sh\n' }, 'just test'],
  ])('%j', async (files, run) => {
    expect(await gates(files as Record<string, string>)).toEqual({ test: run })
  })
  test('make is asked only where nobody else tests', async () => {
    expect(await gates({ Makefile: 'test:\n\tcargo test\n', 'Cargo.toml': '' })).toEqual({
      test: 'cargo test',
    })
  })
  test('a variable called test is no target', async () => {
    expect(await gates({ Makefile: 'test := 1\ntest::=2\n' })).toEqual({})
  })
  test('two languages have two gates with two names', async () => {
    const files = { 'package.json': scripts({ test: 'x' }), 'Cargo.toml': '[package]\n' }
    expect(await gates(files)).toEqual({ test: 'npm test', 'test-rust': 'cargo test' })
  })
  test('an empty folder has none', async () => {
    expect(await gates({})).toEqual({})
  })
})

describe('the kind of project', () => {
  test('typescript, with all commands', async () => {
    const json = scripts({ test: 'x', build: 'y', dev: 'z' })
    expect(
      await detectProject(aFolder({ 'package.json': json, 'tsconfig.json': '{}', 'yarn.lock': '' }).root),
    ).toEqual({
      type: 'typescript',
      name: 'app',
      packageManager: 'yarn',
      testCommand: 'yarn test',
      buildCommand: 'yarn run build',
      runCommand: 'yarn run dev',
    })
  })
  test('javascript without scripts', async () => {
    expect(await detectProject(aFolder({ 'package.json': '{"name":"a"}' }).root)).toEqual({
      type: 'javascript',
      name: 'a',
      packageManager: 'npm',
      testCommand: null,
      buildCommand: null,
      runCommand: null,
    })
  })
  test('the later kind wins', async () => {
    const files = {
      'package.json': scripts({ test: 'x' }),
      'Cargo.toml': '[workspace]\nname = "no"\n[package]\nname = "tool"\n',
    }
    expect(await detectProject(aFolder(files).root)).toEqual({
      type: 'rust',
      name: 'tool',
      packageManager: 'cargo',
      testCommand: 'cargo test',
      buildCommand: 'cargo build',
      runCommand: 'cargo run',
    })
  })
  test.each([
    [{ 'pyproject.toml': '[project]\nname = "py"\n' }, 'python', 'py'],
    [{ 'go.mod': 'module example.com/deep/tool\n' }, 'go', 'tool'],
    [{ 'pom.xml': '<parent><artifactId>p</artifactId></parent><artifactId>j</artifactId>' }, 'java', 'j'],
    [{ 'mix.exs': 'app: :elix,' }, 'elixir', 'elix'],
  ])('%j', async (files, type, name) => {
    const project = await detectProject(aFolder(files as Record<string, string>).root)
    expect([project.type, project.name]).toEqual([type, name])
  })
  test('anything else is generic and named after its folder', async () => {
    const { root } = aFolder({ Makefile: 'test:\n' })
    expect(await detectProject(root)).toEqual({
      type: 'generic',
      name: basename(root),
      packageManager: null,
      testCommand: 'make test',
      buildCommand: null,
      runCommand: null,
    })
  })
})
