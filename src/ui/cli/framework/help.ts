/** Help that reads like a good man page: one line, usage, examples first, then the flags. `columns`: Infinity in a pipe. */
import { isGuideTopic, readGuidePage, GUIDE_TOPICS } from '../../../app/guide.ts'
import { guidePageLines } from '../../plain/guide-page.ts'
import { wrapPainted } from '../../plain/wrap.ts'
import { COMMANDS, COMMANDS_BY_HEADING } from '../command-table/commands.ts'
import { findCommand, findCommandWithHelpPage, type FoundCommand } from './find-command.ts'
import { documentedFlags, type KnownFlag } from './known-flags.ts'
import type { Command } from './command.ts'
import { usageLine } from './command-usage.ts'

export function helpOverview(): string {
  const lines = [
    'Ralph runs coding agents unattended until the work is proven done.',
    '',
    'Usage: ralph [COMMAND] [FLAGS]        (`ralph` alone is `ralph loop`)',
    '',
    'Examples:',
    '  ralph demo                  watch it work (no account needed)',
    '  ralph init                  set up this repository',
    '  ralph loop --once           run one iteration, to try it out',
    '  ralph loop                  run until your gates (tests, build) prove it done',
  ]
  for (const [heading, commands] of Object.entries(COMMANDS_BY_HEADING)) {
    lines.push('', `${heading}:`)
    for (const { name, summary, hidden } of commands) if (hidden !== true) lines.push(`  ${name.padEnd(14)}${summary}`)
  }
  lines.push('', 'Guides (ralph help NAME):')
  for (const [topic, about] of Object.entries(GUIDE_TOPICS)) lines.push(`  ${topic.padEnd(16)}${about}`)
  lines.push('', 'Help for one command: ralph COMMAND --help', '')
  return lines.join('\n')
}

/** `ralph help WORD …`: a page of the guide, or the `--help` of a command. */
export function helpForWords([word = '', ...more]: string[], columns: number): string {
  if (isGuideTopic(word)) {
    const also = COMMANDS.some(({ name }) => name === word) ? ['', `The command: ralph ${word} --help`] : []
    return `${[...guidePageLines(readGuidePage(word), columns), ...also].join('\n')}\n`
  }
  return helpFor(findCommandWithHelpPage(findCommand(word, more, { pages: Object.keys(GUIDE_TOPICS) })), columns)
}

export function helpFor({ command, path }: FoundCommand<Command>, columns: number): string {
  const name = path.join(' ')
  const { examples = [], about } = command
  const lines = [
    `ralph ${name}: ${command.summary}`,
    '',
    `Usage: ralph ${usageLine(name, command)} [FLAGS]`,
    '',
    'Examples:',
  ]
  const width = Math.max(...examples.map(([line]) => line.length)) + 2
  const longest = Math.max(...examples.map(([, what]) => what.length))
  // Where both do not fit beside each other, the explanation gets a line of its own.
  const isWide = 2 + width + longest > columns
  for (const [line, what] of examples)
    lines.push(...(isWide ? [`  ${line}`, `      ${what}`] : [`  ${line.padEnd(width)}${what}`]))
  if (about !== undefined) lines.push('', about)
  lines.push('', 'Flags:', ...documentedFlags(command).flatMap((flag) => flagLines(flag, columns)))
  return `${lines.join('\n')}\n`
}

const FLAG_WIDTH = 30

function flagLines({ short, long, value, optional, help }: KnownFlag, columns: number): string[] {
  const placeholder = value === undefined ? '' : ` ${optional === true ? `[${value}]` : value}`
  const names = `${short === undefined ? '    ' : `-${short}, `}--${long}${placeholder}`
  return wrapPainted(`  ${names.padEnd(FLAG_WIDTH)} ${help}`, { columns, indent: FLAG_WIDTH + 3 })
}
