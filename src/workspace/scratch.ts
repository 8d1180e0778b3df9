/**
 * A copy of the present tree outside the repository, with some files as they were: there a gate runs once more against the old tests.
 * What git ignores and a gate needs (installed packages, virtual environments, compiled dependencies) is linked, not copied.
 */
import { join, posix } from 'node:path'
import type { TreeHash } from '../domain/ids.ts'
import { randomId } from '../system/clock.ts'
import {
  ensureFolder,
  exists,
  folderSize,
  makeTempFolder,
  removeFolder,
  removeIfThere,
} from '../system/files.ts'
import { me } from '../system/identity.ts'
import { type CopyOptions, copyTree, isTaken, linkTo } from '../system/links.ts'
import { isFileList } from './file-list.ts'
import { gitOut, openRepo } from './git.ts'
import type { GitPlace, Repo } from './place.ts'
import { keptFolder } from './guard-copies.ts'
import { MANIFEST_PATH, type Manifest } from './manifest.ts'
import { manifestsOf } from './measure.ts'
import { nulLines } from './paths.ts'
import { isOurs } from './status.ts'
import { prefixOf } from './tree-files.ts'

export interface ScratchOptions {
  repo: Repo
  /** The project's folder. */
  root: string
  now: TreeHash
  base: TreeHash
  /** From the project's folder: files that shall be as they were in `base`, or not there if they were not. */
  old: string[]
}

export interface Scratch {
  /** The project's folder in the copy. */
  root: string
  remove(): Promise<void>
}

export async function makeScratch(options: ScratchOptions): Promise<Scratch> {
  const folder = makeTempFolder('ralph-scratch-')
  const remove = async () => removeFolder(folder)
  try {
    const top = join(folder, 'copy')
    ensureFolder(top)
    const root = await fill(top, options)
    return { root, remove }
  } catch (thrown) {
    await remove()
    throw thrown
  }
}

async function fill(top: string, { repo, root, now, base, old }: ScratchOptions): Promise<string> {
  const place = repo.git
  if (place === null || isFileList(now)) {
    await copyPlain(repo, { root, top, base, old })
    return top
  }
  const prefix = prefixOf(repo, root)
  await copyOut(repo, place, { top, now, base, old: old.map((path) => posix.join(prefix, path)) })
  const inside = join(top, prefix)
  ensureFolder(inside)
  return inside
}

/** Folders that tools fill: gates read them, and to copy them would take minutes. */
const LINKED: ReadonlySet<string> = new Set(
  'node_modules .venv venv env vendor target Pods bower_components .gradle .m2 .cargo .bundle .tox .nox .yarn _build deps elm-stuff .stack-work .dart_tool'.split(
    ' ',
  ),
)
/** What a gate left behind for its own next run, and would only mistake in a copy; and what is ours. */
const LEFT_OUT: ReadonlySet<string> = new Set(
  '.git .ralph __pycache__ .pytest_cache .mypy_cache .ruff_cache .nyc_output coverage .coverage .cache .DS_Store'.split(
    ' ',
  ),
)
/** Other ignored things (`dist`, `.env`) are copied, so that a gate that writes there does not write into the project. */
const COPIED_MAX = 20 * 1024 * 1024
/** Thousands of single ignored files are the leavings of a build; no gate needs them all. */
const IGNORED_MAX = 2000

/** A single file beyond this would take as long to copy as a gate takes to run; it is linked, and hardly any gate writes into such. */
const FILE_COPIED_MAX = 256 * 1024 * 1024

function gently({ by }: Repo, without: ReadonlySet<string>): CopyOptions {
  return { without, linkOver: FILE_COPIED_MAX, signal: by?.signal }
}

interface CopyPlan {
  /** The top of the copy. */
  top: string
  now: TreeHash
  base: TreeHash
  /** From the top of the working tree. */
  old: string[]
}

async function copyOut(repo: Repo, place: GitPlace, { top, now, base, old }: CopyPlan): Promise<void> {
  const [manifest] = await manifestsOf(repo, [now])
  const nested = Object.keys(manifest.nested)
  const isNested = (path: string) => nested.some((folder) => path.startsWith(`${folder}/`))
  const [ignored] = await Promise.all([
    ignoredIn(repo),
    writeTree(repo, place, { top, now, base, old: old.filter((path) => !isNested(path)) }),
  ])
  await copyUnstored(repo, place, { top, manifest })
  for (const folder of Object.keys(manifest.crowds)) await copyCrowd(repo, place, { top, folder })
  for (const folder of nested) await copyNested(place, { top, base, folder, old, repo })
  for (const path of ignored) await bringIgnored(repo, { from: place.top, to: top, path })
}

/** Through an index of its own, so that modes, links and line ends are as git makes them. */
async function writeTree(repo: Repo, place: GitPlace, { top, now, base, old }: CopyPlan): Promise<void> {
  const index = join(place.gitDir, `ralph-restore-${me().pid}-${randomId(6)}`)
  const env = { GIT_INDEX_FILE: index }
  const doing = 'make a scratch copy'
  try {
    await gitOut(repo, ['read-tree', now], { env, doing })
    const before = await entriesOf(repo, base, old)
    const gone = [...old.filter((path) => !before.has(path)), MANIFEST_PATH]
    await gitOut(repo, ['update-index', '--force-remove', '-z', '--stdin'], {
      env,
      doing,
      input: nulLines(gone),
    })
    const lines = [...before].map(([path, entry]) => `${entry}\t${path}\0`).join('')
    if (lines !== '') await gitOut(repo, ['update-index', '-z', '--index-info'], { env, doing, input: lines })
    const how = [
      '-c',
      'checkout.workers=0',
      'checkout-index',
      '--all',
      '--force',
      '--quiet',
      `--prefix=${top}/`,
    ]
    await gitOut(repo, how, { env, doing })
  } finally {
    for (const file of [index, `${index}.lock`]) removeIfThere(file)
  }
}

