/**
 * The files behind a snapshot, by their paths from the project's folder, with all that is needed to read them: from git's objects, from
 * repositories inside the repository, or, where there is no git, from the folder itself and from the copies that a guard keeps.
 */
import { join, posix, relative, resolve, sep } from 'node:path'
import { RalphError } from '../domain/error.ts'
import type { TreeHash } from '../domain/ids.ts'
import { randomId } from '../system/clock.ts'
import type { Errand } from '../system/errand.ts'
import { exists, readIfThere, sizeOf } from '../system/files.ts'
import { fileListOf, isFileList } from './file-list.ts'
import { gitOut, openRepo } from './git.ts'
import type { Repo } from './place.ts'
import { keptFolder, keptList } from './guard-copies.ts'
import { MANIFEST_PATH, readManifest } from './manifest.ts'
import { isOurs } from './status.ts'

export interface TreeFile {
  /** Two files with one id have the same content. */
  id: string
  isLink: boolean
  from: { is: 'git'; place: Place } | { is: 'disk'; path: string } | { is: 'unstored' }
}

/** Where git has it. Not for whom it is read: a list of files is kept longer than one errand lasts. */
type Place = Pick<Repo, 'root' | 'git'>

/** A path outside the project's folder begins with `../`. */
export type TreeFiles = Map<string, TreeFile>

/** Null: not text, too large to look into, or not stored. */
export type Content = string | null

/** Larger files are compared by their hash alone. */
const TEXT_MAX = 1024 * 1024

/** `when`: without git only the present files are in the folder; older ones are read from the guard's copies. */
export async function filesOf(
  repo: Repo,
  { root, tree, when }: { root: string; tree: TreeHash; when: 'then' | 'now' },
): Promise<TreeFiles> {
  if (repo.git === null || isFileList(tree)) return listedFiles(repo, { root, tree, when })
  const prefix = prefixOf(repo, root)
  if (prefix === '') return gitFiles(repo, tree)
  const files: TreeFiles = new Map()
  for (const [path, file] of await gitFiles(repo, tree)) {
    files.set(
      path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : posix.relative(prefix, path),
      file,
    )
  }
  return files
}

/** From the top of the working tree to the project's folder, without a slash at the end. */
export function prefixOf(repo: Repo, root: string): string {
  const below = relative(repo.root, resolve(root)).split(sep).join('/')
  return posix
    .join(repo.git?.prefix ?? '', below)
    .replace(/\/$/, '')
    .replace(/^\.$/, '')
}

async function gitFiles(repo: Repo, tree: TreeHash): Promise<TreeFiles> {
  const listing = await gitOut(repo, ['ls-tree', '-r', '-z', '--full-tree', tree], {
    doing: 'list the files of a snapshot',
  })
  const files: TreeFiles = new Map()
  const place: Place = { root: repo.root, git: repo.git }
  let manifest: TreeFile | null = null
  for (const entry of listing.split('\0')) {
    const tab = entry.indexOf('\t')
    if (tab < 0) continue
    const path = entry.slice(tab + 1)
    const id = entry.slice(entry.lastIndexOf(' ', tab) + 1, tab)
    const file: TreeFile = { id, isLink: entry.startsWith('120000'), from: { is: 'git', place } }
    if (path === MANIFEST_PATH) manifest = file
    else if (!isOurs(path)) files.set(path, file)
  }
  if (manifest !== null) await addUnstored(repo, files, manifest)
  return files
}

async function addUnstored(repo: Repo, files: TreeFiles, manifest: TreeFile): Promise<void> {
  const { files: unstored, nested } = readManifest(
    (await readFiles([manifest], repo.by)).get(manifest) ?? null,
  )
  for (const [path, hash] of Object.entries(unstored)) {
    files.set(path, { id: hash, isLink: false, from: { is: 'unstored' } })
  }
  for (const [folder, { tree }] of Object.entries(nested)) {
    const place = join(repo.git?.top ?? repo.root, folder)
    // Without its own git, a folder inside is only known by one hash over everything.
    const isListed = isFileList(tree) || !exists(place)
    const inside: TreeFiles = isListed
      ? new Map([['.', { id: tree, isLink: false, from: { is: 'unstored' } }]])
      : await gitFiles(await openRepo(place, repo.by), tree)
    for (const [path, file] of inside) files.set(posix.join(folder, path), file)
  }
}

function listedFiles(
  repo: Repo,
  { root, tree, when }: { root: string; tree: TreeHash; when: 'then' | 'now' },
): TreeFiles {
  const list = (when === 'then' ? keptList(repo, tree) : null) ?? fileListOf(repo, tree)
  if (list === null) {
    throw new RalphError('not-found', `the list of files behind ${tree} is no longer there`, {
      hint: 'A project without git keeps only its last lists; run `git init` to have real snapshots.',
    })
  }
  const folder = when === 'then' ? keptFolder(repo, tree) : root
  return new Map(
    Object.entries(list).map(([path, id]) => [
      path,
      { id, isLink: false, from: { is: 'disk', path: join(folder, path) } },
    ]),
  )
}

/** The contents of many files, with one process for each repository they lie in. */
export async function readFiles(files: TreeFile[], by: Errand | undefined): Promise<Map<TreeFile, Content>> {
  const contents = new Map<TreeFile, Content>()
  const byRepo = new Map<string, { repo: Repo; inside: TreeFile[] }>()
  for (const file of files) {
    if (file.from.is === 'disk') contents.set(file, fileText(file.from.path))
    else if (file.from.is === 'unstored') contents.set(file, null)
    else {
      const { place } = file.from
      const same = byRepo.get(place.root)
      if (same === undefined) byRepo.set(place.root, { repo: { ...place, by }, inside: [file] })
      else same.inside.push(file)
    }
  }
  for (const { repo, inside } of byRepo.values()) {
    const blobs = await readBlobs(repo, [...new Set(inside.map(({ id }) => id))])
    for (const file of inside) contents.set(file, blobs.get(file.id) ?? null)
  }
  return contents
}

/** Git's answer reaches us as text, where the length of what is not text is lost. So each answer begins with a word that nobody could
 *  have put into a file, and what is not as long as git says was not text. */
async function readBlobs(repo: Repo, ids: string[]): Promise<Map<string, Content>> {
  const blobs = new Map<string, Content>()
  if (ids.length === 0) return blobs
  const mark = `ralph-${randomId(24)}`
  const format = `--batch=${mark} %(objectname) %(objectsize)`
  const input = ids.map((id) => `${id}\n`).join('')
  const answer = await gitOut(repo, ['cat-file', format], { input, doing: 'read files of a snapshot' })
  for (const part of answer.split(`${mark} `).slice(1)) {
    const [id = '', size = ''] = part.slice(0, part.indexOf('\n')).split(' ')
    const text = part.slice(part.indexOf('\n') + 1, -1)
    blobs.set(id, Number(size) <= TEXT_MAX && isText(text, Number(size)) ? text : null)
  }
  return blobs
}

function isText(text: string, size: number): boolean {
  return Buffer.byteLength(text) === size && !text.includes('\0')
}

/** A copy may be missing because the file was too large to keep. */
export function fileText(path: string): Content {
  try {
    if ((sizeOf(path) ?? 0) > TEXT_MAX) return null
    const text = readIfThere(path)
    return text === null || text.includes('\0') || text.includes('\uFFFD') ? null : text
  } catch {
    return null
  }
}
