/**
 * The steps of a set-up, and when it must be repeated. Install scripts of packages that the base does not have would be an agent's code
 * that runs before any gate: they are blocked, while the scripts of the base's packages still run. Pure.
 */
import { createHash } from 'node:crypto'
import { isManifestOrLockFile, baseNameOf } from '../../protection/file-kinds.ts'
import * as read from '../../core/text/json.ts'

/** Names of packages in the lock files. */
export interface InstallScriptPackages {
  /** Not in the base: none of their scripts run. */
  added: string[]
  /** In the base, with install scripts. */
  known: string[]
}

export interface SetupStep {
  run: string
  env: Record<string, string>
}

/** `packageJson`: of the project's folder; its scripts are the project's own and run anyway. */
export function setupSteps(
  command: string,
  { held, packageJson }: { held: InstallScriptPackages | null; packageJson: string },
): SetupStep[] {
  if (held === null || held.added.length === 0) return [{ run: command, env: {} }]
  const manager = managerIn(command)
  const first = { run: withFlags(command), env: withoutScripts(held) }
  if (manager === null) return [first]
  const names = held.known.filter((name) => PACKAGE_NAME.test(name))
  // Yarn 1 has no rebuild; npm rebuilds everything in node_modules.
  const rebuild = manager === 'yarn' && !command.includes('--immutable') ? 'npm' : manager
  const own = OWN_SCRIPTS.filter((name) => scriptsOf(packageJson)[name] !== undefined)
  return [
    first,
    ...(names.length === 0 ? [] : [{ run: `${rebuild} rebuild ${names.join(' ')}`, env: {} }]),
    ...own.map((name) => ({ run: `${manager} run ${name}`, env: {} })),
  ]
}

/** Scripts that a package manager runs in the project itself after installing all packages. */
const OWN_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare']

/** Names that are safe in a command line; no package has another name. */
const PACKAGE_NAME = /^(@[\w.~-]+\/)?\w[\w.~-]*$/

function managerIn(command: string): 'npm' | 'pnpm' | 'yarn' | null {
  const found = /(?:^|[\s;&|])(npm|pnpm|yarn)\s/.exec(`${command} `)?.[1]
  return found === 'npm' || found === 'pnpm' || found === 'yarn' ? found : null
}

/** For package managers that read no variable. */
function withFlags(command: string): string {
  return command
    .replace(/\b(yarn install)(?=.*--frozen-lockfile)/, '$1 --ignore-scripts')
    .replace(/\bbun install\b/, '$& --ignore-scripts')
    .replace(/\bcomposer install\b/, '$& --no-scripts --no-plugins')
}

function withoutScripts({ added }: InstallScriptPackages): Record<string, string> {
  return {
    npm_config_ignore_scripts: 'true',
    pnpm_config_ignore_scripts: 'true',
    YARN_ENABLE_SCRIPTS: 'false',
    // Without a wheel, Python builds a package by running its code.
    PIP_ONLY_BINARY: added.join(','),
    UV_NO_BUILD_PACKAGE: added.join(' '),
  }
}

function scriptsOf(packageJson: string): Record<string, string> {
  return read.asRecord(read.ownField(read.jsonOrNull(packageJson), 'scripts'), read.asText)
}

/** A set-up can be reused while this key is the same: it covers the command, all manifests and lock files. */
export function setupKey({
  command,
  files,
  builds = false,
}: {
  command: string
  files: ReadonlyMap<string, { hash: string }>
  /** The set-up builds from the sources (`buildsFromSources`), so it is valid only for exactly these files. */
  builds?: boolean
}): string {
  const counted = [...files].filter(([path]) => builds || isSetUpFile(path))
  const lines = counted.map(([path, { hash }]) => `${hash} ${path}`).toSorted()
  return createHash('sha256')
    .update([command, ...lines].join('\0'))
    .digest('hex')
}

/** In addition to the known manifests and lock files: those of rarer tools, and files that choose versions and package sources. */
const SET_UP_FILES = new Set(
  [
    'bun.lockb deno.lock pdm.lock Pipfile Pipfile.lock setup.py setup.cfg mix.exs mix.lock pubspec.yaml pubspec.lock',
    'packages.lock.json global.json nuget.config Directory.Packages.props environment.yml pixi.lock conda-lock.yml',
    '.npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpm-workspace.yaml bunfig.toml uv.toml poetry.toml pip.conf gems.rb gems.locked go.work',
    '.python-version .node-version .nvmrc .ruby-version .tool-versions mise.toml .mise.toml rust-toolchain rust-toolchain.toml',
  ].flatMap((names) => names.split(' ')),
)

function isSetUpFile(path: string): boolean {
  if (isManifestOrLockFile(path) || SET_UP_FILES.has(baseNameOf(path))) return true
  return /\.(csproj|fsproj|vbproj|sln|slnx|gemspec|patch)$|(^|\/)(constraints|requirements)[^/]*\.txt$/.test(path)
}

/** Scripts that only set up git hooks or patch packages: their result does not depend on the sources. */
const NO_BUILD =
  /^(?:(?:is-ci|test|\[)[^|&]*\|\|\s*)?(?:husky|simple-git-hooks|lefthook|patch-package|playwright install)\b[^&|;]*$/

/** Whether the set-up builds something from the project's own sources, which is outdated when they change. */
export function buildsFromSources(texts: { packageJson: string; pyproject: string; setupPy: string }): boolean {
  const scripts = scriptsOf(texts.packageJson)
  const own = OWN_SCRIPTS.map((name) => scripts[name]).filter((script) => script !== undefined)
  return (
    own.some((script) => !NO_BUILD.test(script.trim())) ||
    /^build-backend\s*=\s*["'](maturin|mesonpy|scikit_build_core|setuptools_rust)/m.test(texts.pyproject) ||
    /ext_modules|cythonize|rust_extensions|cffi_modules/.test(texts.setupPy)
  )
}
