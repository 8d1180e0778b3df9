/** Reads and merges git blobs byte for byte in a temporary folder, without any filter, line-end conversion or setting of the project. */
import { join } from 'node:path'
import { makeTempFolder, readFileChunks, removeFolder, removeIfExists } from '../../system/files/files.ts'
import { git, gitLine } from '../repo/git.ts'
import type { GitFolders, Repo } from '../repo/find-repo.ts'

export interface Blobs {
  read(hash: string): Promise<Buffer>
  /** Null: the blob is not text. */
  text(hash: string): Promise<string | null>
  write(text: string): Promise<string>
  /** Three-way merge; null: both sides changed the same lines, or a blob is not text. */
  merge(sides: { base: string; ours: string; theirs: string }): Promise<string | null>
}

/** The blobs are usable only while `work` runs. */
export async function withBlobs<T>(repo: Repo, place: GitFolders, work: (blobs: Blobs) => Promise<T>): Promise<T> {
  const folder = makeTempFolder('ralph-merge-')
  try {
    return await work(blobsIn(folder, repo, place))
  } finally {
    removeFolder(folder)
  }
}

function blobsIn(folder: string, repo: Repo, place: GitFolders): Blobs {
  // Git writes into the folder that it takes for the working tree.
  const here: Repo = { ...repo, root: folder, git: { ...place, top: folder, prefix: '' } }
  const activity = 'read saved files'

  const layOut = (hash: string): Promise<string> => gitLine(here, ['unpack-file', hash], { activity })
  const read = async (hash: string): Promise<Buffer> => {
    const file = join(folder, await layOut(hash))
    const pieces: Buffer[] = []
    for await (const piece of readFileChunks(file)) pieces.push(piece)
    removeIfExists(file)
    return Buffer.concat(pieces)
  }
  return {
    read,
    async text(hash) {
      const bytes = await read(hash)
      const text = bytes.toString('utf8')
      return bytes.includes(0) || !Buffer.from(text).equals(bytes) ? null : text
    },
    async write(text) {
      const args = ['hash-object', '-w', '--no-filters', '--stdin']
      return gitLine(here, args, { activity: 'save a merged file', input: text })
    },
    async merge({ base, ours, theirs }) {
      const files = [await layOut(ours), await layOut(base), await layOut(theirs)]
      const { code } = await git(here, ['merge-file', '-q', ...files])
      const keep = ['hash-object', '-w', '--no-filters', files[0] ?? '']
      const merged = code === 0 ? await gitLine(here, keep, { activity: 'save a merged file' }) : null
      for (const file of files) removeIfExists(join(folder, file))
      return merged
    },
  }
}
