/** Finds what the gates and the manifests' commands start and read, from their texts alone. */
import { escapeRegExp } from '../core/text/sanitize.ts'
import { ownField, jsonOrNull } from '../core/text/json.ts'
import {
  isConfiguration,
  isTestPath,
  isVendored,
  isInTopLevelToolFolder,
  manifestKind,
  baseNameOf,
} from './file-kinds.ts'
import { isControlFile } from './classify-changes.ts'
import type { FileTree } from './file-tree.ts'

export interface GateCommandSources {
  gates: readonly { run: string }[]
  base: FileTree
  /** All paths of the base. */
  paths: readonly string[]
}

/**
 * Whether a command names the file. A text search, not a parser: manifests have many formats, a gate may pass a script to a shell
 * (`sh -c "…"`), and a file that is only mentioned counts as started too, so a name may also follow a quote.
 */
export function createIsStartedByGate({ gates, base, paths }: GateCommandSources): (path: string) => boolean {
  const manifests = paths.filter((path) => manifestKind(path) !== null || baseNameOf(path) === 'Makefile')
  const said = [
    ...gates.map(({ run }) => run),
    ...manifests.map((path) => commandsIn(path, base.text(path) ?? '')),
  ].join('\n')
  return (path) => {
    const name = escapeRegExp(baseNameOf(path))
    return new RegExp(`(?:^|[\\s"'/=])${name}(?![\\w-])`).test(said)
  }
}

/** Of a package.json only its scripts; in other manifests commands may be anywhere. */
function commandsIn(path: string, text: string): string {
  if (baseNameOf(path) !== 'package.json') return text
  const data = jsonOrNull(text)
  return JSON.stringify([ownField(data, 'scripts'), ownField(data, 'bin')])
}

/** Commands that read the history. */
const READS_GIT =
  /\bgit\b[^\n]{0,40}\b(?:show|diff|log|cat-file|rev-parse|rev-list|describe|tag|ls-files|ls-tree|merge-base|archive|checkout|restore|blame|branch|name-rev|for-each-ref|notes)\b|--(?:changed|onlyChanged|changedSince|since)\b/
const OWN_REPOSITORY = /\bgit\b[^\n]{0,40}\b(?:init|clone)\b/

/** Whether a gate or a protected file reads commits, branches or tags. */
export function doGatesReadGit(
  { gates, base, paths }: GateCommandSources,
  isStarted: (path: string) => boolean,
): boolean {
  if (gates.some(({ run }) => READS_GIT.test(run))) return true
  const judges = (path: string): boolean =>
    isTestPath(path) ||
    isConfiguration(path) ||
    manifestKind(path) !== null ||
    isInTopLevelToolFolder(path) ||
    isStarted(path)
  return paths.some((path) => {
    const text = judges(path) && !isVendored(path) && !isControlFile(path) ? base.text(path) : null
    return text !== null && READS_GIT.test(text) && !OWN_REPOSITORY.test(text)
  })
}
