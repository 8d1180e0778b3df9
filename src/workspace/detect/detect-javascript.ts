/**
 * The gates of a package.json: its own scripts first; without those, the scripts that its workspace, turbo or nx run in every package;
 * last, tools that are both installed and configured.
 */
import { yamlOrNull } from '../../protection/parse-data.ts'
import {
  findTestFolder,
  workspaceMembers,
  type ProjectFiles,
  type FoundGate,
  type DetectedLanguage,
  type SlowReason,
} from './project-files.ts'
import * as read from '../../core/text/json.ts'

export function detectJavascript(files: ProjectFiles): DetectedLanguage | null {
  if (!files.has('package.json')) return null
  const json = read.jsonOrNull(files.text('package.json'))
  const manager = managerOf(files, json)
  const pack: Package = {
    files,
    json,
    manager,
    scripts: read.asRecord(read.ownField(json, 'scripts'), read.asText),
    dependencies: new Set(
      ['dependencies', 'devDependencies'].flatMap((field) =>
        Object.keys(read.asRecord(read.ownField(json, field), read.asText)),
      ),
    ),
  }
  const script = (name: string) => (pack.scripts[name] === undefined ? null : runScript(manager, name))
  const isTypeScript = files.has('tsconfig.json') || files.text('package.json').includes('"typescript"')
  return {
    type: isTypeScript ? 'typescript' : 'javascript',
    name: read.asText(read.ownField(json, 'name')),
    manager,
    gates: gatesOf(pack),
    build: script('build'),
    start: script('start') ?? script('dev'),
  }
}

interface Package {
  files: ProjectFiles
  json: unknown
  manager: string
  scripts: Record<string, string>
  dependencies: ReadonlySet<string>
}

const LOCKS = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
] as const

function managerOf(files: ProjectFiles, json: unknown): string {
  const named = /^(npm|pnpm|yarn|bun)@/.exec(read.asText(read.ownField(json, 'packageManager')) ?? '')?.[1]
  return named ?? LOCKS.find(([lock]) => files.has(lock))?.[1] ?? 'npm'
}

interface Purpose {
  name: string
  /** Scripts for this purpose; the first useful one is taken. */
  scripts: readonly string[]
  slow?: SlowReason
  /** The fallback without a script. */
  bare?: (pack: Package) => Bare | null
}

/** A tool among the packages, or a whole command line where the package manager is the tool. */
type Bare = ({ tool: string } | { run: string }) & { why: string }

const PURPOSES: readonly Purpose[] = [
  { name: 'test', scripts: ['test', 'test:unit'], bare: bareTests },
  {
    name: 'typecheck',
    scripts: ['typecheck', 'type-check', 'check-types', 'check:types', 'types', 'tsc'],
    bare: bareTypes,
  },
  { name: 'lint', scripts: ['lint', 'lint:check', 'eslint', 'oxlint', 'biome'], bare: bareLint },
  // Only by a script: files that were never formatted would make the bare tool fail from the start.
  { name: 'format', scripts: ['format:check', 'check:format', 'fmt:check', 'prettier:check', 'format-check'] },
  { name: 'build', scripts: ['build'], slow: 'build' },
  { name: 'integration', scripts: ['test:integration', 'integration', 'test:int'], slow: 'integration' },
  {
    name: 'e2e',
    scripts: ['test:e2e', 'e2e', 'e2e:test', 'test:playwright', 'playwright', 'cypress:run'],
    slow: 'e2e',
    bare: bareE2e,
  },
  {
    name: 'mutation',
    scripts: ['test:mutation', 'mutation', 'mutate', 'stryker'],
    slow: 'mutation',
    bare: bareMutation,
  },
]

function gatesOf(pack: Package): FoundGate[] {
  const everywhere = workspaceRunner(pack)
  return PURPOSES.flatMap((purpose) => {
    const found = byScript(pack, purpose) ?? everywhere?.(purpose) ?? byTool(pack, purpose)
    if (found === null) return []
    return [{ name: purpose.name, ...found, ...(purpose.slow === undefined ? {} : { slow: purpose.slow }) }]
  })
}

