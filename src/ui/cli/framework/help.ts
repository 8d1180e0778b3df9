/** Help that reads like a good man page: one line, usage, examples first, then the flags. */
import { isGuideTopic, readGuidePage, GUIDE_TOPICS } from '../../../app/guide.ts'
import { guidePageLines } from '../../plain/guide-page.ts'
import { COMMANDS, COMMANDS_BY_HEADING } from '../command-table/commands.ts'
import { findCommand, findCommandWithHelpPage, type FoundCommand } from './find-command.ts'
import { documentedFlags, type KnownFlag } from './known-flags.ts'
import type { Command } from './command.ts'
import { usageLine } from './command-usage.ts'

export function helpOverview(): string {
  const lines = [
    'Ralph runs coding agents unattended until the work is proven done.',
    '',
    'Usage: ralph [COMMAND] [FLAGS]        bare `ralph` is `ralph loop`',
    '',
    'Examples:',
    '  ralph demo                  watch it work, without any account',
    '  ralph init                  make this repository a project',
    '  ralph loop --once           one iteration, to see what happens',
    '  ralph loop                  work until your gates (tests, build, linter) prove it done',
  ]
  for (const [heading, commands] of Object.entries(COMMANDS_BY_HEADING)) {
    lines.push('', `${heading}:`)
    for (const { name, summary, hidden } of commands) if (hidden !== true) lines.push(`  ${name.padEnd(14)}${summary}`)
  }
  lines.push('', 'Guides (ralph help NAME):')
  for (const [topic, about] of Object.entries(GUIDE_TOPICS)) lines.push(`  ${topic.padEnd(16)}${about}`)
  lines.push('', 'More about a command: ralph COMMAND --help', '')
  return lines.join('\n')
}

/** `ralph help WORD …`: a page of the guide, or the `--help` of a command. */
export function helpForWords([word = '', ...more]: string[], columns: number): string {
  if (isGuideTopic(word)) {
    const also = COMMANDS.some(({ name }) => name === word) ? ['', `About the command: ralph ${word} --help`] : []
    return `${[...guidePageLines(readGuidePage(word), columns), ...also].join('\n')}\n`
  }
  return helpFor(findCommandWithHelpPage(findCommand(word, more, { pages: Object.keys(GUIDE_TOPICS) })))
}

export function helpFor({ command, path }: FoundCommand<Command>): string {
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
  for (const [line, what] of examples) lines.push(`  ${line.padEnd(width)}${what}`)
  if (about !== undefined) lines.push('', about)
  lines.push('', 'Flags:', ...documentedFlags(command).map(flagLine))
  return `${lines.join('\n')}\n`
}

function flagLine({ short, long, value, optional, help }: KnownFlag): string {
  const placeholder = value === undefined ? '' : ` ${optional === true ? `[${value}]` : value}`
  const names = `${short === undefined ? '    ' : `-${short}, `}--${long}${placeholder}`
  return `  ${names.padEnd(30)} ${help}`
}
