/**
 * Which files judge the work, and what a change of one amounts to. `src/domain/proof/protect.ts` compares a single test with what it
 * was; here stand the rules that need to know the other files: what was moved where, and what a new file does to old tests. Pure.
 */
import { posix } from 'node:path'
import { matchesAny, matchesGlob } from '../domain/glob.ts'
import { compareTest, JUDGE_GLOBS, TEST_GLOBS, type TestEdit } from '../domain/proof/protect.ts'
import { keyOf, type Definitions, type Part } from './scripts.ts'

export interface Finding {
  path: string
  why: string
}

/** By the name alone. */
const classOf = remembering((path): 'judge' | 'test' | 'other' => {
  if (isJudgeName(path)) return 'judge'
  return !path.startsWith('../') && matchesAny(path, TEST_GLOBS) ? 'test' : 'other'
})

/** More than the largest repositories have: what does not fit would be asked anew at each look. */
const REMEMBERED_MAX = 1_000_000

/** The same paths are asked for at every check, and there may be many. */
function remembering<T>(ask: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>()
  return (path) => {
    const before = known.get(path)
    if (before !== undefined) return before
    if (known.size >= REMEMBERED_MAX) known.clear()
    const found = ask(path)
    known.set(path, found)
    return found
  }
}

/** Of the files outside the project only those count that lie above it: runners look for their configuration upwards. */
function isJudgeName(path: string): boolean {
  const outside = /^(?:\.\.\/)+/.exec(path)?.[0] ?? ''
  const name = path.slice(outside.length)
  if (outside !== '' && name.includes('/') && !isCi(name)) return false
  return matchesAny(name, JUDGE_GLOBS)
}

const CI = ['.github/workflows/**', '.gitlab-ci.yml', '.circleci/**']

/** What runs elsewhere: a new one takes nothing away from the gates here. */
function isCi(path: string): boolean {
  return matchesAny(path.replace(/^(?:\.\.\/)+/, ''), CI)
}

/** Configuration of programs that only judges when a gate runs them. `always`: a new one acts on a gate that had none. */
const CHECKERS: { program: RegExp; files: string[]; always?: boolean }[] = [
  { program: /^eslint$/, files: ['eslint.config.*', '.eslintrc*', '.eslintignore'] },
  { program: /^oxlint$/, files: ['.oxlintrc.json', 'oxlint.json'] },
  { program: /^biome$/, files: ['biome.json', 'biome.jsonc'] },
  { program: /^prettier$/, files: ['.prettierrc*', 'prettier.config.*', '.prettierignore'] },
  { program: /^stylelint$/, files: ['.stylelintrc*', 'stylelint.config.*', '.stylelintignore'] },
  { program: /^ruff$/, files: ['ruff.toml', '.ruff.toml'] },
  { program: /^mypy$/, files: ['mypy.ini', '.mypy.ini'] },
  { program: /^flake8$/, files: ['.flake8'] },
  { program: /^pylint$/, files: ['.pylintrc', 'pylintrc'] },
  { program: /^pyright$/, files: ['pyrightconfig.json'] },
  { program: /^golangci-lint$/, files: ['.golangci.*'] },
  { program: /^rubocop$/, files: ['.rubocop*.yml'] },
  { program: /^phpstan$/, files: ['phpstan.neon*'] },
  { program: /^cargo$/, files: ['clippy.toml', '.clippy.toml'] },
  { program: /^cargo$/, files: ['**/.cargo/config', '**/.cargo/config.toml'], always: true },
  {
    program: /^(?:npm|npx|pnpm|yarn)$/,
    files: ['.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs'],
    always: true,
  },
  { program: /^bun$/, files: ['bunfig.toml'], always: true },
  {
    program: /^(?:python[\d.]*|pytest|tox|nox|uv|poetry)$/,
    files: ['sitecustomize.py', 'usercustomize.py'],
    always: true,
  },
]

export interface Judges {
  /** Wholly the judge's: any change is tampering. */
  isJudge: (path: string) => boolean
  isTest: (path: string) => boolean
  /** Would this new file change how the old tests and gates run? */
  actsOnOld: (path: string) => boolean
}

export function judgesIn({
  paths,
  definitions,
  protect,
}: {
  paths: string[]
  definitions: Definitions
  protect: string[]
}): Judges {
  const programs = new Set(definitions.programs.map(({ word }) => posix.basename(word.replace(/^-m /, ''))))
  const checkers = CHECKERS.filter(({ program }) => [...programs].some((name) => program.test(name)))
  const named = new Set(definitions.judges)
  const samples = new Set(definitions.samples)
  const folders = new Set(definitions.programs.map(({ folder }) => folder))
  const isDefined = Object.keys(definitions.parts).length > 0 || named.size > 0
  const isTest = remembering((path) => {
    if (path.startsWith('../') || classOf(path) === 'judge') return false
    return classOf(path) === 'test' || samples.has(path) || (protect.length > 0 && matchesAny(path, protect))
  })
  const isJudge = remembering(
    (path) =>
      classOf(path) === 'judge' ||
      (named.has(path) && !isTest(path)) ||
      checkers.some(({ files }) => matchesAny(path, files)),
  )
  const hadTestsUnder = (folder: string) => paths.some((path) => isTest(path) && isUnder(path, folder))
  return {
    isJudge,
    isTest,
    actsOnOld(path) {
      if (isCi(path)) return false
      const own = checkers.find(({ files }) => matchesAny(path, files))
      if (own !== undefined && own.always !== true) return paths.some((one) => matchesAny(one, own.files))
      const folder = posix.dirname(path)
      return hadTestsUnder(folder) || (isDefined && [...folders].some((one) => isUnder(one, folder)))
    },
  }
}

