/** The page of commands, generated from the table so that it cannot lie. */
import { TOPICS } from '../../../desk/guide.ts'
import type { Command } from './row.ts'
import { COMMANDS } from '../table/table.ts'
import { knownFlags } from './parse.ts'

export function commandsPage(): string {
  const shown = COMMANDS.filter((command) => command.hidden !== true)
  const topics = Object.keys(TOPICS).map((topic) => `[\`ralph help ${topic}\`](guide/${topic}.md)`)
  const lines = [
    '# Commands',
    '',
    '<!-- Generated from src/ui/cli/table/table.ts by `npm run docs`. Edit the table, not this page. -->',
    '',
    'Bare `ralph` with flags is `ralph loop`. Every command has `--help`; those that print facts have `--json`.',
    `\`ralph help\` also prints pages of the guide: ${topics.join(', ')}.`,
    '',
    '| command | what it does | touches |',
    '|---|---|---|',
    ...shown.map(
      (command) =>
        `| [\`${command.name}\`](#${command.name}) | ${escape(command.summary)} | ${command.touches} |`,
    ),
    '',
    ...shown.flatMap(section),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}

function section(command: Command): string[] {
  const usage = ['ralph', command.name, command.args].filter((part) => part !== undefined).join(' ')
  const width = Math.max(...command.examples.map(([line]) => line.length))
  return [
    `## ${command.name}`,
    '',
    `${command.summary}.`,
    '',
    '```',
    `${usage} [FLAGS]`,
    '',
    ...command.examples.map(([line, what]) => `${line.padEnd(width)}   # ${what}`),
    '```',
    '',
    ...(command.about === undefined
      ? []
      : [command.about.includes('\n  ') ? `\`\`\`\n${command.about}\n\`\`\`` : command.about, '']),
    '| flag | meaning |',
    '|---|---|',
    ...knownFlags(command).map(
      (flag) =>
        `| \`${flag.short === undefined ? '' : `-${flag.short}, `}--${flag.long}${flag.value === undefined ? '' : ` ${flag.value}`}\` | ${escape(flag.help)} |`,
    ),
    '',
  ]
}

function escape(text: string): string {
  return text.replaceAll('|', '\\|')
}
