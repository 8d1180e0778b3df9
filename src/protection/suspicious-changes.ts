/**
 * Suspicious patterns in a change: skipped tests, early exits, code that touches the test process or asks whether a
 * test is running. Honest code has all of these too, so they are notes for a person and for the review, never a refusal.
 */
import { isTestPath } from './file-kinds.ts'

interface Pattern {
  what: string
  pattern: RegExp
  in: 'tests' | 'work'
}

const PATTERNS: Pattern[] = [
  {
    what: 'skips a test',
    in: 'tests',
    pattern:
      /\b(?:describe|it|test|suite|context)(?:\.\w+)*\.(?:skip|todo|fails|failing|skipIf)\b|\b(?:xit|xtest|xdescribe)\s*\(|@(?:pytest\.mark\.|unittest\.)(?:skip\w*|xfail|expectedFailure)\b|\bpytest\.(?:skip|xfail)\s*\(|#\[\s*ignore\b|\b[tb]\.Skip\w*\s*\(|@(?:Disabled|Ignore)\b|\bskip\s*:\s*true\b/g,
  },
  {
    what: 'runs only some tests',
    in: 'tests',
    pattern: /\b(?:describe|it|test|suite|context)(?:\.\w+)*\.only\b|\b(?:fit|fdescribe)\s*\(|\bonly\s*:\s*true\b/g,
  },
  {
    what: 'ends the process',
    in: 'work',
    pattern:
      /\bprocess\.(?:exit|reallyExit|abort)\b|\bprocess\.exitCode\s*=|\bsys\.exit\s*\(|\bos\._exit\s*\(|\bos\.Exit\s*\(|\bstd::process::exit\b|\bSystem\.exit\s*\(/g,
  },
  {
    what: 'changes something that tests rely on',
    in: 'work',
    pattern:
      /\bassert\w*\.\w+\s*=|\bprocess\.on\s*\(\s*['"](?:exit|beforeExit|uncaughtException)|\bsys\.modules\b|\b__builtins__\b|\bbuiltins\.\w+\s*=|\bModule\._(?:load|resolveFilename|extensions)\b|\bObject\.prototype\.\w+\s*=|\bglobalThis\.(?:test|it|describe|expect|assert)\s*=/g,
  },
  {
    what: 'checks whether a test is running',
    in: 'work',
    pattern:
      /\bNODE_TEST_CONTEXT\b|\bJEST_WORKER_ID\b|\bVITEST\b|\bPYTEST_CURRENT_TEST\b|\bNODE_ENV\b[^\n]{0,20}\btest\b|['"]pytest['"]\s+in\s+sys\.modules|\bimport\.meta\.vitest\b|cfg!\(test\)/g,
  },
]

/** One sentence for each kind of suspicious pattern that the change added to this file. */
export function findSuspiciousChanges(path: string, base: string | null, final: string): string[] {
  const side = isTestPath(path) ? 'tests' : 'work'
  return PATTERNS.filter((one) => one.in === side)
    .filter(({ pattern }) => countOf(final, pattern) > countOf(base ?? '', pattern))
    .map(({ what }) => `${path}: ${what}`)
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
