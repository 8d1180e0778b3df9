/**
 * Loads visible data that the view does not hold, once no key was pressed for a moment: older iterations, the changes and gate output
 * of one of them, and its agent's output.
 */
import type { IterationPartQuery, LoadedIterationPart, IterationPageQuery } from '../../app/run/history.ts'
import { messageOf, RalphError } from '../../core/error.ts'
import type { IterationView } from '../../core/presentation/run-view.ts'
import type { FullScreenTerminal } from '../../system/terminal/full-screen.ts'
import type { Watch } from '../../watch/watch.ts'
import type { DashboardState } from './draw-loop.ts'
import { paneContentSize } from './render-frame.ts'
import { findMissingDetail, findMissingPage, addHistoryPage } from './iterations.ts'
import { firstVisibleIteration } from './panes/iterations.ts'
import type { DashboardScene } from './dashboard-scene.ts'

/** Reads data that the view does not hold. */
export interface HistoryReader {
  iterations(wanted: Omit<IterationPageQuery, 'run'>): Promise<IterationView[]>
  /** Null: the run has no such iteration. */
  detail(wanted: Omit<IterationPartQuery, 'run'>): Promise<LoadedIterationPart | null>
}

export interface HistoryLoader {
  /** Loads the visible data that is missing, if any. */
  loadMissing(): void
  /** Loads the output of the chosen iteration, or of the newest again. */
  loadChosenOutput(): void
  stop(): void
}

interface ReadingOptions {
  watch: Pick<Watch, 'hear'>
  past: HistoryReader
  terminal: Pick<FullScreenTerminal, 'size'>
  wake: () => void
}

/** While the user scrolls through a list, only the item where they stop is loaded. */
const REST_MS = 150

export function openHistoryLoader(
  stage: DashboardState,
  { watch, past, terminal, wake }: ReadingOptions,
): HistoryLoader {
  let timer: NodeJS.Timeout | null = null
  let reading = false
  let unheard = false

  function rest(): void {
    if (reading || stage.isDone) return
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(() => void read(), REST_MS)
  }

  async function read(): Promise<void> {
    timer = null
    reading = true
    const page = pageIn(stage.scene, terminal)
    if (page !== null) await readPage(page, stage, past)
    if (unheard && stage.scene.ui.chosen?.agent !== '') {
      unheard = false
      watch.hear(stage.scene.ui.chosen)
      wake()
    }
    const detail = detailIn(stage.scene, terminal)
    if (detail !== null) await readDetail(detail, stage, past)
    reading = false
    stage.later()
  }

  return {
    loadMissing() {
      const isWanting = unheard || pageIn(stage.scene, terminal) !== null || detailIn(stage.scene, terminal) !== null
      if (isWanting) rest()
    },
    loadChosenOutput() {
      unheard = stage.scene.ui.chosen !== null
      if (unheard) return rest()
      watch.hear(null)
      wake()
    },
    stop() {
      if (timer !== null) clearTimeout(timer)
    },
  }
}

type PageIn = NonNullable<ReturnType<typeof findMissingPage>>
type DetailIn = NonNullable<ReturnType<typeof findMissingDetail>>

function pageIn(scene: DashboardScene, terminal: Pick<FullScreenTerminal, 'size'>): PageIn | null {
  const room = paneContentSize(scene, 'iterations', terminal.size())
  const from = room === null ? 0 : firstVisibleIteration(scene, room.rows) + 1
  return findMissingPage(scene, { from, to: from + (room?.rows ?? 0) - 1 })
}

function detailIn(scene: DashboardScene, terminal: Pick<FullScreenTerminal, 'size'>): DetailIn | null {
  return paneContentSize(scene, 'detail', terminal.size()) === null ? null : findMissingDetail(scene)
}

/** A read error is reported once, and the read is not retried. */
async function readPage({ page, ...wanted }: PageIn, stage: DashboardState, past: HistoryReader): Promise<void> {
  const iterations = await past.iterations(wanted).catch((error: unknown) => {
    stage.notice(errorSentence(error), { bad: true })
    return []
  })
  stage.scene = addHistoryPage(stage.scene, page, iterations)
}

async function readDetail(wanted: DetailIn, stage: DashboardState, past: HistoryReader): Promise<void> {
  const { at, part, seen, ...query } = wanted
  const of = { at, part, seen }
  try {
    const found = await past.detail({ ...query, part })
    const none = { is: 'none' as const, why: `The record has no iteration ${query.name}.` }
    stage.scene = { ...stage.scene, detail: { ...of, ...(found === null ? none : { is: 'there', read: found }) } }
  } catch (error) {
    stage.scene = { ...stage.scene, detail: { ...of, is: 'none', why: errorSentence(error) } }
  }
}

export function errorSentence(error: unknown): string {
  const hint = error instanceof RalphError && error.hint !== undefined ? ` ${error.hint}` : ''
  return `${messageOf(error)}.${hint}`
}
