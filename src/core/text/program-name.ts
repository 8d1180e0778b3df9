/** The name of the program that a command line starts, as people know it. */

const RUNNERS = new Set(['npx', 'bunx', 'pnpx'])

/** `npx -y @anthropic-ai/claude-code@2 -p` starts `claude-code`; skips flags of a runner and assignments of `env`. */
export function programName(command: readonly string[]): string {
  const words = command.filter((word) => !word.startsWith('-'))
  const own = baseName(words[0] ?? '') === 'env' ? words.slice(1).filter((word) => !isAssignment(word)) : words
  return baseName((RUNNERS.has(baseName(own[0] ?? '')) ? own[1] : own[0]) ?? '')
}

/** The variables that `env` sets for the program it starts. */
export function envAssignments(command: readonly string[]): Record<string, string> {
  if (baseName(command[0] ?? '') !== 'env') return {}
  const program = command.findIndex((word, at) => at > 0 && !word.startsWith('-') && !isAssignment(word))
  const words = command.slice(1, program === -1 ? undefined : program).filter(isAssignment)
  return Object.fromEntries(words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]))
}

function isAssignment(word: string): boolean {
  return /^[A-Za-z_]\w*=/.test(word)
}

/** `/opt/bin/claude`, `claude.cmd` and `@anthropic-ai/claude-code@2` without path, scope, version and extension. */
function baseName(word: string): string {
  const last = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
  return last.replace(/(?<=.)@.*$/, '').replace(/\.(cmd|exe|js|mjs)$/i, '')
}
