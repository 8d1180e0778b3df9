/** The input and output types of the language detectors. Only reads files; starts nothing. */
import { join } from 'node:path'
import { matchesGlob } from '../../core/text/glob.ts'
import { attempt } from '../../system/attempt.ts'
import { exists, isFolder, listFolder, readIfExists } from '../../system/files/files.ts'

export interface FoundGate {
  name: string
  run: string
  why: string
  /** Why it is slow; absent: it is quick. */
  slow?: SlowReason
}

export type SlowReason = 'build' | 'compiles' | 'integration' | 'e2e' | 'mutation'

export interface DetectedLanguage {
  type: 'javascript' | 'typescript' | 'python' | 'rust' | 'go' | 'java' | 'ruby' | 'php' | 'elixir' | 'dotnet'
  /** The name in the manifest. */
  name: string | null
  manager: string | null
  gates: FoundGate[]
  build: string | null
  start: string | null
}

export interface ProjectFiles {
  names: string[]
  has(name: string): boolean
  /** The first of these that exists. */
  first(...names: string[]): string | undefined
  text(name: string): string
  path(name: string): string
}

export function openProjectFiles(root: string): ProjectFiles {
  const names = listFolder(root)
  const path = (name: string) => join(root, name)
  return {
    names,
    path,
    has: (name) => exists(path(name)),
    first: (...candidates) => candidates.find((name) => exists(path(name))),
    // A folder of that name or an unreadable file counts as empty.
    text: (name) => attempt(() => readIfExists(path(name)), null) ?? '',
  }
}

/** The names in a folder of the project; none if it cannot be listed. */
export function listFolderNames(files: ProjectFiles, folder: string): string[] {
  return attempt(() => listFolder(files.path(folder)), [])
}

/** The first of the usual test folders that has a matching file. */
export function findTestFolder(files: ProjectFiles, pattern: RegExp): string | undefined {
  return ['.', 'tests', 'test', 'src'].find((folder) =>
    listFolderNames(files, folder).some((name) => pattern.test(name)),
  )
}

/** Packages are two folders deep, seldom three; deeper folders are not packages. */
const DEPTH_MAX = 3
const FOLDERS_MAX = 1_000
const NO_PACKAGES = /^(?:\..*|node_modules|vendor|target|dist|build|__pycache__)$/

/** The folders that match the globs of a workspace; a glob behind `!` excludes. */
export function workspaceMembers(files: ProjectFiles, globs: readonly string[]): string[] {
  const clean = (glob: string) => glob.replace(/^\.\//, '').replace(/\/+$/, '')
  const wanted = globs.filter((glob) => !glob.startsWith('!')).map(clean)
  const unwanted = globs.filter((glob) => glob.startsWith('!')).map((glob) => clean(glob.slice(1)))
  const isMeant = (folder: string, all: readonly string[]) =>
    all.some((glob) => folder === glob || (glob.includes('/') ? matchesGlob(folder, glob) : atTop(folder, glob)))
  const found: string[] = []
  let level = ['']
  for (let depth = 0; depth < DEPTH_MAX && found.length < FOLDERS_MAX; depth += 1) {
    level = level.flatMap((folder) => foldersIn(files, folder)).slice(0, FOLDERS_MAX)
    found.push(...level.filter((folder) => isMeant(folder, wanted) && !isMeant(folder, unwanted)))
  }
  return found.sort()
}

/** Here a glob without a slash matches only folders at the top. */
function atTop(folder: string, glob: string): boolean {
  return !folder.includes('/') && matchesGlob(folder, glob)
}

function foldersIn(files: ProjectFiles, folder: string): string[] {
  return listFolderNames(files, folder === '' ? '.' : folder)
    .filter((name) => !NO_PACKAGES.test(name))
    .map((name) => (folder === '' ? name : `${folder}/${name}`))
    .filter((path) => isFolder(files.path(path)))
}

/** The `name` in one of these tables. A few lines of TOML need no parser. */
export function tomlName(text: string, tables: string[]): string | null {
  let table = ''
  for (const line of text.split('\n')) {
    table = /^\s*\[([^[\]]+)\]\s*(#.*)?$/.exec(line)?.[1]?.trim() ?? table
    const name = /^\s*name\s*=\s*["']([^"']+)["']/.exec(line)?.[1]
    if (name !== undefined && tables.includes(table)) return name
  }
  return null
}

/** Whether there is a line `[table]` or `[table.deeper]`. */
export function hasTomlTable(text: string, table: string): boolean {
  const escaped = table.replaceAll('.', String.raw`\.`)
  return new RegExp(String.raw`^\s*\[\[?${escaped}(?:\.[^\]]+)?\]`, 'm').test(text)
}

/** All GitHub and GitLab workflows in one text: a command in them matters to the project. */
export function ciWorkflowText(files: ProjectFiles): string {
  const github = listFolderNames(files, '.github/workflows').filter((name) => /\.ya?ml$/.test(name))
  return [...github.map((name) => files.text(`.github/workflows/${name}`)), files.text('.gitlab-ci.yml')].join('\n')
}
