/**
 * Finds the command that installs the tools in a project's lock files, which sets up a clean room. Only reads files; starts nothing.
 * Without a lock file the versions are unknown, so there is no command.
 */
import { relative, sep } from 'node:path'
import { gitRootOf } from '../../system/files/links.ts'
import { type ProjectFiles, openProjectFiles } from './project-files.ts'
import * as read from '../../core/text/json.ts'

export interface DetectedSetup {
  run: string
  /** Where it was found, for screens. */
  why: string
}

/** Null: there is nothing to install. A package of a workspace is set up at the top of the repository, where its lock file is. */
export function detectSetup(root: string): DetectedSetup | null {
  const own = detectSetupFrom(openProjectFiles(root))
  const top = own === null ? gitRootOf(root) : null
  const above = top === null || top === root ? null : detectSetupFrom(openProjectFiles(top))
  if (top === null || above === null) return own
  const up = relative(root, top).split(sep).join('/')
  return { run: `cd ${up} && ${above.run}`, why: `${above.why} in ${up}` }
}

export type SetupFiles = Pick<ProjectFiles, 'has' | 'first' | 'text' | 'names'>

/** Several languages are set up one after the other. */
export function detectSetupFrom(files: SetupFiles): DetectedSetup | null {
  const readers = [javascript, python, ruby, php, elixir, dart, dotnet, rust, go]
  const found = readers.map((reader) => reader(files)).filter((one) => one !== null)
  if (found.length === 0) return null
  const locks = found.map(({ lock }) => lock)
  const why = locks.length === 1 ? `there is a ${locks[0]}` : `there are ${locks.join(' and ')}`
  return { run: found.map(({ run }) => run).join(' && '), why }
}

type Found = { run: string; lock: string } | null

function javascript(files: SetupFiles): Found {
  if (!needsPackages(files.text('package.json'))) return null
  const lock = files.first(
    'pnpm-lock.yaml',
    'yarn.lock',
    'bun.lock',
    'bun.lockb',
    'package-lock.json',
    'npm-shrinkwrap.json',
  )
  switch (lock) {
    case undefined:
      return null
    case 'pnpm-lock.yaml':
      return { lock, run: 'pnpm install --frozen-lockfile' }
    case 'yarn.lock':
      return { lock, run: `yarn install ${isBerry(files) ? '--immutable' : '--frozen-lockfile'}` }
    case 'bun.lock':
    case 'bun.lockb':
      // By default bun creates hard links into its cache: a change here would change the cache.
      return { lock, run: 'bun install --frozen-lockfile --backend=copyfile' }
    default:
      return { lock, run: 'npm ci' }
  }
}

const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']

function needsPackages(packageJson: string): boolean {
  const json = read.jsonOrNull(packageJson)
  const names = DEPENDENCIES.flatMap((field) => Object.keys(read.asRecord(read.ownField(json, field), read.asText)))
  return names.length > 0 || read.ownField(json, 'workspaces') !== null
}

/** Yarn 2 and later. */
function isBerry(files: SetupFiles): boolean {
  return files.has('.yarnrc.yml') || files.text('yarn.lock').includes('__metadata:')
}

/** The command of the first of these lock files that exists. */
function byLock(locks: Record<string, string>): (files: SetupFiles) => Found {
  return (files) => {
    const [lock, run] = Object.entries(locks).find(([name]) => files.has(name)) ?? []
    return lock === undefined || run === undefined ? null : { lock, run }
  }
}

const php = byLock({ 'composer.lock': 'composer install --no-interaction' })
const elixir = byLock({ 'mix.lock': 'mix deps.get' })
const dotnet = byLock({ 'packages.lock.json': 'dotnet restore --locked-mode' })
const pythonLock = byLock({
  'uv.lock': 'uv sync --frozen',
  'poetry.lock': 'poetry install',
  'pdm.lock': 'pdm install --frozen-lockfile',
  'Pipfile.lock': 'pipenv sync --dev',
})

function python(files: SetupFiles): Found {
  return pythonLock(files) ?? requirements(files)
}

/** Only if the project has a virtual environment: without one its gates use the machine's packages. */
function requirements(files: SetupFiles): Found {
  const venv = ['.venv', 'venv'].find((folder) => files.has(`${folder}/bin/python`))
  const lists = files.names.filter((name) => /^(dev[-_])?requirements([-_.]\w+)*\.txt$/.test(name))
  const [lock] = lists
  if (venv === undefined || lock === undefined) return null
  const isPackage = files.has('setup.py') || /^\[(build-system|project)\]/m.test(files.text('pyproject.toml'))
  const what = [...lists.map((name) => `-r ${name}`), ...(isPackage ? ['-e .'] : [])].join(' ')
  return { lock, run: `python3 -m venv ${venv} && ${venv}/bin/python -m pip install ${what}` }
}

function ruby(files: SetupFiles): Found {
  if (!files.has('Gemfile.lock')) return null
  // Installs into the project, because every trial gets a new home folder.
  const settings = ['path vendor/bundle', 'frozen true'].map((setting) => `bundle config set --local ${setting}`)
  return { lock: 'Gemfile.lock', run: [...settings, 'bundle install'].join(' && ') }
}

function dart(files: SetupFiles): Found {
  if (!files.has('pubspec.lock')) return null
  const program = /^\s+sdk:\s*flutter\b/m.test(files.text('pubspec.yaml')) ? 'flutter' : 'dart'
  return { lock: 'pubspec.lock', run: `${program} pub get --enforce-lockfile` }
}

/** Null if the lock file holds only the project itself. */
function rust(files: SetupFiles): Found {
  const needs = /^source = /m.test(files.text('Cargo.lock'))
  return needs ? { lock: 'Cargo.lock', run: 'cargo fetch --locked' } : null
}

function go(files: SetupFiles): Found {
  const needs = files.has('go.mod') && files.text('go.sum').trim() !== '' && !files.has('vendor/modules.txt')
  return needs ? { lock: 'go.sum', run: 'go mod download' } : null
}
