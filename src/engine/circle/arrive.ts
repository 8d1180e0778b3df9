/** What a process finds when it has taken hold of a working tree, said and cleared away before it serves a run there. */
import type { RunId } from '../../domain/ids.ts'
import { rememberTree } from '../../store/db/moved.ts'
import { lossWords, type Newest } from '../../store/db/newest.ts'
import type { Store } from '../../store/db/open.ts'
import { lastSeq } from '../../store/record.ts'
import { endNoted } from '../../system/process/process.ts'
import { removeTemporaries } from '../../system/files/replace-file.ts'
import { processNotes, treeOf, type Repo } from '../../workspace/repo/repository-at.ts'
import { runFilePath } from '../../workspace/run-files.ts'

export interface Arrival {
  root: string
  repo: Repo
  folder: string
  store: Store
  /** As it was noted when the command began. */
  newest: Newest | null
  notice: (text: string) => void
}

export async function arrive({ root, repo, folder, store, newest, notice }: Arrival): Promise<void> {
  const from = await rememberTree(store.sql, root, treeOf(repo, folder))
  if (from !== null) notice(`This project was moved here from ${from}; its runs came along.`)
  if (newest !== null && (await isLost(store, newest)))
    await endNoted(processNotes(folder, newest.run), { graceMs: 0 })
  for (const name of ['', 'reports', 'logs']) removeTemporaries(runFilePath(root, name))
}

/** What lost rows had started may still run, and no row is left that names it. */
async function isLost({ sql, lost }: Store, { run }: Newest): Promise<boolean> {
  return lost !== null || (await lastSeq(sql, run)) === 0
}

/** `goesOn`: the run that is taken up now; null: a new one begins. */
export function tellLoss({ store, notice }: Arrival, goesOn: RunId | null): void {
  if (store.lost === null) return
  const { run, kept } = store.lost
  notice(
    `${lossWords(store.lost)} ${run === goesOn ? `The run goes on from row ${kept}.` : 'A new run begins.'}`,
  )
}
