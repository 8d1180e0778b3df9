/** Which denied tool calls matter. A compound command (`cd x && npm test`) is denied by the agent's own matcher although each
 *  part is allowed; that is a limit of the matcher, not of the permissions, and only worth a warning. */
import type { Denial } from '../reply/reply.ts'

export function isCompound(denial: Denial, tools: string[] | null): boolean {
  if (denial.tool !== 'Bash' || denial.command === undefined || tools === null) return false
  if (!/[;&|<>\n]/.test(denial.command)) return false
  const words = denial.command.split(/&&|\|\||[;|&\n]/).map((part) => part.trim().split(/[\s<>]/)[0] ?? '')
  return words.filter((word) => word !== '').every((word) => tools.some((tool) => covers(tool, word)))
}

/** `Bash(git *)`, `Bash(git diff *)` and `Bash(*)` speak of the word `git`; `Bash(pytest)` only of itself alone. */
function covers(tool: string, word: string): boolean {
  const inside = /^Bash\((.*)\)$/.exec(tool)?.[1]
  if (inside === undefined) return tool === 'Bash' || tool === '*'
  return inside === '*' || (inside.includes('*') && inside.split(/[\s*:]/)[0] === word)
}

export function describeDenial(denial: Denial): string {
  return denial.command === undefined
    ? denial.tool
    : `${denial.tool}(${denial.command.split('\n')[0]?.slice(0, 60) ?? ''})`
}

const NAMED = 3

export function describeDenials(denials: Denial[]): string {
  const names = denials.slice(0, NAMED).map(describeDenial).join(', ')
  return denials.length > NAMED ? `${names} and ${denials.length - NAMED} more` : names
}
