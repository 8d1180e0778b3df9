/** Generates the page of all settings (`docs/settings.md`) from the table; a test checks that the file is up to date. */
import { IGNORED_RUST_KEYS } from './rust-tool-settings.ts'
import { describeAllowedValues, type ValueKind, type SettingValue } from '../core/text/value-kind.ts'
import { gateExample } from '../core/proof/gate-example.ts'
import { UNSUPPORTED_BY_NAME, UNSUPPORTED_JSON_PATHS } from '../compat/bash/unsupported.ts'
import { toFileValue } from './schema.ts'
import { isChangeableRule } from '../core/settings/change-rules.ts'
import { flagSyntax, groupOf, SETTING_KEYS, settingOf, type SettingKey } from './settings.ts'
import { AGENT_FIELDS, GATE_FIELDS, type TableField } from './gate-agent-tables.ts'

export function renderSettingsPage(): string {
  const groups = [...new Set(SETTING_KEYS.map(groupOf))]
  return (
    [INTRODUCTION, ...groups.map(groupSection), gateSection(), agentSection(), refusedSection(), unusedSection()].join(
      '\n\n',
    ) + '\n'
  )
}

const INTRODUCTION = `# Settings

<!-- Made from src/core/settings and src/config/settings by \`npm run docs\`; edit it there. -->

A setting can be said in several places. The first of these that says it wins:

1. a flag on the command line
2. an environment variable: \`RALPH_\`, the group and the name (\`RALPH_QUOTA_CALLS_PER_HOUR\`), or one of the old names below
3. a file of the project: \`.ralph.toml\`, then \`.ralph/config.json\`, \`.ralphrc\` and \`.ralph/.ralphrc\` of the older tools
4. your own file for all projects: \`~/.config/ralph/config.toml\` (or \`$XDG_CONFIG_HOME/ralph/config.toml\`)
5. the default

\`ralph config list\` shows every value and where it comes from. No file is ever executed: \`.ralphrc\` is read, and what
only a shell could work out is named and left out. Settings are read once, when a run starts; those marked
↻ can be changed during a run by \`ralph set\`. Those marked ▶ can name a program: where a file of the project says one that
you have not trusted yet, \`ralph loop\` and \`ralph verify\` ask before anything of it runs ([trust](guide/trust.md)).

Durations are numbers in the unit that is named, or texts such as \`"90s"\`, \`"10m"\`, \`"2h"\` or \`"1h 30m"\`. A list may be
one text with commas. An empty environment variable, and an empty value in \`.ralphrc\`, count as not set.

\`\`\`toml
agent = "claude"          # short for [agent] order = ["claude"]

[quota]
calls_per_hour = 50

[budget]
usd = 20
minutes = "8h"

${gateExample('npm test')}
\`\`\``

function groupSection(group: string): string {
  const keys = SETTING_KEYS.filter((key) => groupOf(key) === group)
  const head = ['| setting | default | meaning | value | flag | other names |', '|---|---|---|---|---|---|']
  return [`## [${group}]`, '', ...head, ...keys.map(settingRow)].join('\n')
}

function settingRow(key: SettingKey): string {
  const { kind, default: value, help, flag, env = [], old = [], json = [], executed } = settingOf(key)
  const others = [...env, ...old, ...json.map((path) => `config.json: ${path}`)]
  return row([
    `${code(key)}${isChangeableRule(key) ? ' ↻' : ''}${executed === true ? ' ▶' : ''}`,
    code(literal(kind, value)),
    help,
    describeAllowedValues(kind),
    flag === undefined ? '' : code(flagSyntax(flag)),
    others.map(code).join(', '),
  ])
}

function gateSection(): string {
  return [
    '## [[gate]]',
    '',
    'Commands that must succeed for work to count as done. The first file of the project that has gates gives all of them.',
    'Without any, `TEST_COMMAND` and `QUALITY_GATES` (between semicolons) of a `.ralphrc` become gates.',
    '',
    ...fieldTable(GATE_FIELDS),
  ].join('\n')
}

function agentSection(): string {
  return [
    '## [agents.NAME]',
    '',
    'An agent of your own, to be named in `agent.order`. For an agent that Ralph knows, only `command` (the program to start',
    'instead of its own) and `models` can be given; for one that is named by its command line, `[agents."acp:COMMAND"]`, only `models`.',
    '',
    ...fieldTable(AGENT_FIELDS),
  ].join('\n')
}

function fieldTable(fields: Readonly<Record<string, TableField>>): string[] {
  const rows = Object.entries(fields).map(([name, field]) => {
    const value = field.kind.is === 'texts' ? 'a table of texts' : describeAllowedValues(field.kind)
    return row([`${code(name)}${field.executed === true ? ' ▶' : ''}`, field.help, value, fieldDefault(field)])
  })
  return ['| key | meaning | value | default |', '|---|---|---|---|', ...rows]
}

function fieldDefault({ kind, default: value }: TableField): string {
  if (value === undefined) return 'must be given'
  return kind.is === 'texts' ? code('{}') : code(literal(kind, value as SettingValue))
}

function refusedSection(): string {
  const refused = Object.entries({ ...UNSUPPORTED_BY_NAME, ...UNSUPPORTED_JSON_PATHS }).filter(
    ([, { is }]) => is === 'refused',
  )
  const byWhy = grouped(refused.map(([name, { why, instead }]) => [`${why}. ${instead}`, name]))
  return [
    '## Old names that are refused',
    '',
    'Set to something other than nothing (`false`, `none`, `off`, `0`) or what the old tool had anyhow, they ask for what is not offered: no run',
    'starts (exit code 2). In the environment they count in projects of the older tools, `SANDBOX_PROVIDER` in every project.',
    '',
    '| name | why, and what comes instead |',
    '|---|---|',
    ...byWhy.map(([why, names]) => row([names.map(code).join(', '), why])),
  ].join('\n')
}

/** Groups names with the same text into one row. */
function grouped(said: [what: string, name: string][]): [what: string, names: string[]][] {
  const groups = new Map<string, string[]>()
  for (const [what, name] of said) groups.set(what, [...(groups.get(what) ?? []), name])
  return [...groups]
}

function unusedSection(): string {
  const kept = Object.entries(UNSUPPORTED_BY_NAME).filter(([, { is }]) => is !== 'refused')
  const rows: [string, string][] = kept.map(([name, { why }]) => [why, name])
  const byRemark = grouped([
    ...rows,
    ...Object.entries(IGNORED_RUST_KEYS).map(([name, remark]): [string, string] => [remark, name]),
  ])
  return [
    '## Old names without effect',
    '',
    'Accepted, so that projects of the older tools start as they are, and listed by `ralph config list`.',
    '',
    '| name | what to know |',
    '|---|---|',
    ...byRemark.map(([remark, names]) => row([names.map(code).join(', '), remark])),
  ].join('\n')
}

/** A value as one would type it in TOML. */
function literal(kind: ValueKind, value: SettingValue): string {
  return JSON.stringify(toFileValue(kind, value)).replaceAll('","', '", "')
}

function code(text: string): string {
  return `\`${text}\``
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((text) => text.replaceAll('|', String.raw`\|`)).join(' | ')} |`
}
