/** Which task of an acyclic graph comes after which: through blockers, children and the blockers of its parents. */
import type { WaitNode } from '../tasks/cycle.ts'

/** Whether `later` cannot begin before `earlier` has ended. */
export type IsLater = (later: string, earlier: string) => boolean

/** Represents sets of tasks as big integers: five hundred bits are cheap to copy. */
export function createIsLater(nodes: ReadonlyMap<string, WaitNode>): IsLater {
  const bits = new Map<WaitNode, bigint>()
  for (const node of nodes.values()) bits.set(node, 1n << BigInt(bits.size))
  const before = new Map<WaitNode, bigint>()
  const within = new Map<WaitNode, bigint>()
  /** The tasks that must end before this one begins. */
  const beginsAfter = (node: WaitNode): bigint => {
    let found = before.get(node)
    if (found === undefined) {
      found = node.parent === null ? 0n : beginsAfter(node.parent)
      for (const blocker of node.blockers) found |= endsAfter(blocker)
      before.set(node, found)
    }
    return found
  }
  /** The tasks that have ended when this one has, including itself. */
  const endsAfter = (node: WaitNode): bigint => {
    let found = within.get(node)
    if (found === undefined) {
      found = beginsAfter(node) | (bits.get(node) ?? 0n)
      for (const child of node.children) found |= endsAfter(child)
      within.set(node, found)
    }
    return found
  }
  return (later, earlier) => {
    const [node, other] = [nodes.get(later), nodes.get(earlier)]
    if (node === undefined || other === undefined) return false
    return (beginsAfter(node) & (bits.get(other) ?? 0n)) !== 0n
  }
}
