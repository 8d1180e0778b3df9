/** Help that reads like a good man page: one line, usage, examples first, then the flags. */
import { isTopic, readGuide, TOPICS } from '../../../desk/guide.ts'
import { RalphError } from '../../../domain/error.ts'
import { suggest } from '../../../domain/text/suggest.ts'
import { pageLines } from '../../plain/page.ts'
import { notOffered } from './refused-flags.ts'
import type { Command, Group } from './row.ts'
import { COMMANDS } from '../table/table.ts'
import { knownFlags } from './parse.ts'

const GROUPS: Group[] = ['work', 'plan', 'see', 'steer', 'set up']

export function overview(): string {
  const lines = [
    'Ralph runs coding agents unattended until the work is proven done.',
    '',
    'Usage: ralph [COMMAND] [FLAGS]        bare `ralph` is `ralph loop`',
    '',
    'Examples:',
    '  ralph demo                  watch it work, without any account',
    '  ralph init                  make this repository a project',
    '  ralph loop --once           one iteration, to see what happens',
    '  ralph loop                  work until the gates prove it done',
  ]
  for (const group of GROUPS) {
    const commands = COMMANDS.filter((command) => command.group === group && command.hidden !== true)
    if (commands.length === 0) continue
    lines.push('', `${group[0]?.toUpperCase() ?? ''}${group.slice(1)}:`)
    for (const command of commands) lines.push(`  ${command.name.padEnd(14)}${command.summary}`)
  }
  lines.push('', 'More:')
  for (const [topic, about] of Object.entries(TOPICS)) lines.push(`  ralph help ${topic.padEnd(17)}${about}`)
  lines.push('  ralph COMMAND --help        more about each command', '')
  return lines.join('\n')
}

/** `ralph help WORD`: a page of the guide, or what `--help` says of a command. */
export function helpOn(word: string, columns: number): string {
  if (isTopic(word)) return `${pageLines(readGuide(word), columns).join('\n')}\n`
  return helpFor(findCommand(word, { help: true }))
}

export function helpFor(command: Command): string {
  const lines = [
    `ralph ${command.name}: ${command.summary}`,
    '',
    `Usage: ralph ${[command.name, command.args, '[FLAGS]'].filter((part) => part !== undefined).join(' ')}`,
  ]
  lines.push('', 'Examples:')
  const width = Math.max(...command.examples.map(([line]) => line.length)) + 2
  for (const [line, what] of command.examples) lines.push(`  ${line.padEnd(width)}${what}`)
  if (command.about !== undefined) lines.push('', command.about)
  lines.push('', 'Flags:')
  for (const flag of knownFlags(command)) {
    const names = `${flag.short === undefined ? '    ' : `-${flag.short}, `}--${flag.long}${flag.value === undefined ? '' : ` ${flag.optional === true ? `[${flag.value}]` : flag.value}`}`
    lines.push(`  ${names.padEnd(30)} ${flag.help}`)
  }
  return `${lines.join('\n')}\n`
}

/** `help`: it is not to be run, only told about, and may have been meant for a page of the guide. */
export function findCommand(name: string, { help = false } = {}): Command {
  const found = COMMANDS.find((command) => command.name === name)
  if (found !== undefined) return found
  if (name === 'queue') throw notOffered('queue', `ralph ${name}`)
  const topics = help ? Object.keys(TOPICS) : []
  const near = suggest(name, [...topics, ...COMMANDS.map((command) => command.name)])
  throw new RalphError('usage', `there is no command ${help ? 'or page ' : ''}"${name}"`, {
    hint: near === null ? 'See: ralph --help' : `Did you mean: ralph ${help ? 'help ' : ''}${near}?`,
  })
}