function isUnder(path: string, folder: string): boolean {
  if (folder.startsWith('..')) return true
  return folder === '.' || path === folder || path.startsWith(`${folder}/`)
}

/** Pieces of shared files: what was changed, taken away, or put in front of what was there. */
export function compareParts(
  before: Definitions,
  now: Definitions,
  { hadTests }: { hadTests: boolean },
): Finding[] {
  const findings: Finding[] = []
  for (const [key, part] of Object.entries(before.parts)) {
    const present = now.parts[key]
    if (present === undefined) findings.push({ path: part.path, why: `${key} was removed` })
    else if (present.text !== part.text) findings.push({ path: part.path, why: `${key} was changed` })
  }
  const touched = new Set(findings.map(({ path }) => path))
  for (const [key, part] of Object.entries(now.parts)) {
    // What a changed script leads to now is told by the change of the script.
    if (before.parts[key] !== undefined || touched.has(part.path) || !isOnTop(part, before, hadTests))
      continue
    findings.push({ path: part.path, why: `${key} was added` })
  }
  return findings
}

/** A script that was not there defines a gate that could not run: adding it is work, not tampering. */
function isOnTop(part: Part, before: Definitions, hadTests: boolean): boolean {
  if (part.of === null) return hadTests
  return part.of !== keyOf(part) && before.parts[part.of] !== undefined
}

/** Code in a conftest.py by which it decides what runs and what counts, or reaches into what is tested. */
const DECIDES =
  /\bcollect_ignore|\bpytest_(?:collection|ignore|runtest|pyfunc|sessionfinish|collect|configure|cmdline|report)\w*|\bexitstatus\b|\bskip\b|\bxfail\b|\bos\._exit\b|\bsys\.exit\b|\bsys\.modules\b|\bautouse\b|\bsetattr\b|\bbuiltins\b/g
/** Ends the whole run and calls it good, from whatever file it stands in. */
const ENDS_RUN = /\bos\._exit\s*\(\s*0\s*\)|\bos\.Exit\s*\(\s*0\s*\)/g

/** What a change of a test amounts to. Null on a side: not there. */
export function judgeTest(path: string, before: string | null, now: string | null): TestEdit {
  if (now !== null) {
    if (posix.basename(path) === 'conftest.py' && count(now, DECIDES) > count(before ?? '', DECIDES)) {
      const what = before === null ? 'a new file that decides' : 'code was added that decides'
      return { is: 'weakened', why: `${path}: ${what} which tests run or how they count` }
    }
    if (count(now, ENDS_RUN) > count(before ?? '', ENDS_RUN)) {
      return { is: 'weakened', why: `${path}: an early end of the whole run with success was added` }
    }
  }
  return compareTest(path, before, now)
}

/** Rust keeps tests in the files they test. There they may change with the work, but not be weakened. */
export function judgeInnerTests(path: string, before: string, now: string): TestEdit {
  const [old, present] = [innerTests(before), innerTests(now)]
  if (old === '') return { is: 'same' }
  return judgeTest(path, old, present)
}

function innerTests(text: string): string {
  const at = text.search(/#\[\s*cfg\s*\(\s*(?:all\s*\()?\s*test\b/)
  return at < 0 ? '' : text.slice(at)
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

/** Where a test that is gone may stand now: the same kind of file, in the same part of the project. */
export function isWithinReach(from: string, to: string): boolean {
  return posix.extname(from) === posix.extname(to) && topOf(from) === topOf(to)
}

function topOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : '.'
}

/** A moved test has to name its neighbours anew. */
export function withoutImports(text: string): string {
  return text
    .split('\n')
    .filter(
      (line) =>
        !/^\s*(?:import\b|from\s+\S+\s+import\b|export\b.*\bfrom\b|(?:const|let|var)\b.*\brequire\(|require(?:_relative)?\b|use\s|mod\s|package\s|#include\b|source\s)/.test(
          line,
        ),
    )
    .join('\n')
}

/** Did a person say beforehand that this test changes? To delete it takes its very name. */
export function isPermitted(
  path: string,
  mayChange: string[],
  { isDeleted }: { isDeleted: boolean },
): boolean {
  return mayChange.some((glob) => matchesGlob(path, glob) && (!isDeleted || !/[*?[{]/.test(glob)))
}
