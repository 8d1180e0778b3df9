/** One line for each iteration: did it move the work, who, how long, for how much, and what it says of itself. */
import { focus } from '../../../domain/tell/focus.ts'
import { markOf, type IterationMark } from '../../../domain/tell/iteration-mark.ts'
import { tokensOf } from '../../../domain/admission/budget.ts'
import { PAPER_FILES } from '../../../domain/feature/paper.ts'
import { never } from '../../../domain/machine.ts'
import type { IterationView } from '../../../domain/tell/view.ts'
import { clockTime, dollars, short } from '../../plain/format.ts'
import { iterationAt, iterationName, lastIteration, selected } from '../iterations.ts'
import { fillLine, say, type ScreenLine, type Size, type Span, type SpanTone } from '../line.ts'
import { topFor } from '../list.ts'
import { isCutOff, isOver, type Scene } from '../scene.ts'
import { cells, firstCells, shown } from '../width.ts'

const TONES: Record<IterationMark['is'], SpanTone> = {
  going: 'head',
  moved: 'good',
  nothing: 'dim',
  refused: 'bad',
}

export function glyphOf({ is, glyph }: IterationMark): Span {
  return say(glyph, TONES[is])
}

export function iterationsPane(scene: Scene, { columns, rows }: Size): ScreenLine[] {
  const last = lastIteration(scene)
  if (last === 0) return [[say('No iteration has begun yet.', 'dim')]]
  const top = iterationsTop(scene, rows)
  const chosen = selected(scene)
  const positions = Array.from({ length: Math.min(rows, last - top) }, (_, row) => top + 1 + row)
  const wide = widths(
    scene,
    positions.map((at) => iterationAt(scene, at)),
  )
  const room = Math.max(String(last).length, ...positions.map((at) => iterationName(scene, at).length))
  return positions.map((n) => {
    const lead = say(n === chosen ? '›' : ' ', 'bold')
    const number = say(iterationName(scene, n).padStart(room), n === chosen ? 'bold' : 'dim')
    const one = iterationAt(scene, n)
    const line = [
      lead,
      number,
      say(' '),
      ...(one === null ? [say('…', 'dim')] : facts(scene, one, { wide, columns })),
    ]
    return n === chosen && scene.ui.focus === 'iterations' ? marked(line, columns) : line
  })
}

/** The first one in sight, counted from 0. */
export function iterationsTop(scene: Scene, rows: number): number {
  const length = lastIteration(scene)
  const cursor = Math.max(0, selected(scene) - 1)
  return topFor(cursor, scene.ui.at.iterations?.entry ?? length, { length, rows })
}

/** The whole line in reverse: no colour is needed to see where the cursor stands. */
function marked(line: ScreenLine, columns: number): ScreenLine {
  return fillLine(line, columns).map((span) => ({ ...span, tone: 'mark' as const }))
}

interface Widths {
  agent: number
  time: number
  cost: number
  change: number
}

const AGENT_MAX = 12

function widths(scene: Scene, iterations: (IterationView | null)[]): Widths {
  const most = (text: (one: IterationView) => string): number =>
    Math.max(0, ...iterations.map((one) => (one === null ? 0 : cells(shown(text(one))))))
  return {
    agent: Math.min(
      AGENT_MAX,
      most(({ agent }) => agent),
    ),
    time: most((one) => timeOf(scene, one)),
    cost: most(costOf),
    change: most(changeOf),
  }
}

/** From here on there is room for how much was changed. */
const CHANGE_FROM = 66

function facts(
  scene: Scene,
  one: IterationView,
  { wide, columns }: { wide: Widths; columns: number },
): ScreenLine {
  const agent = firstCells(shown(one.agent), wide.agent)
  return [
    glyphOf(markOf(one)),
    say(` ${agent}${' '.repeat(Math.max(0, wide.agent - cells(agent)))} `),
    say(timeOf(scene, one).padStart(wide.time), 'dim'),
    say(` ${costOf(one).padStart(wide.cost)} `),
    ...(columns < CHANGE_FROM || wide.change === 0
      ? []
      : [say(`${changeOf(one).padEnd(wide.change)} `, 'dim')]),
    ...wordsOf(scene, one),
  ]
}

/** Of one under way: so far. */
function timeOf(scene: Scene, { durationMs, startedAt }: IterationView): string {
  if (durationMs !== null) return clockTime(durationMs)
  return isOver(scene) || isCutOff(scene) ? '' : clockTime(scene.now - startedAt)
}

/** What nobody told is not nothing. */
function costOf({ usage, end }: IterationView): string {
  if (end === null) return ''
  if (usage?.usd !== undefined) return dollars(usage.usd, usage)
  const tokens = usage === null ? 0 : tokensOf(usage)
  return tokens > 0 ? `${short(tokens)} tok` : '?'
}

function changeOf({ change }: IterationView): string {
  if (change === null || (change.added === 0 && change.removed === 0)) return ''
  return `+${change.added} −${change.removed}`
}

function wordsOf(scene: Scene, one: IterationView): ScreenLine {
  const { is, word } = markOf(one)
  const ended =
    word === null ? [] : [say(one.failure === null ? `${word} ` : `${word}: ${one.failure} `, 'warn')]
  switch (is) {
    case 'going':
      return [say(isOver(scene) || isCutOff(scene) ? 'cut off' : `${doing(scene)} …`, 'head')]
    case 'refused':
      return [say(`refused: ${one.rejection ?? ''}`, 'warn')]
    case 'moved':
      return [...ended, say(one.paper === undefined ? one.summary : `${PAPER_FILES[one.paper]} written`)]
    case 'nothing':
      if (word !== null) return ended
      return [say(one.summary === '' ? 'nothing changed' : `nothing changed: ${one.summary}`, 'dim')]
    default:
      return never(is)
  }
}

function doing({ view }: Scene): string {
  return focus(view)?.doing.is ?? 'working'
}
