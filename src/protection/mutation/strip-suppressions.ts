/**
 * Comments that suppress warnings of a compiler, a linter or a coverage tool. The step *original tests* removes those that the base did not
 * have, so that they cannot make a gate pass; the others stay. Lines keep their numbers.
 */
import { languageFamilyOf } from '../language-family.ts'
import { splitSourceText } from './split-source-text.ts'

const SUPPRESSIONS = [
  /\/\/\s*@ts-(?:nocheck|ignore|expect-error)\b[^\n]*/g,
  /\/\*\s*@ts-(?:nocheck|ignore|expect-error)\b[^\n]{0,500}?\*\//g,
  /(?:\/\/|#)\s*(?:eslint|oxlint|biome|tslint|jshint|deno-lint|stylelint|prettier|standard)-?(?:disable|ignore)[\w-]*[^\n]*/g,
  /\/\*\s*(?:eslint|oxlint|tslint|jshint|stylelint|prettier)-?(?:disable|ignore)[\w-]*[^\n]{0,500}?\*\//g,
  /\/\*\s*(?:istanbul|c8|v8|node:coverage)\s+(?:ignore|disable)[^\n]{0,200}?\*\//g,
  /#\s*(?:type|pyright|mypy|ruff|flake8|noqa|pylint|nosec|pragma)\s*:?\s*(?:ignore|noqa|disable|no cover|skip)?[^\n]*/g,
  /\/\/\s*(?:nolint|NOLINT\w*|noinspection)\b[^\n]*/g,
  /#\s*rubocop:disable[^\n]*/g,
  /#!?\[\s*(?:allow|expect)\([^\n\]]{0,300}\)\s*\]/g,
  /^[ \t]*(?:export[ \t]+)?declare[ \t]+(?:const|let|var|function|class|module|namespace|global)\b[^\n]*\bany\b[^\n]*/gm,
  /@SuppressWarnings\([^\n]{0,300}?\)/g,
  /(?:\/\/|#)\s*@(?:phpstan|psalm)-(?:ignore|suppress)[^\n]*/g,
]

export interface StrippedText {
  text: string
  removed: number
}

export function removeNewSuppressions(path: string, base: string | null, final: string): StrippedText {
  const known = countOf(base ?? '')
  let removed = 0
  let text = final
  for (const pattern of SUPPRESSIONS) {
    const quoted = quotedIn(path, text)
    text = text.replace(pattern, (found, ...rest: unknown[]) => {
      const offset = rest.find((one) => typeof one === 'number') as number
      // Inside a string it is data, for example in code about such comments.
      if (quoted(offset)) return found
      const key = found.replace(/\s+/g, ' ').trim()
      const left = known.get(key) ?? 0
      if (left > 0) {
        known.set(key, left - 1)
        return found
      }
      removed += 1
      return ''
    })
  }
  return { text, removed }
}

/** Whether a position is inside a string. */
function quotedIn(path: string, text: string): (at: number) => boolean {
  const family = languageFamilyOf(path)
  if (family === null) return () => false
  const texts = splitSourceText(text, family).filter(({ is }) => is === 'text')
  return (at) => texts.some(({ from, to }) => at > from && at < to)
}

function countOf(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const pattern of SUPPRESSIONS) {
    for (const [found] of text.matchAll(pattern)) {
      const key = found.replace(/\s+/g, ' ').trim()
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  return counts
}