/** `mode hash`, as `update-index --index-info` takes it, for those of the paths that a tree has. */
async function entriesOf(repo: Repo, tree: TreeHash, paths: string[]): Promise<Map<string, string>> {
  const wanted = new Set(paths)
  if (wanted.size === 0) return new Map()
  const listing = await gitOut(repo, ['ls-tree', '-r', '-z', '--full-tree', tree], {
    doing: 'list the files of a snapshot',
  })
  const entries = listing.split('\0').map((entry) => /^(\d+) \w+ (\w+)\t(.*)$/s.exec(entry))
  return new Map(
    entries.flatMap((entry) =>
      entry !== null && wanted.has(entry[3] ?? '') ? [[entry[3] ?? '', `${entry[1]} ${entry[2]}`]] : [],
    ),
  )
}

/** Whole folders where everything in them is ignored. */
async function ignoredIn(repo: Repo): Promise<string[]> {
  const how = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z']
  const listing = await gitOut(repo, how, { doing: 'list what git ignores' })
  const paths = listing.split('\0').filter((path) => path !== '' && !isOurs(path.replace(/\/$/, '')))
  return paths.slice(0, IGNORED_MAX)
}

async function bringIgnored(
  repo: Repo,
  { from, to, path }: { from: string; to: string; path: string },
): Promise<void> {
  const clean = path.replace(/\/$/, '')
  const name = posix.basename(clean)
  const [source, target] = [join(from, clean), join(to, clean)]
  if (LEFT_OUT.has(name) || isTaken(target) || !exists(source)) return
  if (LINKED.has(name) || (path.endsWith('/') && folderSize(source) > COPIED_MAX)) linkTo(source, target)
  else await copyTree(source, target, gently(repo, LEFT_OUT))
}

async function copyUnstored(
  repo: Repo,
  place: GitPlace,
  { top, manifest }: { top: string; manifest: Manifest },
): Promise<void> {
  for (const path of Object.keys(manifest.files)) {
    const source = join(place.top, path)
    if (exists(source) && !isTaken(join(top, path)))
      await copyTree(source, join(top, path), gently(repo, LEFT_OUT))
  }
}

/** New files that are too many to store. */
async function copyCrowd(
  repo: Repo,
  place: GitPlace,
  { top, folder }: { top: string; folder: string },
): Promise<void> {
  if (!isTaken(join(top, folder)) && LINKED.has(posix.basename(folder))) {
    linkTo(join(place.top, folder), join(top, folder.replace(/\/$/, '')))
    return
  }
  const how = ['ls-files', '--others', '--exclude-standard', '-z', '--', folder]
  const listing = await gitOut(repo, how, { literal: true, doing: 'list new files' })
  for (const path of listing.split('\0').filter((one) => one !== '')) {
    if (!isTaken(join(top, path)) && exists(join(place.top, path)))
      await copyTree(join(place.top, path), join(top, path), gently(repo, LEFT_OUT))
  }
}

/** A repository inside the repository, with its own old files. */
async function copyNested(
  place: GitPlace,
  {
    top,
    base,
    folder,
    old,
    repo,
  }: { top: string; base: TreeHash; folder: string; old: string[]; repo: Repo },
): Promise<void> {
  const source = join(place.top, folder)
  await copyTree(source, join(top, folder), gently(repo, new Set([...LEFT_OUT, ...LINKED])))
  const mine = old
    .filter((path) => path.startsWith(`${folder}/`))
    .map((path) => path.slice(folder.length + 1))
  const [before] = await manifestsOf(repo, [base])
  const tree = before.nested[folder]?.tree
  const inner = await openRepo(source, repo.by)
  if (mine.length === 0 || tree === undefined || inner.git === null || isFileList(tree)) return
  for (const path of mine) removeIfThere(join(top, folder, path))
  await writeOld(inner, inner.git, { tree, paths: mine, to: join(top, folder) })
}

/** Writes these files of a tree into a folder. */
export async function writeOld(
  repo: Repo,
  place: GitPlace,
  { tree, paths, to }: { tree: TreeHash; paths: string[]; to: string },
): Promise<string[]> {
  const entries = await entriesOf(repo, tree, paths)
  if (entries.size === 0) return []
  const index = join(place.gitDir, `ralph-restore-${me().pid}-${randomId(6)}`)
  const env = { GIT_INDEX_FILE: index }
  const doing = 'bring files back'
  try {
    const lines = [...entries].map(([path, entry]) => `${entry}\t${path}\0`).join('')
    await gitOut(repo, ['update-index', '-z', '--index-info'], { env, doing, input: lines })
    await gitOut(repo, ['checkout-index', '--all', '--force', '--quiet', `--prefix=${to}/`], { env, doing })
  } finally {
    for (const file of [index, `${index}.lock`]) removeIfThere(file)
  }
  return [...entries.keys()].sort()
}

/** Without git: the folder as it is, with the copies that the guard has kept. */
async function copyPlain(
  repo: Repo,
  { root, top, base, old }: { root: string; top: string; base: TreeHash; old: string[] },
): Promise<void> {
  removeFolder(top)
  await copyTree(root, top, gently(repo, new Set([...LEFT_OUT, ...LINKED])))
  for (const name of LINKED) if (exists(join(root, name))) linkTo(join(root, name), join(top, name))
  for (const path of old) {
    removeIfThere(join(top, path))
    const copy = join(keptFolder(repo, base), path)
    if (exists(copy)) await copyTree(copy, join(top, path), gently(repo, new Set()))
  }
}
