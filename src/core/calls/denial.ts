/**
 * Which denied tool calls matter. A joined line (`npm test 2>&1`, `cd x && npm test`) is denied by the agent's own matcher although
 * its first word is on the list; that is a limit of the matcher, not of the permissions, and only worth a warning. Nothing becomes
 * allowed by it.
 */
import type { Denial } from '../agent-output/reply.ts'
import { listWithMore } from '../text/format-amounts.ts'
import { matchesCommand, parseToolEntry, type ToolRule } from './tool-list.ts'

/** Joins commands, redirects output or nests one command in another. A plain command is denied for other reasons. */
const JOINS = /[;&|<>\n`]|\$\(/

export function isDeniedAsCompound({ tool, command }: Denial, tools: string[] | null): boolean {
  if (tool !== 'Bash' || command === undefined || tools === null || !JOINS.test(command)) return false
  const shell = tools.map(parseToolEntry).filter(({ name }) => name === 'Bash' || name === '*')
  if (isTaken(command, shell)) return false
  const [first, ...later] = command
    .split('\n')
    .map(firstWord)
    .filter((word) => word !== '')
    .map((word) => shell.some((entry) => covers(entry, word)))
  // Several commands on lines of their own are no joined line; the rest of a message or of a here-document is no command.
  return first === true && !later.includes(true)
}

/** The word that a line is judged by. */
export function firstWord(line: string): string {
  return line.trimStart().split(/[\s|;&<>]/)[0] ?? ''
}

/** `Bash(git *)`, `Bash(git diff *)` and `Bash(*)` match the word `git`; `Bash(pytest)` matches only itself. */
function covers({ pattern, never }: ToolRule, word: string): boolean {
  if (never) return false
  if (pattern === null || pattern === '*') return true
  return pattern.includes('*') && pattern.split(/[\s*:]/)[0] === word
}

/** An entry with `!` matches the line, or a command anywhere in it: then it is denied on purpose. */
function isTaken(line: string, shell: ToolRule[]): boolean {
  const starts = [0, ...Array.from(line.matchAll(/[;&|(`\n]/g), ({ index }) => index + 1)]
  const commands = starts.flatMap((start) => {
    const rest = line.slice(start).trim()
    return [rest, (rest.split(/[;&|<>)`\n]/)[0] ?? '').trim()]
  })
  return shell.some(
    ({ pattern, never }) => never && commands.some((command) => matchesCommand(command, pattern ?? '*')),
  )
}

export function describeDenial(denial: Denial): string {
  return denial.command === undefined
    ? denial.tool
    : `${denial.tool}(${denial.command.split('\n')[0]?.slice(0, 60) ?? ''})`
}

const NAMED = 3

export function describeDenials(denials: Denial[]): string {
  return listWithMore(denials.slice(0, NAMED).map(describeDenial), denials.length - NAMED)
}
