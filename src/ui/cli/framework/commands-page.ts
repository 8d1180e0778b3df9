/** The page of commands, generated from the table so that it is always correct. */
import { GUIDE_TOPICS } from '../../../app/guide.ts'
import { COMMANDS } from '../command-table/commands.ts'
import { documentedFlags } from './known-flags.ts'
import { isCommandGroup, type Command, type HelpPage } from './command.ts'
import { usageLine } from './command-usage.ts'

interface Shown {
  name: string
  command: Command & HelpPage
}

export function renderCommandsPage(): string {
  const shown = COMMANDS.flatMap((command) => pagesFrom(command, []))
  const topics = Object.keys(GUIDE_TOPICS).map((topic) => `[\`ralph help ${topic}\`](guide/${topic}.md)`)
  const lines = [
    '# Commands',
    '',
    '<!-- Generated from src/ui/cli/command-table by `npm run docs`. Edit the table, not this page. -->',
    '',
    '`ralph` alone, or with flags only, is `ralph loop`. Every command has `--help`, and most have `--json`.',
    `Guides: ${topics.join(', ')}.`,
    '',
    '| command | what it does | touches |',
    '|---|---|---|',
    ...shown.map(
      ({ name, command }) =>
        `| [\`${name}\`](#${name.replaceAll(' ', '-')}) | ${escape(command.summary)} | ${command.touches} |`,
    ),
    '',
    ...shown.flatMap(section),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}

/** A command below another has a section only if its row says so; otherwise the section of the command above documents it. */
function pagesFrom(command: Command, above: string[]): Shown[] {
  const path = [...above, command.name]
  if (command.hidden === true) return []
  const own = command.examples === undefined ? [] : [{ name: path.join(' '), command }]
  return [...own, ...(isCommandGroup(command) ? command.verbs.flatMap((verb) => pagesFrom(verb, path)) : [])]
}

function section({ name, command }: Shown): string[] {
  const { about, examples } = command
  const width = Math.max(...examples.map(([line]) => line.length))
  return [
    `## ${name}`,
    '',
    `${command.summary}.`,
    '',
    '```',
    `ralph ${usageLine(name, command)} [FLAGS]`,
    '',
    ...examples.map(([line, what]) => `${line.padEnd(width)}   # ${what}`),
    '```',
    '',
    ...(about === undefined ? [] : [about.includes('\n  ') ? `\`\`\`\n${about}\n\`\`\`` : about, '']),
    '| flag | meaning |',
    '|---|---|',
    ...documentedFlags(command).map(
      (flag) =>
        `| \`${flag.short === undefined ? '' : `-${flag.short}, `}--${flag.long}${flag.value === undefined ? '' : ` ${flag.value}`}\` | ${escape(flag.help)} |`,
    ),
    '',
  ]
}

function escape(text: string): string {
  return text.replaceAll('|', '\\|')
}
