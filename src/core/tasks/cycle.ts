/**
 * Whether tasks would wait for themselves. A task has a beginning and an end: its end waits for its beginning and for the ends of its
 * children; its beginning waits for the ends of its blockers and for the beginning of its parent, because a
 * descendant inherits what its ancestors wait for. Tasks in a cycle of these waits never begin.
 */
import { clip } from '../text/sanitize.ts'
import type { TaskId } from './task.ts'

export interface WaitNode {
  id: TaskId
  title: string
  parent: WaitNode | null
  children: WaitNode[]
  blockers: WaitNode[]
}

/** Links these tasks with each other and with the known others; unknown ids are left out. */
export function waitGraph(
  tasks: readonly { id: TaskId; title: string; parent: TaskId | null; blockers: readonly TaskId[] }[],
  others: Iterable<[TaskId, WaitNode]> = [],
): Map<TaskId, WaitNode> {
  const nodes = new Map(others)
  for (const { id, title } of tasks) nodes.set(id, { id, title, parent: null, children: [], blockers: [] })
  for (const { id, parent, blockers } of tasks) {
    const node = nodes.get(id)
    if (node === undefined) continue
    node.parent = nodes.get(parent ?? '') ?? null
    node.parent?.children.push(node)
    node.blockers = [...new Set(blockers)].flatMap((blocker) => nodes.get(blocker) ?? [])
  }
  return nodes
}

/** A cycle reachable from one of these: each task waits for the next, the last for the first; null: none. */
export function findCycle(from: Iterable<WaitNode>): WaitNode[] | null {
  const seen = { begin: new Map<WaitNode, Seen>(), end: new Map<WaitNode, Seen>() }
  for (const node of from) {
    const found = cycleFrom({ node, side: 'end' }, seen)
    if (found !== null) return found
  }
  return null
}

type Side = 'begin' | 'end'
type Seen = 'open' | 'over'

interface WaitPoint {
  node: WaitNode
  side: Side
}

interface Frame extends WaitPoint {
  /** How many of the points it waits for were visited. */
  next: number
}

function cycleFrom(start: WaitPoint, seen: Record<Side, Map<WaitNode, Seen>>): WaitNode[] | null {
  if (seen[start.side].has(start.node)) return null
  const way: Frame[] = []
  const enter = (point: WaitPoint): void => {
    seen[point.side].set(point.node, 'open')
    way.push({ ...point, next: 0 })
  }
  enter(start)
  for (let frame = way.at(-1); frame !== undefined; frame = way.at(-1)) {
    const to = waitedFor(frame, frame.next++)
    if (to === null) {
      seen[frame.side].set(frame.node, 'over')
      way.pop()
      continue
    }
    const known = seen[to.side].get(to.node)
    if (known === 'open') return roundAt(way, to)
    if (known === undefined) enter(to)
  }
  return null
}

/** The nth point that this one waits for. */
function waitedFor({ node, side }: WaitPoint, n: number): WaitPoint | null {
  const first = side === 'end' ? node : node.parent
  const points = side === 'end' ? node.children : node.blockers
  const i = first === null ? n : n - 1
  if (first !== null && n === 0) return { node: first, side: 'begin' }
  const other = points[i]
  return other === undefined ? null : { node: other, side: 'end' }
}

/** The tasks to name: those whose end is in the cycle, and those whose blocker keeps their descendants from beginning. */
function roundAt(way: Frame[], { node, side }: WaitPoint): WaitNode[] {
  const round = way.slice(way.findIndex((frame) => frame.node === node && frame.side === side))
  // Without an end, the cycle consists of tasks that are parents of each other.
  if (!round.some((frame) => frame.side === 'end')) return round.map((frame) => frame.node)
  const nextIsEnd = (i: number): boolean => round[(i + 1) % round.length]?.side === 'end'
  const named = round.filter((frame, i) => frame.side === 'end' || nextIsEnd(i)).map((frame) => frame.node)
  return named.filter((one, i) => i === 0 || (one !== named[i - 1] && !(i === named.length - 1 && one === named[0])))
}

const TITLE_MAX = 40
/** A longer cycle is shortened in the middle. */
const TOLD_MAX = 10

/** `a "Log in" → b "Sign up" → a`. */
export function describeCycle(cycle: Pick<WaitNode, 'id' | 'title'>[]): string {
  const told = cycle.map(({ id, title }) => `${id} "${clip(title, TITLE_MAX)}"`)
  if (told.length > TOLD_MAX) told.splice(TOLD_MAX / 2, told.length - TOLD_MAX, `… ${told.length - TOLD_MAX} more …`)
  return [...told, cycle[0]?.id ?? ''].join(' → ')
}
