/** What would run, shown for a decision: complete, line by line, without anything that a terminal would hide or interpret. */
import type { UntrustedProgram, ProjectProgram } from '../../../core/trust/trust.ts'
import { escapeInvisible } from '../../../core/text/sanitize.ts'
import { cellWidth } from '../../tui/text-width.ts'
import type { Paint } from '../colours.ts'

/** `width`: cells of the terminal; null: lines of any length. */
export function untrustedProgramLines(doubts: readonly UntrustedProgram[], width: number | null, p: Paint): string[] {
  return doubts.flatMap((doubt) => [...linesOf(doubt, width, p), ''])
}

function linesOf({ program, was }: UntrustedProgram, width: number | null, p: Paint): string[] {
  const head = `  ${p.bold(escapeInvisible(program.setting))}  ${p.dim(`(${escapeInvisible(program.where)})`)}`
  if (was === null) return [head, ...block('    ', program, width)]
  return [
    `${head} ${p.warn('changed since you approved it')}`,
    ...block('    was  ', was, width),
    ...block('    now  ', program, width),
  ]
}

type Program = Pick<ProjectProgram, 'run' | 'cwd' | 'env'>

/** The command on its line; below it, its folder and its variables. */
function block(label: string, program: Program, width: number | null): string[] {
  const indent = ' '.repeat(label.length)
  const room = width === null ? Infinity : Math.max(20, width - label.length)
  return partsOf(program)
    .flatMap((part) => pieces(escapeInvisible(part), room))
    .map((piece, index) => `${index === 0 ? label : indent}${piece}`)
}

function partsOf({ run, cwd, env }: Program): string[] {
  return [
    typeof run === 'string' ? run : run.map(quoted).join(' '),
    ...(cwd === '.' ? [] : [`in folder ${quoted(cwd)}`]),
    ...Object.entries(env).map(([name, value]) => `with ${name}=${quoted(value)}`),
  ]
}

/** Shows where one word ends and the next begins. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)
}

/** Wraps only at the width, so that no space is lost and nothing is left out. */
function pieces(text: string, room: number): string[] {
  const found: string[] = []
  let piece = ''
  let taken = 0
  for (const point of text) {
    const size = cellWidth(point)
    if (taken + size > room) {
      found.push(piece)
      piece = ''
      taken = 0
    }
    piece += point
    taken += size
  }
  return [...found, piece]
}
