import { basename } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { detectGates, detectProject } from './detect-project.ts'
import { aFolder, removeTestProjects } from '../../../test/kit/workspace.ts'

afterAll(removeTestProjects)

async function gates(files: Record<string, string>): Promise<Record<string, string>> {
  const found = await detectGates(aFolder(files).root)
  return Object.fromEntries(found.map(({ gate }) => [gate.name, gate.run]))
}

function scripts(all: Record<string, string>, more: object = {}): string {
  return JSON.stringify({ name: 'app', scripts: all, ...more })
}

function needs(...tools: string[]): string {
  return JSON.stringify({ devDependencies: Object.fromEntries(tools.map((tool) => [tool, '1.0.0'])) })
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
    const quick = { slow: null, chosen: true }
    const gate = (name: string, run: string, minutes = 10) => ({ name, run, when: 'completion', minutes })
    const because = (script: string) => `package.json has the script "${script}"`
    expect(await detectGates(aFolder({ 'package.json': json }).root)).toEqual([
      { gate: gate('test', 'npm test'), why: because('test'), ...quick },
      { gate: gate('typecheck', 'npm run typecheck'), why: because('typecheck'), ...quick },
      { gate: gate('lint', 'npm run lint'), why: because('lint'), ...quick },
      { gate: gate('build', 'npm run build', 20), why: because('build'), slow: 'a build', chosen: true },
    ])
  })
  test('what is slow by its kind is offered, with more time, and not taken', async () => {
    const json = scripts({
      test: 'vitest',
      'test:integration': 'x',
      e2e: 'playwright test',
      'test:mutation': 'stryker run',
    })
    const found = await detectGates(aFolder({ 'package.json': json }).root)
    expect(found.map(({ gate, slow, chosen }) => [gate.name, gate.minutes, slow, chosen])).toEqual([
      ['test', 10, null, true],
      ['integration', 30, 'integration tests, which may need services', false],
      ['e2e', 30, 'end-to-end tests, which may need a browser or a server', false],
      ['mutation', 60, 'mutation tests, which run the other tests many times', false],
    ])
  })
  test.each<[string, Record<string, string>, Record<string, string>]>([
    [
      'tools that are installed and configured, where no script calls them',
      {
        'package.json': needs('vitest', 'typescript', 'eslint'),
        'tsconfig.json': '{}',
        'eslint.config.mjs': '',
      },
      {
        test: 'npx --no-install vitest run',
        typecheck: 'npx --no-install tsc --noEmit',
        lint: 'npx --no-install eslint .',
      },
    ],
    [
      'with pnpm',
      { 'package.json': needs('jest', '@biomejs/biome'), 'biome.json': '{}', 'pnpm-lock.yaml': '' },
      { test: 'pnpm exec jest', lint: 'pnpm exec biome ci .' },
    ],
    ['tools without their configuration', { 'package.json': needs('eslint', 'typescript') }, {}],
    ['configuration without its tool', { 'package.json': '{}', '.eslintrc.json': '{}', 'tsconfig.json': '{}' }, {}],
    [
      'several tsconfigs, and a build that calls tsc',
      { 'package.json': needs('typescript'), 'tsconfig.json': '{"references": []}' },
      {},
    ],
    [
      'a lint script that repairs',
      {
        'package.json': JSON.stringify({
          scripts: { lint: 'eslint --fix .' },
          devDependencies: { eslint: '9' },
        }),
        '.eslintrc.cjs': '',
      },
      { lint: 'npx --no-install eslint .' },
    ],
    [
      'a check of the format by its script',
      { 'package.json': scripts({ 'format:check': 'prettier --check .' }) },
      { format: 'npm run format:check' },
    ],
    ['tests for bun', { 'package.json': '{}', 'bun.lock': '', 'a.test.ts': '' }, { test: 'bun test' }],
    [
      'playwright and stryker',
      {
        'package.json': needs('@playwright/test', '@stryker-mutator/core'),
        'playwright.config.ts': '',
        'stryker.config.json': '{}',
      },
      { e2e: 'npx --no-install playwright test', mutation: 'npx --no-install stryker run' },
    ],
  ])('%s', async (_what, files, expected) => {
    expect(await gates(files)).toEqual(expected)
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
    [{ 'requirements-dev.txt': 'pytest==8\n', 'requirements.txt': '', '.venv/bin/python': '' }, '.venv/bin/pytest'],
    [{ 'setup.py': '', 'tox.ini': '[tox]\n' }, 'tox'],
    [{ 'requirements.txt': 'django\n', 'manage.py': '' }, 'python3 manage.py test'],
    [{ 'calc.py': '', 'test_calc.py': '' }, 'python3 -m pytest'],
    [{ 'calc.py': '', 'tests/test_calc.py': '', Makefile: 'test:\n\ttrue\n' }, 'make test'],
    [{ 'Cargo.toml': '[package]\n' }, 'cargo test'],
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
  test.each<[Record<string, string>, Record<string, string>]>([
    [{ 'go.mod': 'module x\n' }, { test: 'go test ./...', vet: 'go vet ./...' }],
    [
      { 'go.mod': 'module x\n', '.golangci.yml': '' },
      { test: 'go test ./...', vet: 'go vet ./...', lint: 'golangci-lint run' },
    ],
    [
      {
        'pyproject.toml': '[tool.ruff.lint]\n[tool.mypy]\nstrict = true\n[dependency-groups]\ndev = ["pytest"]\n',
      },
      { test: 'python3 -m pytest', lint: 'ruff check .', typecheck: 'python3 -m mypy .' },
    ],
    [
      { 'pyproject.toml': '[tool.mypy]\nfiles = ["src"]\n', 'uv.lock': '', 'ruff.toml': '' },
      { lint: 'uv run ruff check .', typecheck: 'uv run mypy' },
    ],
    [
      { 'requirements-dev.txt': 'ruff==0.5\nmypy\n', 'requirements.txt': '', '.venv/bin/python': '' },
      { lint: '.venv/bin/ruff check .', typecheck: '.venv/bin/mypy .' },
    ],
    [{ 'pyproject.toml': '# ruff and mypy are for others\n', 'requirements.txt': 'ruff-lsp\n' }, {}],
    [
      { 'pyproject.toml': '', 'pyrightconfig.json': '{}', '.flake8': '' },
      {
        lint: 'python3 -m flake8',
        typecheck: 'pyright',
      },
    ],
    [{ 'setup.cfg': '[mypy]\n[mutmut]\n' }, { typecheck: 'python3 -m mypy .', mutation: 'mutmut run' }],
    [{ 'Cargo.toml': '[package]\n[lints.clippy]\n' }, { test: 'cargo test', lint: 'cargo clippy --all-targets' }],
    [
      { 'Cargo.toml': '[package]\n', '.github/workflows/ci.yml': 'run: cargo clippy -- -D warnings' },
      { test: 'cargo test', lint: 'cargo clippy --all-targets -- -D warnings' },
    ],
    [
      {
        'deno.jsonc': '{\n  // ours\n  "tasks": {"test": "deno test", "check": {"command": "x"}},\n  "lint": {},\n}',
      },
      { test: 'deno task test', typecheck: 'deno task check', lint: 'deno lint' },
    ],
    [{ 'deno.json': '{}', 'main_test.ts': '' }, { test: 'deno test --allow-all' }],
    [
      { Gemfile: "gem 'rubocop'", '.rspec': '', '.rubocop.yml': '' },
      { test: 'bundle exec rspec', lint: 'bundle exec rubocop' },
    ],
    [
      { 'composer.json': '{}', 'phpunit.xml': '', 'phpstan.neon': '' },
      { test: 'vendor/bin/phpunit', lint: 'vendor/bin/phpstan analyse' },
    ],
    [
      { 'mix.exs': '{:credo, "~> 1.7"}', '.credo.exs': '' },
      { test: 'mix test', lint: 'mix credo' },
    ],
    [{ Makefile: 'lint:\n\tx\ntest: lint\n\ty\n' }, { test: 'make test', lint: 'make lint' }],
    [{ justfile: 'check:\n  x\nlint *args:\n  y\n' }, { test: 'just check', lint: 'just lint' }],
  ])('%j: several', async (files, expected) => {
    expect(await gates(files)).toEqual(expected)
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

describe('gates of a monorepo', () => {
  const member = scripts({ test: 'x', lint: 'y' })
  const npm = { 'package.json': '{"workspaces": ["packages/*", "!packages/old"]}' }
  test.each<[string, Record<string, string>, Record<string, string>]>([
    [
      'npm workspaces, where the top has no script of its own',
      { ...npm, 'packages/a/package.json': member, 'packages/b/package.json': '{}' },
      {
        test: 'npm run test --workspaces --if-present',
        lint: 'npm run lint --workspaces --if-present',
      },
    ],
    [
      'the script of the top comes first',
      {
        'package.json': scripts({ test: 'x' }, { workspaces: { packages: ['a'] } }),
        'a/package.json': member,
      },
      { test: 'npm test', lint: 'npm run lint --workspaces --if-present' },
    ],
    ['a package that is taken out has no say', { ...npm, 'packages/old/package.json': member }, {}],
    [
      'pnpm',
      {
        'package.json': '{}',
        'pnpm-lock.yaml': '',
        'pnpm-workspace.yaml': 'packages:\n  - apps/**\n',
        'apps/web/shop/package.json': member,
      },
      { test: 'pnpm --recursive --if-present run test', lint: 'pnpm --recursive --if-present run lint' },
    ],
    [
      'yarn, old and new',
      {
        'package.json': '{"workspaces": ["a"]}',
        'yarn.lock': '',
        '.yarnrc.yml': '',
        'a/package.json': member,
      },
      { test: 'yarn workspaces foreach --all run test', lint: 'yarn workspaces foreach --all run lint' },
    ],
    [
      'turbo',
      { ...npm, 'turbo.json': '{\n// all\n"tasks": {"test": {}, "//#lint": {},},}' },
      { test: 'npx --no-install turbo run test', lint: 'npx --no-install turbo run lint' },
    ],
    [
      'nx',
      {
        'package.json': '{"workspaces": ["a"]}',
        'nx.json': '{"targetDefaults": {"lint": {}}}',
        'a/package.json': member,
      },
      { test: 'npx --no-install nx run-many -t test', lint: 'npx --no-install nx run-many -t lint' },
    ],
    ['cargo', { 'Cargo.toml': '[workspace]\nmembers = ["a"]\n' }, { test: 'cargo test --workspace' }],
    [
      'go.work',
      { 'go.work': 'go 1.22\n\nuse (\n\t./a // first\n\t./b\n)\nuse .\n' },
      { test: 'go test ./a/... ./b/... ./...', vet: 'go vet ./a/... ./b/... ./...' },
    ],
    [
      'uv',
      { 'pyproject.toml': '[tool.uv.workspace]\nmembers = ["a"]\n', 'uv.lock': '', 'pytest.ini': '' },
      { test: 'uv run --all-packages pytest' },
    ],
  ])('%s', async (_what, files, expected) => {
    expect(await gates(files)).toEqual(expected)
  })
})

describe('the kind of project', () => {
  test('typescript, with all commands', async () => {
    const json = scripts({ test: 'x', build: 'y', dev: 'z' })
    expect(await detectProject(aFolder({ 'package.json': json, 'tsconfig.json': '{}', 'yarn.lock': '' }).root)).toEqual(
      {
        type: 'typescript',
        name: 'app',
        packageManager: 'yarn',
        testCommand: 'yarn test',
        buildCommand: 'yarn run build',
        runCommand: 'yarn run dev',
      },
    )
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
      'Cargo.toml': '[badges]\nname = "no"\n[package]\nname = "tool"\n',
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
