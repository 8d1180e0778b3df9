/**
 * Removes quarantined tests from a test file, so that the gate must pass without them: a name in the output can be forged, but a removed
 * test cannot fail. A name may be that of a test or of a file.
 */
import { matchesGlob } from '../../core/text/glob.ts'
import { languageFamilyOf, type LanguageFamily } from '../language-family.ts'

export type QuarantineResult =
  | { is: 'same' }
  | { is: 'without'; text: string; found: string[] }
  /** The whole file is quarantined. */
  | { is: 'gone'; found: string[] }

export function removeQuarantinedTests(path: string, text: string, globs: readonly string[]): QuarantineResult {
  const whole = globs.filter((glob) => isFile(path, glob))
  if (whole.length > 0) return { is: 'gone', found: whole }
  const found = new Set<string>()
  const matching = (name: string): boolean => {
    const hits = globs.filter((glob) => isTest(name, glob))
    for (const glob of hits) found.add(glob)
    return hits.length > 0
  }
  const changed = takenOut(path, text, matching)
  return found.size === 0 ? { is: 'same' } : { is: 'without', text: changed, found: [...found] }
}

function isFile(path: string, glob: string): boolean {
  const file = glob.split('::')[0] ?? glob
  return glob.includes('::')
    ? glob.endsWith('::*') && matchesGlob(path, file)
    : glob === path || (glob.includes('/') && matchesGlob(path, glob))
}

/** In `tests/test_net.py::test_slow` the last part names the test. */
function isTest(name: string, glob: string): boolean {
  const last = glob.split(/::| > /).at(-1) ?? glob
  return name === glob || name === last || matchesGlob(name, glob) || matchesGlob(name, last)
}

const JS = /\b(it|test)(\s*\(\s*)(["'`])((?:\\.|(?!\3)[^\\\n])*)\3/g
const PYTHON = /^([ \t]*(?:async[ \t]+)?def[ \t]+)(test\w*)/gm
const RUST = /(#\[\s*(?:\w+::)?test[^\]\n]*\])(\s*(?:#\[[^\]\n]*\]\s*)*(?:pub\s+)?(?:async\s+)?fn\s+)(\w+)/g
const GO = /^(func[ \t]+)(Test\w*)/gm

/** How a test of each language is disabled; other languages are not supported. */
const SWITCHED_OFF: Partial<Record<LanguageFamily, (text: string, matching: Matching) => string>> = {
  js: withoutJs,
  ts: withoutJs,
  python: (text, matching) =>
    text.replace(PYTHON, (all, def: string, name: string) => (matching(name) ? `${def}quarantined_${name}` : all)),
  rust: (text, matching) =>
    text.replace(RUST, (all, mark: string, between: string, name: string) =>
      matching(name)
        ? `${mark}
#[ignore]${between}${name}`
        : all,
    ),
  go: (text, matching) =>
    text.replace(GO, (all, func: string, name: string) => (matching(name) ? `${func}quarantined${name}` : all)),
}

type Matching = (name: string) => boolean

function withoutJs(text: string, matching: Matching): string {
  return text.replace(JS, (all, word: string, open: string, quote: string, name: string) =>
    matching(name) ? `${word}.skip${open}${quote}${name}${quote}` : all,
  )
}

function takenOut(path: string, text: string, matching: Matching): string {
  const family = languageFamilyOf(path)
  const without = family === null ? undefined : SWITCHED_OFF[family]
  return without === undefined ? text : without(text, matching)
}