type Command = Omit<FoundGate, 'name' | 'slow'>

function byScript({ scripts, manager }: Package, purpose: Purpose): Command | null {
  const script = purpose.scripts.find((candidate) => isUseful(scripts[candidate]))
  if (script === undefined) return null
  const quiet = waitsForKeys(scripts[script] ?? '') ? 'CI=true ' : ''
  return { run: `${quiet}${runScript(manager, script)}`, why: `package.json has the script "${script}"` }
}

function byTool(pack: Package, { bare }: Purpose): Command | null {
  const found = bare?.(pack) ?? null
  if (found === null) return null
  return { run: 'tool' in found ? runTool(pack.manager, found.tool) : found.run, why: found.why }
}

/** Not useful: npm's placeholder test script, a watcher that never exits, and a script that fixes files instead of checking them. */
function isUseful(script: string | undefined): boolean {
  return (
    script !== undefined &&
    script.trim() !== '' &&
    !/no test specified|--watch(All)?(?!=false)\b|\bvitest (?:watch|dev)\b|\s--fix\b|\s--write\b/.test(script)
  )
}

function waitsForKeys(script: string): boolean {
  return /react-scripts test|craco test/.test(script)
}

function runScript(manager: string, script: string): string {
  // `bun test` is bun's own runner, not the script.
  const isShort = manager !== 'bun' && (script === 'test' || script === 'start')
  return isShort ? `${manager} ${script}` : `${manager} run ${script}`
}

/** The tool is never downloaded: a gate that fetches some version of its tool proves nothing. */
const TOOL_RUNNERS: Record<string, string> = {
  npm: 'npx --no-install',
  pnpm: 'pnpm exec',
  yarn: 'yarn run',
  bun: 'bunx --no-install',
}

function runTool(manager: string, tool: string): string {
  return `${TOOL_RUNNERS[manager] ?? 'npx --no-install'} ${tool}`
}

// Tools without a script

function bareTests({ dependencies, files, manager }: Package): Bare | null {
  const runners = [
    ['vitest', 'vitest run'],
    ['jest', 'jest'],
    ['mocha', 'mocha'],
    ['ava', 'ava'],
  ] as const
  const [name, tool] = runners.find(([dependency]) => dependencies.has(dependency)) ?? []
  if (name !== undefined && tool !== undefined) return { tool, why: `package.json depends on ${name}` }
  const tests = manager === 'bun' ? findTestFolder(files, /[._](?:test|spec)\.[jt]sx?$/) : undefined
  return tests === undefined ? null : { run: 'bun test', why: 'there are tests for bun' }
}

/** Null for project references: the build checks those, and a bare `tsc` might read the wrong tsconfig. */
function bareTypes({ files, dependencies, scripts }: Package): Bare | null {
  if (!files.has('tsconfig.json') || !dependencies.has('typescript')) return null
  if (/"references"\s*:/.test(files.text('tsconfig.json'))) return null
  if (['test', 'lint', 'build', 'check'].some((name) => /\btsc\b/.test(scripts[name] ?? ''))) return null
  return { tool: 'tsc --noEmit', why: 'there is a tsconfig.json' }
}

function bareLint({ files, dependencies, json }: Package): Bare | null {
  const eslint = files.names.find((name) => /^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\..*)?)$/.test(name))
  const inManifest = read.ownField(json, 'eslintConfig') !== null ? 'package.json (eslintConfig)' : undefined
  const config = eslint ?? inManifest
  if (dependencies.has('eslint') && config !== undefined)
    return { tool: 'eslint .', why: `there is ${config === eslint ? `an ${config}` : config}` }
  const biome = files.first('biome.json', 'biome.jsonc')
  if (dependencies.has('@biomejs/biome') && biome !== undefined)
    return { tool: 'biome ci .', why: `there is a ${biome}` }
  return dependencies.has('oxlint') ? { tool: 'oxlint', why: 'package.json depends on oxlint' } : null
}

