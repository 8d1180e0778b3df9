import { afterAll, expect, test } from 'vitest'
import { detectSetup, type SetupFiles, detectSetupFrom } from './detect-setup.ts'
import { aFolder, aRepo, removeTestProjects, testProjectAt } from '../../../test/kit/workspace.ts'

afterAll(removeTestProjects)

const NEEDS = '{"dependencies": {"left-pad": "1.0.0"}}'
const CRATE = '[[package]]\nname = "serde"\nsource = "registry+https://x"\n'

const CASES: [what: string, files: Record<string, string>, run: string | null][] = [
  ['npm', { 'package.json': NEEDS, 'package-lock.json': '{}' }, 'npm ci'],
  ['an old npm', { 'package.json': NEEDS, 'npm-shrinkwrap.json': '{}' }, 'npm ci'],
  ['a workspace', { 'package.json': '{"workspaces": ["a"]}', 'package-lock.json': '{}' }, 'npm ci'],
  ['npm with nothing to install', { 'package.json': '{"name": "x"}', 'package-lock.json': '{}' }, null],
  ['npm without a lock file', { 'package.json': NEEDS }, null],
  ['a package.json that cannot be read', { 'package.json': '{', 'package-lock.json': '{}' }, null],
  ['pnpm', { 'package.json': NEEDS, 'pnpm-lock.yaml': '' }, 'pnpm install --frozen-lockfile'],
  ['yarn', { 'package.json': NEEDS, 'yarn.lock': '# yarn lockfile v1' }, 'yarn install --frozen-lockfile'],
  ['a newer yarn', { 'package.json': NEEDS, 'yarn.lock': '__metadata:\n' }, 'yarn install --immutable'],
  [
    'a newer yarn by its settings',
    { 'package.json': NEEDS, 'yarn.lock': '', '.yarnrc.yml': '' },
    'yarn install --immutable',
  ],
  ['bun', { 'package.json': NEEDS, 'bun.lock': '' }, 'bun install --frozen-lockfile --backend=copyfile'],
  ['uv', { 'pyproject.toml': '', 'uv.lock': '' }, 'uv sync --frozen'],
  ['poetry', { 'pyproject.toml': '', 'poetry.lock': '' }, 'poetry install'],
  ['pdm', { 'pdm.lock': '' }, 'pdm install --frozen-lockfile'],
  ['pipenv', { Pipfile: '', 'Pipfile.lock': '' }, 'pipenv sync --dev'],
  ['requirements without an environment', { 'requirements.txt': 'pytest' }, null],
  [
    'requirements with an environment',
    { 'requirements.txt': '', 'requirements-dev.txt': '', '.venv/bin/python': '' },
    'python3 -m venv .venv && .venv/bin/python -m pip install -r requirements-dev.txt -r requirements.txt',
  ],
  [
    'a package with requirements',
    { 'requirements.txt': '', 'venv/bin/python': '', 'pyproject.toml': '[project]\nname = "x"' },
    'python3 -m venv venv && venv/bin/python -m pip install -r requirements.txt -e .',
  ],
  [
    'ruby',
    { Gemfile: '', 'Gemfile.lock': '' },
    'bundle config set --local path vendor/bundle && bundle config set --local frozen true && bundle install',
  ],
  ['rust', { 'Cargo.toml': '', 'Cargo.lock': CRATE }, 'cargo fetch --locked'],
  ['rust alone', { 'Cargo.toml': '', 'Cargo.lock': '[[package]]\nname = "me"\n' }, null],
  ['go', { 'go.mod': 'module x', 'go.sum': 'a v1 h1:x\n' }, 'go mod download'],
  ['go alone', { 'go.mod': 'module x' }, null],
  ['go with its packages', { 'go.mod': '', 'go.sum': 'a', 'vendor/modules.txt': '' }, null],
  ['php', { 'composer.json': '', 'composer.lock': '' }, 'composer install --no-interaction'],
  ['elixir', { 'mix.exs': '', 'mix.lock': '' }, 'mix deps.get'],
  ['.net', { 'x.csproj': '', 'packages.lock.json': '' }, 'dotnet restore --locked-mode'],
  ['.net without a lock file', { 'x.csproj': '' }, null],
  ['dart', { 'pubspec.yaml': '', 'pubspec.lock': '' }, 'dart pub get --enforce-lockfile'],
  [
    'flutter',
    { 'pubspec.yaml': 'dependencies:\n  flutter:\n    sdk: flutter\n', 'pubspec.lock': '' },
    'flutter pub get --enforce-lockfile',
  ],
  ['nothing at all', { 'README.md': '' }, null],
]

test.each(CASES)('%s', (_what, files, run) => {
  expect(detectSetupFrom(filesOf(files))?.run ?? null).toBe(run)
})

test('several languages are set up one after the other', () => {
  const files = { 'package.json': NEEDS, 'package-lock.json': '{}', 'uv.lock': '', 'Cargo.lock': CRATE }
  expect(detectSetupFrom(filesOf(files))).toEqual({
    run: 'npm ci && uv sync --frozen && cargo fetch --locked',
    why: 'there are package-lock.json and uv.lock and Cargo.lock',
  })
})

test('a folder is looked into, and a package of a workspace is set up from the top', async () => {
  const project = await aRepo({
    'package.json': '{"workspaces": ["packages/*"]}',
    'package-lock.json': '{}',
    'packages/a/package.json': NEEDS,
  })
  expect(detectSetup(project.root)).toEqual({ run: 'npm ci', why: 'there is a package-lock.json' })
  expect(detectSetup(testProjectAt(project.path('packages/a')).root)).toEqual({
    run: 'cd ../.. && npm ci',
    why: 'there is a package-lock.json in ../..',
  })
  expect(detectSetup(aFolder({ a: '' }).root)).toBeNull()
})

function filesOf(files: Record<string, string>): SetupFiles {
  return {
    names: Object.keys(files)
      .filter((path) => !path.includes('/'))
      .toSorted(),
    has: (name) => files[name] !== undefined,
    first: (...names) => names.find((name) => files[name] !== undefined),
    text: (name) => files[name] ?? '',
  }
}
