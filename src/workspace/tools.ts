/**
 * The programs that gates start, found as the gate would find them and known by their content: also those that git ignores
 * (`node_modules/.bin`, a virtual environment, folders of PATH). A worker that puts its own `vitest` in front of the real one changes
 * the judge as surely as one that edits a test.
 */
import { delimiter, join, posix, relative, resolve, sep } from 'node:path'
import { hashFile, sizeOf } from '../system/files.ts'
import { realPath, stampOf } from '../system/links.ts'
import { whereIs } from '../system/process.ts'
import * as read from './read-json.ts'
import type { Program } from './scripts.ts'
import { hashOfPackage, packageBehind } from './tool-package.ts'

/**
 * By the word in the command, with its folder where that is not the project's own: `<path>#<hash>`, with `+<hash>` of its package
 * where it has one, or `absent`.
 */
export type Tools = Record<string, string>

const ABSENT = 'absent'

export interface ToolPlace {
  root: string
  /** The folder above which programs of the project are not looked for. */
  top: string
  env: Record<string, string>
}

/** `isKept`: files of the snapshot are compared there, better than here. */
export function findTools(programs: Program[], place: ToolPlace, isKept: (path: string) => boolean): Tools {
  const tools: Tools = {}
  // One program may go by several names, and its package is worth reading once only.
  const seen = new Map<string, string>()
  for (const program of programs) {
    if (program.word.startsWith('-m ')) continue
    const file = whereProgram(program, place)
    if (file !== null && isKept(relative(place.root, file).split(sep).join('/'))) continue
    const key = nameOf(program)
    if (file !== null && !seen.has(file)) seen.set(file, describe(file))
    tools[key] ??= file === null ? ABSENT : (seen.get(file) ?? ABSENT)
  }
  return tools
}

function nameOf({ word, folder, via }: Program): string {
  const where = folder === '.' ? '' : ` in ${folder}`
  return via === 'shell'
    ? `${word}${where}`
    : `${word} (${via === 'package' ? 'package script' : 'virtual environment'}${where})`
}

function whereProgram(
  { word, folder, via, path: own }: Program,
  { root, top, env }: ToolPlace,
): string | null {
  const cwd = resolve(root, folder)
  if (word.includes('/')) return whereIs(resolve(cwd, word), env)
  const first = via === 'package' ? foldersUp(cwd, top).map((one) => join(one, 'node_modules', '.bin')) : []
  const venv =
    via === 'venv'
      ? foldersUp(cwd, top).flatMap((one) => [join(one, '.venv', 'bin'), join(one, 'venv', 'bin')])
      : []
  // An empty entry means the folder itself.
  const path = (own ?? env['PATH'] ?? '')
    .split(delimiter)
    .map((entry) => resolve(cwd, entry === '' ? '.' : entry))
  return whereIs(word, { ...env, PATH: [...first, ...venv, ...path].join(delimiter) })
}

function foldersUp(from: string, top: string): string[] {
  const folders = [from]
  for (let at = from; at !== top && at.startsWith(top) && at !== resolve(at, '..');) {
    at = resolve(at, '..')
    folders.push(at)
  }
  return folders
}

/** A larger program is known by its size, its time and its number on the disk: reading it at every check would take too long. */
const HASHED_MAX = 5 * 1024 * 1024

function describe(file: string): string {
  const real = realPath(file) ?? file
  const isLarge = (sizeOf(real) ?? 0) > HASHED_MAX
  const own = `${real}#${isLarge ? stampOf(real) : contentHash(real)}`
  const behind = packageBehind(real)
  return behind === null ? own : `${own}+${hashOfPackage(behind)}`
}

/** A program may be started without being readable. */
function contentHash(path: string): string | null {
  try {
    return hashFile(path)
  } catch {
    return stampOf(path)
  }
}

export interface ToolChange {
  path: string
  why: string
}

