/** What the HTML page of a run shows: its report, and its newest iterations with their diffs. */
import { basename } from 'node:path'
import type { Report } from '../../core/presentation/report.ts'
import type { IterationView } from '../../core/presentation/run-view.ts'
import { loadRunView } from '../../store/run-views.ts'
import type { Masker } from '../../system/mask/mask.ts'
import { patchBetween } from '../../workspace/repo/patch.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { withStoreAndFolders } from '../open-store.ts'
import { findRunOrLatest } from '../run/find-run.ts'
import { iterationKey, loadIterationTrees, type IterationTrees } from './iteration-trees.ts'
import { readReport } from '../run/report.ts'

export interface ReportPage {
  report: Report
  /** The name of the project's folder. */
  project: string
  /** The branches its workers began on. */
  branches: string[]
  /** The models that answered last. */
  models: string[]
  /** The newest, oldest first. */
  iterations: PageIteration[]
}

export interface PageIteration extends IterationView {
  /** The beginning of its diff, or all of it. Null: it changed no file, or git no longer has the trees. */
  diff: { text: string; cut: boolean } | null
}

/** Nobody reads more at once, and a page must fit into an e-mail. */
const ITERATIONS_MAX = 100
/** The page shows less of each diff. More is read because a secret that is cut in two cannot be recognized. */
const DIFF_READ = 16 * 1024

export function loadReportPage(root: string, named: string | null, mask: Pick<Masker, 'text'>): Promise<ReportPage> {
  return withStoreAndFolders(root, async ({ sql }, { repo }) => {
    const entry = await findRunOrLatest(sql, root, named)
    const report = await readReport(sql, entry, repo)
    const view = await loadRunView(sql, entry)
    const newest = view?.iterations.slice(-ITERATIONS_MAX) ?? []
    const trees = await loadIterationTrees(sql, entry.id, newest)
    const iterations: PageIteration[] = []
    for (const one of newest) {
      const diff = await readDiff(repo, one, trees.get(iterationKey(one.worker, one.n)))
      iterations.push({ ...one, diff: diff === null ? null : { ...diff, text: mask.text(diff.text) } })
    }
    const workers = Object.values(view?.workers ?? {})
    return {
      report,
      project: basename(root),
      branches: unique(workers.map(({ branchState }) => branchState?.home ?? null)),
      models: unique(workers.map(({ model }) => model)),
      iterations,
    }
  })
}

async function readDiff(
  repo: Repo,
  { change }: IterationView,
  trees: IterationTrees | undefined,
): Promise<PageIteration['diff']> {
  if (change === null || change.files === 0 || trees === undefined) return null
  const found = await patchBetween(repo, trees, DIFF_READ)
  return found === null ? null : { text: found.patch, cut: found.cut }
}

function unique(names: (string | null)[]): string[] {
  return [...new Set(names.filter((name) => name !== null))]
}
