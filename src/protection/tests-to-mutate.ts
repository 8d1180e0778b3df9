/** Chooses the tests whose assertions are mutated, to see whether they can fail: those that a gate runs and that assert something. */
import { matchesGlob } from '../core/text/glob.ts'
import type { SourceChange } from './classified-changes.ts'
import type { GateCommandSources } from './gate-commands.ts'
import { mutateAssertions } from './mutation/mutate-assertions.ts'
import { languageFamilyOf } from './language-family.ts'
import { hasInlineTests } from './mutation/inline-tests.ts'
import { isCode, isTestPath, isVendored, baseNameOf } from './file-kinds.ts'
import type { FileTree } from './file-tree.ts'

export interface CompletionTree {
  final: FileTree
  /** Paths that the base does not have. */
  added: readonly string[]
  work: readonly SourceChange[]
  isStarted: (path: string) => boolean
}

/** Test runners that find tests by themselves. */
const RUNNER =
  /node[^\n]*--test|\b(?:jest|vitest|mocha|ava|tap|pytest|unittest|nose|tox|nox|rspec|minitest|phpunit|ctest|bats|prove|karma|cypress|playwright)\b|\b(?:cargo|go|dotnet|mix|deno|bun|swift|mvn|gradle|gradlew|sbt|rake|make|just|npm|pnpm|yarn)\b[^\n]*\b(?:test|check|verify|spec)/

export function chooseTestsToMutate(
  { gates, base, paths: before }: GateCommandSources,
  { final, added, work, isStarted }: CompletionTree,
): string[] {
  const paths = [...before, ...added]
  const changed = new Set(work.map(({ path }) => path))
  const expects = (path: string): boolean => {
    const text = final.text(path) ?? base.text(path)
    if (text === null || !isCode(path) || isVendored(path)) return false
    return changed.has(path) ? hasInlineTests(path, text) : mutateAssertions(path, text) !== null
  }
  // Inline tests of changed files first: only they reveal an assertion that the file itself disabled; other tests would fail and hide it.
  const inner = paths.filter((path) => changed.has(path) && expects(path))
  if (inner.length > 0) return inner
  // A script that a gate starts may start others, even if its name is that of a test: `scripts/test.sh`.
  const started = paths.filter((path) => isStarted(path) && !changed.has(path))
  const said = [...gates.map(({ run }) => run), ...started.map((path) => base.text(path) ?? '')].join('\n')
  const globs = globsIn(said)
  const isRun = (path: string): boolean =>
    RUNNER.test(said) || said.includes(baseNameOf(path)) || globs.some((glob) => matchesGlob(path, glob))
  const tests = paths.filter((path) => isTestPath(path) && isRun(path) && expects(path))
  // A script that only starts the tests is mutated only if there is no other test.
  const own = tests.filter((path) => languageFamilyOf(path) !== 'shell' || !started.includes(path))
  return own.length > 0 ? own : started.filter(expects)
}

/** Globs in a script that names its tests together: `for file in test/*.test.mjs`. A star alone does not count. */
function globsIn(said: string): string[] {
  const words = said.match(/(?<![\w$"'])[\w./-]*\*[\w./*-]*/g) ?? []
  return [...new Set(words)].filter((word) => /\w/.test(word))
}
