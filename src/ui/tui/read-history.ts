/**
 * Loads visible data that the view does not hold, once no key was pressed for a moment: older iterations, the changes and gate output
 * of one of them, and its agent's output. Also searches the output of other iterations.
 */
import type { IterationPartQuery, LoadedIterationPart, IterationPageQuery } from '../../app/run/history.ts'
import { messageOf, RalphError } from '../../core/error.ts'
import type { IterationView } from '../../core/presentation/run-view.ts'
import type { FullScreenTerminal } from '../../system/terminal/full-screen.ts'
import type { Watch } from '../../watch/watch.ts'
import type { DashboardState } from './draw-loop.ts'
import { paneContentSize } from './render-frame.ts'
import {
  addHistoryPage,
  chooseIteration,
  findMissingDetail,
  findMissingPage,
  lastIterationPosition,
  outputSourceAt,
} from './iterations.ts'
import { firstVisibleIteration } from './panes/iterations.ts'
import { noMatchText, showMatch } from './panes/output.ts'
import { iterationKey, sceneWithNotice, scrollbackOf, updateViewState, type DashboardScene } from './dashboard-scene.ts'
import { findInScrollback } from './scrollback.ts'

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
  /** Goes on with the search where the messages of the chosen iteration end. */
  searchOtherIterations(): void
  stop(): void
}

interface ReadingOptions {
  watch: Pick<Watch, 'hear' | 'read'>
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

  function loadChosenOutput(): void {
    unheard = stage.scene.ui.chosen !== null
    if (unheard) return rest()
    watch.hear(null)
    wake()
  }

  return {
    loadMissing() {
      const isWanting = unheard || pageIn(stage.scene, terminal) !== null || detailIn(stage.scene, terminal) !== null
      if (isWanting) rest()
    },
    loadChosenOutput,
    searchOtherIterations() {
      void seek(stage, { watch, past }).then((isFound) => {
        if (isFound) loadChosenOutput()
        stage.later()
      })
    },
    stop() {
      if (timer !== null) clearTimeout(timer)
    },
  }
}

/** Looks through one iteration after the other. Whether a match was found; the key that starts another search, or `esc`, ends this one. */
async function seek(stage: DashboardState, { watch, past }: Pick<ReadingOptions, 'watch' | 'past'>): Promise<boolean> {
  const { seeking } = stage.scene.ui
  if (seeking === null) return false
  const { from, back } = seeking
  // The live output has several iterations, which were searched already.
  const searched = new Set(stage.scene.words.entries.map(({ heads }) => heads))
  for (let at = from + (back ? -1 : 1); at >= 1 && at <= lastIterationPosition(stage.scene); at += back ? -1 : 1) {
    const missing = findMissingPage(stage.scene, { from: at, to: at })
    if (missing !== null) await readPage(missing, stage, past)
    // Lets a key be pressed between two logs.
    await new Promise((resolve) => setImmediate(resolve))
    if (stage.isDone || stage.scene.ui.seeking !== seeking) return false
    const source = outputSourceAt(stage.scene, at)
    if (searched.has(iterationKey(source))) continue
    const lines = scrollbackOf(source, watch.read(source))
    const found = findInScrollback(lines, stage.scene.ui.search, { from: back ? lines.next : -1, back })
    if (found === null) continue
    stage.scene = showMatch(chooseIteration(stage.scene, at, undefined), found)
    return true
  }
  const calm = updateViewState(stage.scene, { seeking: null })
  stage.scene = sceneWithNotice(calm, { text: noMatchText(stage.scene, back), bad: true })
  return false
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
