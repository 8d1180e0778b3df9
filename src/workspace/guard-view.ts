/** A tree as a guard sees it: its files, and what defines the gates in it. The view of a run's first tree is asked for again and again. */
import { posix } from 'node:path'
import type { Gate } from '../domain/proof/evidence.ts'
import type { Errand } from '../system/errand.ts'
import { definitionsOf, type Definitions, type Shelf } from './scripts.ts'
import { type Content, readFiles, type TreeFiles } from './tree-files.ts'

export interface View {
  files: TreeFiles
  definitions: Definitions
  /** Would a change of this path change the definitions? */
  concerns: (path: string) => boolean
  texts: Map<string, Content>
}

/** A script names a file that names a file: each round reads what the last one asked for. */
const ROUNDS_MAX = 20

export interface ViewOptions {
  gates: Gate[]
  by: Errand | undefined
  /** The view to compare with; only what differs from it is read. */
  known?: View
}

export async function viewOf(files: TreeFiles, { gates, by, known }: ViewOptions): Promise<View> {
  const texts = new Map<string, Content>()
  const asked = new Set<string>()
  const patterns = new Set<RegExp>()
  let wanted: string[] = []
  const shelf: Shelf = {
    has(path) {
      asked.add(path)
      return files.has(path)
    },
    text(path) {
      asked.add(path)
      const file = files.get(path)
      if (file === undefined) return null
      if (!texts.has(path) && known?.files.get(path)?.id === file.id && known.texts.has(path)) {
        texts.set(path, known.texts.get(path) ?? null)
      }
      if (!texts.has(path)) wanted.push(path)
      return texts.get(path) ?? null
    },
    named(pattern) {
      patterns.add(pattern)
      return [...files.keys()].filter((path) => pattern.test(posix.basename(path)))
    },
  }
  let definitions = definitionsOf(gates, shelf, known?.definitions.programs)
  for (let round = 0; wanted.length > 0 && round < ROUNDS_MAX; round++) {
    const paths = wanted
    wanted = []
    for (const [path, text] of await textsOf(files, { paths, by })) texts.set(path, text)
    definitions = definitionsOf(gates, shelf, known?.definitions.programs)
  }
  const concerns = (path: string) =>
    asked.has(path) || [...patterns].some((pattern) => pattern.test(posix.basename(path)))
  return { files, definitions, concerns, texts }
}

interface Wanted {
  paths: string[]
  by: Errand | undefined
}

export async function textsOf(files: TreeFiles, wanted: Wanted): Promise<Map<string, Content>> {
  const [texts] = await textsIn([files], wanted)
  return texts ?? new Map()
}

/** The same paths in several trees, read at once. */
export async function textsIn(trees: TreeFiles[], { paths, by }: Wanted): Promise<Map<string, Content>[]> {
  const there = trees.map((files) =>
    paths.flatMap((path) => {
      const file = files.get(path)
      return file === undefined ? [] : [{ path, file }]
    }),
  )
  const contents = await readFiles(
    there.flat().map(({ file }) => file),
    by,
  )
  return there.map((one) => new Map(one.map(({ path, file }) => [path, contents.get(file) ?? null])))
}
