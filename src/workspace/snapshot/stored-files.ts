/**
 * Decides which files a snapshot, and a commit of Ralph, leaves out: secrets, huge files, and crowds of new files that somebody forgot to
 * ignore. They are hashed (huge ones by size, times and inode number, because reading gigabytes takes too long), so a change is noticed,
 * but their content is never copied into the repository. Pure.
 */
import { splitWords } from '../../core/text/split-words.ts'

export interface SnapshotLimits {
  /** A single file larger than this is not stored. */
  fileBytes: number
  /** More new files than this, or more bytes in them, and the largest folders are left out until the rest fits. */
  files: number
  bytes: number
}

export const SNAPSHOT_LIMITS: SnapshotLimits = { fileBytes: 10 * 1024 * 1024, files: 2000, bytes: 50 * 1024 * 1024 }

export interface StorageChoice {
  stored: string[]
  /** Secrets and large files, each with its reason. */
  single: { path: string; why: 'secret' | 'large' }[]
  /** Whole folders of new files, by folder. */
  crowds: Map<string, string[]>
}

/** Divides new files into those to store and those to leave out. The same files always give the same answer. */
export function chooseStoredFiles(files: ReadonlyMap<string, number>, limits: SnapshotLimits): StorageChoice {
  const single: StorageChoice['single'] = []
  const groups = new Map<string, { paths: string[]; bytes: number }>()
  let count = 0
  let bytes = 0
  for (const [path, size] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (isSecretFileName(path)) single.push({ path, why: 'secret' })
    else if (size > limits.fileBytes) single.push({ path, why: 'large' })
    else {
      const folder = crowdFolder(path)
      const group = groups.get(folder) ?? { paths: [], bytes: 0 }
      group.paths.push(path)
      group.bytes += size
      groups.set(folder, group)
      count += 1
      bytes += size
    }
  }
  const crowds: StorageChoice['crowds'] = new Map()
  const weight = (group: { paths: string[]; bytes: number }) =>
    group.paths.length / limits.files + group.bytes / limits.bytes
  for (const [folder, group] of [...groups].sort((a, b) => weight(b[1]) - weight(a[1]))) {
    if (count <= limits.files && bytes <= limits.bytes) break
    crowds.set(folder, group.paths)
    groups.delete(folder)
    count -= group.paths.length
    bytes -= group.bytes
  }
  return { stored: [...groups.values()].flatMap((group) => group.paths), single, crowds }
}

/** Folders that tools fill with thousands of files, at any depth. */
const HEAVY = new Set(
  splitWords(`
    node_modules vendor target build dist out .venv venv env __pycache__ .next .nuxt .cache .gradle
    .tox coverage tmp bower_components Pods
  `),
)

/** The folder that is left out when there are too many of its files: up to the first heavy name, else the first folder. */
function crowdFolder(path: string): string {
  const folders = path.split('/').slice(0, -1)
  const heavy = folders.findIndex((name) => HEAVY.has(name))
  const kept = heavy >= 0 ? folders.slice(0, heavy + 1) : folders.slice(0, 1)
  return kept.length === 0 ? path : `${kept.join('/')}/`
}

const SECRET = [
  /^\.env($|\.)/,
  /\.env$/,
  /\.(pem|key|p12|pfx|p8|keystore|jks|kdbx|ppk|asc)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)/,
  /^credentials?($|\.(json|ya?ml|toml|ini|xml|csv|txt|properties)$)/,
  /^secrets?($|\.(json|ya?ml|toml|ini|xml|txt|properties|env)$)/,
  /^service[-_]?account.*\.json$/,
  /^client_secret.*\.json$/,
  /^\.(netrc|pgpass|pypirc|htpasswd|git-credentials|dockercfg|vault-token)$/,
]
/** Examples are made to be shared, and the public half of a key pair is public. */
const HARMLESS = /(\.(example|sample|template|dist|defaults?|pub)$)|example|sample/

/** Whether a file of this name usually holds a secret. Decided by the name alone. */
export function isSecretFileName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return SECRET.some((pattern) => pattern.test(name)) && !HARMLESS.test(name)
}

/** At most 20 names for people, then a count. */
export function shortenNameList(names: string[]): string[] {
  const shown = names.slice(0, 20)
  return names.length > shown.length ? [...shown, `and ${names.length - shown.length} more`] : shown
}