/** `isUpgraded`: a package of this name has another version now, by the project's own manifest or lock file. */
export function compareTools(
  before: Tools,
  now: Tools,
  {
    root,
    isDeclared,
    isUpgraded,
  }: { root: string; isDeclared: (name: string) => boolean; isUpgraded: (name: string) => boolean },
): ToolChange[] {
  const changes: ToolChange[] = []
  for (const [name, old] of Object.entries(before)) {
    const present = now[name] ?? ABSENT
    // What was not there could not judge: somebody installed what the gate had been missing.
    if (old === present || old === ABSENT) continue
    const was = pathOf(old)
    const word = name.replace(/ \(.*| in .*/, '')
    if (present === ABSENT) {
      changes.push({ path: shown(root, was), why: `${word} is no longer found (it was ${shown(root, was)})` })
      continue
    }
    const is = pathOf(present)
    const owner = packageOf(is)
    if (is !== was) {
      // The project's own copy of what a program of the machine stood in for, or another place for another version.
      const isOwn = owner !== null && !shown(root, is).startsWith('/')
      if (isOwn && (isDeclared(owner) || (packageOf(was) === owner && isUpgraded(owner)))) continue
      changes.push({
        path: shown(root, is),
        why: `${word} now resolves to ${shown(root, is)} (it was ${shown(root, was)})`,
      })
    } else if (ownHashOf(old) !== ownHashOf(present)) {
      if (owner !== null && isUpgraded(owner)) continue
      const why = `${shown(root, is)}, the program behind ${word}, was changed`
      changes.push({ path: shown(root, is), why })
    } else {
      const inside = packageBehind(is)?.name ?? null
      if (inside !== null && isUpgraded(inside)) continue
      const why = `the package of ${shown(root, is)}, the program behind ${word}, was changed`
      changes.push({ path: shown(root, is), why })
    }
  }
  return changes
}

function pathOf(tool: string): string {
  return tool.slice(0, tool.lastIndexOf('#'))
}

function ownHashOf(tool: string): string {
  return tool.slice(tool.lastIndexOf('#') + 1).replace(/\+.*/, '')
}

/** Whose next version may come with another program. The scripts of a virtual environment are the same for every version. */
function packageOf(path: string): string | null {
  const behind = packageBehind(path)
  return behind?.of === 'node' ? behind.name : null
}

function shown(root: string, path: string): string {
  const inside = relative(realPath(root) ?? root, path)
    .split(sep)
    .join('/')
  return inside.startsWith('../') ? path : inside
}

/** Does a package.json name this package among what it needs? */
export function declares(packageJson: string, name: string): boolean {
  return specOf(packageJson, name) !== null
}

function specOf(packageJson: string, name: string): string | null {
  const json = read.json(packageJson)
  const groups = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']
  return (
    groups
      .map((group) => read.text(read.field(read.field(json, group), name)))
      .find((spec) => spec !== null) ?? null
  )
}

/** Files in which a project says which versions it has. */
export const VERSION_FILES: ReadonlySet<string> = new Set([
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'pyproject.toml',
  'requirements.txt',
  'requirements-dev.txt',
  'requirements-test.txt',
  'dev-requirements.txt',
  'uv.lock',
  'poetry.lock',
  'pdm.lock',
])

/** Does the changed manifest or lock file give this package another version? Any other edit of the file is no excuse. */
export function isUpgradeOf(name: string, file: { path: string; before: string; now: string }): boolean {
  if (posix.basename(file.path) === 'package.json') {
    const [old, present] = [specOf(file.before, name), specOf(file.now, name)]
    return old !== null && present !== null && old !== present
  }
  const linesIn = LISTS.test(file.path) ? listLines : lockLines
  const [old, present] = [linesIn(file.before, name), linesIn(file.now, name)]
  return present !== '' && old !== present
}

/** Files in which a version stands beside its name. */
const LISTS = /requirements[^/]*\.txt$|pyproject\.toml$/

function listLines(list: string, name: string): string {
  const named = new RegExp(`(?:^|["' ])${literal(name)}\\s*(?:["'=<>~!;[]|$)`)
  return list
    .split('\n')
    .filter((line) => named.test(line))
    .join('\n')
}

/** The lines that name the package, and the one after each, where the version stands. */
function lockLines(lock: string, name: string): string {
  const lines = lock.split('\n')
  const named = new RegExp(`(?:^|["'/ ])${literal(name)}(?:["'@]|:\\s*$|$)`)
  return lines.flatMap((line, i) => (named.test(line) ? [line, lines[i + 1] ?? ''] : [])).join('\n')
}

function literal(name: string): string {
  return name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
