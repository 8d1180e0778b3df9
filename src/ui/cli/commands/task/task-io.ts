/** Where tasks are kept, and how what is said about them looks. */
import type { StoreLocation } from '../../../../app/task/task-store.ts'
import { paint } from '../../../plain/colours.ts'
import type { TerminalStyle } from '../../../plain/screens/task-lines.ts'
import { widthOf, type Io } from '../../frame/io.ts'
import { projectOf } from '../../frame/project-root.ts'

export function storeLocationOf(io: Io): StoreLocation {
  return { root: projectOf(io).root, notice: (text) => io.err(`${text}\n`) }
}

export function screenStyleOf(io: Io): TerminalStyle {
  return { p: paint(io.colour), width: widthOf(io) }
}

/** A feature that nobody named before may be a slip. */
export function reportNewFeatures(names: string[], io: Io): void {
  for (const name of names) io.err(`Feature ${name} is new.\n`)
}