function bareE2e({ files, dependencies }: Package): Bare | null {
  const config = (tool: string) => files.names.find((name) => new RegExp(`^${tool}\\.config\\.[cm]?[jt]s$`).test(name))
  const playwright = config('playwright')
  if (playwright !== undefined && dependencies.has('@playwright/test'))
    return { tool: 'playwright test', why: `there is a ${playwright}` }
  const cypress = config('cypress')
  return cypress !== undefined && dependencies.has('cypress')
    ? { tool: 'cypress run', why: `there is a ${cypress}` }
    : null
}

function bareMutation({ files, dependencies }: Package): Bare | null {
  const config = files.names.find((name) => /^\.?stryker\.conf(?:ig)?\.(?:json|[cm]?js)$/.test(name))
  return config !== undefined && dependencies.has('@stryker-mutator/core')
    ? { tool: 'stryker run', why: `there is a ${config}` }
    : null
}

// Workspaces

/** The command that runs a purpose in all packages; null: this is no workspace. */
function workspaceRunner(pack: Package): ((purpose: Purpose) => Command | null) | null {
  const { files, json } = pack
  const globs = workspaceGlobs(files, json)
  const isNx = files.has('nx.json')
  if (globs.length === 0 && !isNx && !files.has('turbo.json')) return null
  const members = workspaceMembers(files, globs).filter((folder) => files.has(`${folder}/package.json`))
  const scripts = members.map((folder) =>
    read.asRecord(read.ownField(read.jsonOrNull(files.text(`${folder}/package.json`)), 'scripts'), read.asText),
  )
  const packagesWith = (name: string) => scripts.filter((own) => isUseful(own[name])).length
  return ({ scripts: names }) => {
    const task = names.find((name) => turboTasks(files).has(name))
    if (task !== undefined)
      return { run: runTool(pack.manager, `turbo run ${task}`), why: `turbo.json has the task "${task}"` }
    const script = names.find((name) => packagesWith(name) > 0)
    if (isNx) return byNx(pack, { script, names })
    if (script === undefined) return null
    const count = packagesWith(script)
    const why = `${count === 1 ? '1 package' : `${count} packages`} of the workspace ${count === 1 ? 'has' : 'have'} the script "${script}"`
    return { run: inAllPackages(pack, script), why }
  }
}

function byNx(
  { files, manager }: Package,
  { script, names }: { script: string | undefined; names: readonly string[] },
): Command | null {
  const targets = read.asRecord(
    read.ownField(read.jsonOrNull(files.text('nx.json')), 'targetDefaults'),
    (value) => value,
  )
  const target = names.find((name) => Object.hasOwn(targets, name)) ?? script
  if (target === undefined) return null
  return { run: runTool(manager, `nx run-many -t ${target}`), why: `nx runs the target "${target}"` }
}

function turboTasks(files: ProjectFiles): ReadonlySet<string> {
  // It may have comments and trailing commas; without the comments, a YAML parser accepts it.
  const json = yamlOrNull(files.text('turbo.json').replace(/^\s*\/\/.*$/gm, ''))
  const all = ['tasks', 'pipeline'].flatMap((field) =>
    Object.keys(read.asRecord(read.ownField(json, field), (value) => value)),
  )
  return new Set(all.map((task) => task.replace(/^\/\/#/, '')))
}

function workspaceGlobs(files: ProjectFiles, json: unknown): string[] {
  const said = read.ownField(json, 'workspaces')
  const list = Array.isArray(said) ? said : read.ownField(said, 'packages')
  const pnpm = read.ownField(yamlOrNull(files.text('pnpm-workspace.yaml')), 'packages')
  return [list, pnpm]
    .flatMap((globs): unknown[] => (Array.isArray(globs) ? globs : []))
    .filter((glob) => typeof glob === 'string')
}

function inAllPackages({ manager, files }: Package, script: string): string {
  switch (manager) {
    case 'pnpm':
      return `pnpm --recursive --if-present run ${script}`
    case 'yarn':
      return files.has('.yarnrc.yml') ? `yarn workspaces foreach --all run ${script}` : `yarn workspaces run ${script}`
    case 'bun':
      return `bun run --filter '*' ${script}`
    default:
      return `npm run ${script} --workspaces --if-present`
  }
}
