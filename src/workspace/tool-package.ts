/**
 * The package behind a program. What starts a test runner is often a line or two; what it does lies in the files beside it, which
 * git ignores, so they are known here by their content.
 */
import { createHash } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'
import { exists, listFolder, readIfThere, sizeOf } from '../system/files.ts'
import { type FolderFile, folderFiles, hashSmallFile } from '../system/folder-files.ts'
import { realPath } from '../system/links.ts'

export interface ToolPackage {
  of: 'node' | 'python'
  name: string
  /** Folders with all its files, or single files. */
  places: string[]
}

/** `program` is a path without links in it. */
export function packageBehind(program: string): ToolPackage | null {
  return nodePackage(program) ?? nodePackage(leadsTo(program) ?? '') ?? pythonPackage(program)
}

function nodePackage(path: string): ToolPackage | null {
  const [, folder, name] = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/@.][^/]*))\//.exec(path) ?? []
  return folder === undefined || name === undefined ? null : { of: 'node', name, places: [folder] }
}

/** Some package managers put small scripts into `.bin` instead of links. */
function leadsTo(program: string): string | null {
  if (!program.includes('/node_modules/.bin/')) return null
  const [, quoted, plain] = /(?:"([^"\n]+)"|(\S+))[ \t]+"\$@"/.exec(safeText(program)) ?? []
  const target = quoted ?? plain
  if (target === undefined) return null
  const path = resolve(dirname(program), target.replace(/^\$basedir\//, ''))
  return realPath(path) ?? path
}

/** In a virtual environment a program is a script that imports its package. */
function pythonPackage(program: string): ToolPackage | null {
  const [, folder, within] = /^(.*\/site-packages\/([^/]+))\//.exec(program) ?? []
  if (folder !== undefined && within !== undefined) {
    return { of: 'python', name: within, places: [folder] }
  }
  const venv = dirname(dirname(program))
  if (!exists(join(venv, 'pyvenv.cfg'))) return null
  const sites = listFolder(join(venv, 'lib')).map((version) => join(venv, 'lib', version, 'site-packages'))
  for (const [, name = ''] of safeText(program).matchAll(/^from (\w+)[\w.]* import /gm)) {
    // `pytest` and others have their insides in a package of the same name with a line before it.
    const names = [name, `_${name}`, `${name}.py`]
    const places = sites.flatMap((site) => names.map((one) => join(site, one))).filter(exists)
    if (places.length > 0) return { of: 'python', name, places }
  }
  return null
}

function safeText(path: string): string {
  try {
    return (sizeOf(path) ?? 0) > 64 * 1024 ? '' : (readIfThere(path) ?? '')
  } catch {
    return ''
  }
}

/** Packages inside it are others; what Python compiles it writes when the gate runs. */
const WITHOUT = new Set(['node_modules', '__pycache__'])

/** Far more than test runners have. */
const FILES_MAX = 5000

/** Room for a compiler of 25 MB: what is beyond is known by its stamp, so that installing the same version again looks like a change. */
const HASHED_MAX = 32 * 1024 * 1024

/** Of names and contents: the same wherever and whenever it was installed. */
export function hashOfPackage({ places }: ToolPackage): string {
  const whole = createHash('sha256')
  let room = HASHED_MAX
  for (const place of places) {
    for (const file of folderFiles(place, { without: WITHOUT, max: FILES_MAX })) {
      room -= file.size
      whole.update(`${room < 0 ? file.stamp : contentOf(join(place, file.path), file)} ${file.path}\0`)
    }
  }
  return whole.digest('hex')
}

const known = new Map<string, { stamp: string; hash: string }>()

/** A file is read again only after it changed. */
function contentOf(path: string, { isLink, stamp, isSettled }: FolderFile): string {
  if (isLink) return `-> ${realPath(path)}`
  const before = known.get(path)
  if (before?.stamp === stamp) return before.hash
  const hash = hashSmallFile(path) ?? stamp
  if (isSettled) known.set(path, { stamp, hash })
  return hash
}
