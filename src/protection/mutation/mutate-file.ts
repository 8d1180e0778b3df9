/** How a trial breaks a changed source file: it fails when loaded, or its changed lines are mutated. */
import { addedLineRanges } from './changed-lines.ts'
import { insertLoadFailure } from './fail-on-load.ts'
import { languageFamilyOf } from '../language-family.ts'
import { mutateLines } from './mutate-lines.ts'

const WORDS = 'broken on purpose by Ralph to test the gates\n'

/** A file that cannot fail (data, pages, templates) loses its content, which a test that reads it must notice. */
export function failingSourceText(path: string, text: string, how: { isProgram: boolean }): string {
  return insertLoadFailure(path, text, how) ?? WORDS
}

/** A test that fails before it loads anything: imports run before a module's first statement, so it must not parse. */
export function failingTestText(path: string, text: string): string {
  return languageFamilyOf(path) === 'js' || languageFamilyOf(path) === 'ts'
    ? `${WORDS}${text}`
    : failingSourceText(path, text, { isProgram: true })
}

/** Null: the changed lines contain nothing to mutate. */
export function mutateChangedLines(path: string, base: string | null, text: string): string | null {
  return mutateLines(path, text, addedLineRanges(base, text))?.text ?? null
}
