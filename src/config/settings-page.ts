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

<!-- Generated from src/core/settings and src/config/settings by \`npm run docs\`. Edit the tables, not this page. -->

You can set a setting in several places. The first one in this list wins:

1. a flag on the command line
2. an environment variable: \`RALPH_\`, the group and the name (\`RALPH_QUOTA_CALLS_PER_HOUR\`), or one of the old names below
3. a project file: \`.ralph.toml\`, then \`.ralph/config.json\`, \`.ralphrc\` and \`.ralph/.ralphrc\` of the older tools
4. your user file for all projects: \`~/.config/ralph/config.toml\` (or \`$XDG_CONFIG_HOME/ralph/config.toml\`)
5. the default

\`ralph config list\` shows every value and where it comes from. \`ralph config set KEY VALUE\` changes \`.ralph.toml\`, or with \`--user\` your
user file; comments and formatting stay as they are. Ralph never executes a settings file: it parses \`.ralphrc\`, and skips and reports lines
that only a shell could evaluate. Ralph reads settings once, when a run starts. \`ralph set\` can change those marked ↻ during a run. Those marked
▶ can name a program: if a project file sets one that you haven't trusted yet, \`ralph loop\` and \`ralph verify\` ask before they run
it ([trust](guide/trust.md)).

Durations are numbers in the given unit, or strings such as \`"90s"\`, \`"10m"\`, \`"2h"\` or \`"1h 30m"\`. A list can be
one string with commas. An empty environment variable or an empty value in \`.ralphrc\` counts as not set.

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
    'Commands that must pass before work counts as done. All gates come from the first project file that has any.',
    'Without any, Ralph uses `TEST_COMMAND` and `QUALITY_GATES` (separated by semicolons) of a `.ralphrc`.',
    '',
    ...fieldTable(GATE_FIELDS),
  ].join('\n')
}

function agentSection(): string {
  return [
    '## [agents.NAME]',
    '',
    'Your own agent; name it in `agent.order`. For an agent that Ralph knows, you can only set `command` (the program to start',
    'instead of its own) and `models`; for an ACP agent, `[agents."acp:COMMAND"]`, only `models`.',
    '',
    ...fieldTable(AGENT_FIELDS),
  ].join('\n')
}

function fieldTable(fields: Readonly<Record<string, TableField>>): string[] {
  const rows = Object.entries(fields).map(([name, field]) => {
    const value = field.kind.is === 'texts' ? 'a table of strings' : describeAllowedValues(field.kind)
    return row([`${code(name)}${field.executed === true ? ' ▶' : ''}`, field.help, value, fieldDefault(field)])
  })
  return ['| key | meaning | value | default |', '|---|---|---|---|', ...rows]
}

function fieldDefault({ kind, default: value }: TableField): string {
  if (value === undefined) return 'required'
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
    'These ask for something that Ralph does not support. No run starts (exit code 2) unless the value is empty, `false`, `none`, `off`, `0` or the',
    "old tool's default. As environment variables they matter only in projects of the older tools; `SANDBOX_PROVIDER` matters in every project.",
    '',
    '| name | reason, and what to use instead |',
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
    'Ralph accepts these, so that projects of the older tools work unchanged. `ralph config list` lists them.',
    '',
    '| name | reason |',
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
