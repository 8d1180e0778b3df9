/** After locking a working tree: reports what a process finds there and cleans up, before a run starts. */
import type { RunId } from '../../core/ids.ts'
import { saveWorktreePath } from '../../store/db/moved-project.ts'
import { lostRowsMessage, type LastRow } from '../../store/db/last-row-note.ts'
import type { Store } from '../../store/db/open-store.ts'
import { lastSeq } from '../../store/record.ts'
import { endRecordedProcesses } from '../../system/process/process.ts'
import { removeStaleTempFiles } from '../../system/files/replace-file.ts'
import { descendantFilesFolder, treeIdentityOf, type Repo } from '../../workspace/repo/find-repo.ts'
import { stateFilePath } from '../../workspace/state-files.ts'

export interface PrepareTreeContext {
  root: string
  repo: Repo
  folder: string
  store: Store
  /** The last-row note when the command began. */
  newest: LastRow | null
  notice: (text: string) => void
}

export async function prepareLockedTree({
  root,
  repo,
  folder,
  store,
  newest,
  notice,
}: PrepareTreeContext): Promise<void> {
  const from = await saveWorktreePath(store.sql, root, treeIdentityOf(repo, folder))
  if (from !== null) notice(`This project was moved here from ${from}. Ralph still has its runs and tasks.`)
  if (newest !== null && (await isLost(store, newest)))
    await endRecordedProcesses(descendantFilesFolder(folder, newest.run), { graceMs: 0 })
  for (const name of ['', 'reports', 'logs']) removeStaleTempFiles(stateFilePath(root, name))
}

/** Whether rows were lost: processes that they started may still run, and no row names them. */
async function isLost({ sql, lost }: Store, { run }: LastRow): Promise<boolean> {
  return lost !== null || (await lastSeq(sql, run)) === 0
}

/** `resumedRun`: the run that is resumed now; null: a new one begins. */
export function reportLostRows({ store, notice }: PrepareTreeContext, resumedRun: RunId | null): void {
  if (store.lost === null) return
  const { run, kept } = store.lost
  notice(
    `${lostRowsMessage(store.lost)} ${run === resumedRun ? `The run continues from row ${kept}.` : 'A new run starts.'}`,
  )
}
