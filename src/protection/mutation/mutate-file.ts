/** A changed file of the work as a trial breaks it: made to fail when it is loaded, or with its changed lines made wrong. */
import { changedLines } from './changed-lines.ts'
import { failOnLoad } from './fail-on-load.ts'
import { familyOf } from '../language-family.ts'
import { mutateLines } from './mutate-lines.ts'

const WORDS = 'broken on purpose, to see who looks\n'

/** A file that cannot be made to fail (data, pages, templates) loses its content, which a test that reads it must notice. */
export function breakOnLoad(path: string, text: string, how: { isProgram: boolean }): string {
  return failOnLoad(path, text, how) ?? WORDS
}

/** A test that fails before it loads anything: what a module imports is run before its own first statement, so it must not parse. */
export function makeTestFail(path: string, text: string): string {
  return familyOf(path) === 'js' || familyOf(path) === 'ts'
    ? `${WORDS}${text}`
    : breakOnLoad(path, text, { isProgram: true })
}

/** Null: nothing on the changed lines can be made wrong. */
export function mutateChangedLines(path: string, base: string | null, text: string): string | null {
  return mutateLines(path, text, changedLines(base, text))?.text ?? null
}
