/** Reads and validates the files that the agent of an import writes into its folder. */
import { join } from 'node:path'
import { parseCheckboxes } from '../core/plan/fix-plan.ts'
import { stripControl } from '../core/text/sanitize.ts'
import { readText, sizeOf } from '../system/files/files.ts'

/** Keyed by the role of each file in the project. */
const FILES = { prompt: 'PROMPT.md', plan: 'fix_plan.md', requirements: 'requirements.md' } as const

export type ImportedFiles = Record<keyof typeof FILES, string>

/** More than any plan or specification that an agent could read later. */
const BYTES_MAX = 512 * 1024

/** The first problem with the files; null: they are complete. */
export function importProblem(folder: string): string | null {
  for (const name of Object.values(FILES)) {
    const size = sizeOf(join(folder, name))
    if (size === null) return `it wrote no ${name}`
    if (size > BYTES_MAX) return `its ${name} has ${size} bytes, too many to read`
    if (readClean(folder, name) === '') return `its ${name} is empty`
  }
  return parseCheckboxes(readClean(folder, FILES.plan), []).open === 0 ? `its ${FILES.plan} has no open item` : null
}

/** Call only when `importProblem` is null. */
export function readImportedFiles(folder: string): ImportedFiles {
  const read = (name: string): string => `${readClean(folder, name)}\n`
  return { prompt: read(FILES.prompt), plan: read(FILES.plan), requirements: read(FILES.requirements) }
}

function readClean(folder: string, name: string): string {
  return stripControl(readText(join(folder, name))).trim()
}
