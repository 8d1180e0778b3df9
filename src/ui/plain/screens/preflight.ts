/** The block before the first agent starts: everything a person should know while they can still stop it. */
import { documentPathIn } from '../../../core/features/documents.ts'
import { TIERS } from '../../../core/models/model-strategy.ts'
import { hasGates } from '../../../core/presentation/outcome-text.ts'
import { describeTaskCounts } from '../../../core/tasks/task-text.ts'
import { clip, escapeInvisible } from '../../../core/text/sanitize.ts'
import type { PreflightResult } from '../../../engine/startup/preflight.ts'
import { plural, formatDollars, formatSpan } from '../format-values.ts'
import type { ScreenStyle, Paint } from '../colours.ts'
import { wrapOutputLine, wrapPainted } from '../wrap.ts'
import { cellWidth } from '../../tui/text-width.ts'

export interface PreflightStyle extends ScreenStyle {
  /** False: only what fits a small terminal, and what is unusual. */
  verbose: boolean
}

export function preflightBlock(
  facts: PreflightResult & { run: string },
  version: string,
  { p, columns, verbose }: PreflightStyle,
): string {
  const rows: [string, string][] = [
    ...taskRows(facts),
    ...draftRows(facts),
    ['agent', agentLine(facts, verbose)],
    ...modelRows(facts),
    ...outputRows(facts, p),
    ...permissionRows(facts, { p, verbose }),
    ...environmentRows(facts, { p, verbose }),
    ...protectedRows(facts, { p, verbose }),
    ['limits', limitsLine(facts)],
    ['budget', budgetLine(facts)],
    ...(facts.draft === null ? [['commits', commitsLine(facts)] as [string, string]] : []),
    ['stop', stopLine(facts)],
  ]
  const lines = rows.map(([name, value]) => `  ${p.dim(name.padEnd(NAMES))}${value}`)
  const remarks = facts.remarks.map((remark) => `  ${p.warn('note'.padEnd(NAMES))}${escapeInvisible(remark)}`)
  return [
    `${p.bold(`Ralph ${version}`)} · run ${p.head(facts.run)} · ${facts.root}`,
    '',
    ...[...lines, ...remarks].flatMap((line) => wrapPainted(line, { columns, indent: 2 + NAMES })),
    ...startWarningLines(facts.startWarnings, { p, columns }),
    '',
    '',
  ].join('\n')
}

/** The width of the column of names. */
const NAMES = 12

interface Look {
  p: Paint
  verbose: boolean
}

/** The model of a fixed strategy is on the agent's line. Model names differ between vendors, so each agent of the order has its own row. */
function modelRows({ rules, agent: { name, others, simulated } }: PreflightResult): [string, string][] {
  const { strategy } = rules.model
  if (simulated || strategy === 'fixed') return []
  const chosen = `chosen for each attempt (${strategy})`
  if (others.length === 0) return [['model', escapeInvisible(`${chosen}: ${tiersOf(rules, name)}`)]]
  const each = [name, ...others].map((one): [string, string] => ['', escapeInvisible(`${one}: ${tiersOf(rules, one)}`)])
  return [['model', chosen], ...each]
}

const DEFAULT_MODEL = "the agent's default"

function tiersOf({ agent }: PreflightResult['rules'], name: string): string {
  const models = agent.models?.[name]
  if (models === undefined) return DEFAULT_MODEL
  return TIERS.map((tier) => `${tier} ${models[tier] ?? DEFAULT_MODEL}`).join(', ')
}

function taskRows({ tasks, rules }: PreflightResult): [string, string][] {
  if (tasks === null) return []
  const { maxRetries, verify } = rules.task
  const review = verify ? '; reviewed after the gates' : ''
  return [['tasks', `${describeTaskCounts(tasks)}; at most ${plural(maxRetries + 1, 'attempt')} each${review}`]]
}

function draftRows({ draft }: PreflightResult): [string, string][] {
  if (draft === null) return []
  const { folder, documents, asks } = draft
  const who = asks ? 'the agent may ask you questions' : "the agent can't ask you, so it makes safe assumptions"
  return [['draft', `${documents.map((document) => documentPathIn(folder, document)).join(', ')}; ${who}`]]
}

/** Documents are checked only by their format. */
function protectedRows(facts: PreflightResult, look: Look): [string, string][] {
  return facts.draft === null ? [['gates', gatesLine(facts, look.p)], ...proofRows(facts, look)] : []
}

/** Without git nothing can be undone; a draft keeps only its documents. */
function stopLine({ git, draft }: PreflightResult): string {
  const stop = 'Ctrl+C or `ralph stop`'
  return git && draft === null ? `${stop}; revert the run: \`ralph undo\`` : stop
}

/** Warnings come last, where they are seen, each with its fix: on the same line if there is room. */
function startWarningLines(
  startWarnings: PreflightResult['startWarnings'],
  { p, columns }: Pick<PreflightStyle, 'p' | 'columns'>,
): string[] {
  const lines = startWarnings.flatMap(({ say, fix, isSevere }) => {
    const mark = isSevere ? p.bad('!') : p.warn('!')
    const both = `  ! ${escapeInvisible(say)} ${escapeInvisible(fix)}`.trimEnd()
    if (!fix.includes('\n') && cellWidth(both) <= columns) return [both.replace('!', mark)]
    return [`  ${mark} ${escapeInvisible(say)}`, ...fix.split('\n').map((line) => `    ${escapeInvisible(line)}`)]
  })
  return lines.length === 0 ? [] : ['', ...lines.flatMap((line) => wrapOutputLine(line, columns))]
}

function agentLine({ agent, model, rules }: PreflightResult, verbose: boolean): string {
  if (agent.simulated) return 'scripted (demo), $0.00 simulated'
  const login = { yes: 'logged in', no: 'not logged in', unknown: 'login unknown' }[agent.login]
  const version = agent.version ?? (verbose ? 'version unknown' : null)
  const parts = [
    version === null ? agent.title : `${agent.title} ${version}`,
    rules.model.strategy === 'fixed' ? `model: ${model ?? DEFAULT_MODEL}` : null,
    verbose ? login : null,
    agent.program === null ? null : `started as: ${clip(agent.program.join(' '), verbose ? 100 : 40)}`,
    agent.others.length === 0 ? null : `fallback: ${agent.others.join(', ')}`,
  ]
  return escapeInvisible(parts.filter((part) => part !== null).join(' · '))
}

/** What is missing while an agent prints its answer only at the end; empty for an agent that streams everything. */
function outputRows({ whole }: PreflightResult, p: Paint): [string, string][] {
  if (whole === null) return []
  const { format, agents } = whole
  const silent = p.warn(`${format}: ${agents.join(', ')} prints nothing until an iteration ends (agent.output)`)
  const lost = 'no live output, no idle limit, and the budget is checked only between iterations'
  const more = format === 'text' ? '; cost, session and denied tools stay unknown' : ''
  return [['output', `${silent}: ${lost}${more}`]]
}

/** One line if all agents of the order have the same permissions, else one for each. */
function permissionRows({ permissions }: PreflightResult, look: Look): [string, string][] {
  const [first, ...others] = permissions.map(({ agent, access }) => ({
    agent: escapeInvisible(agent),
    access: accessText(access, look),
  }))
  if (first === undefined || others.every(({ access }) => access === first.access))
    return [['permissions', first?.access ?? '']]
  return [first, ...others].map(({ agent, access }, at) => [at === 0 ? 'permissions' : '', `${agent}: ${access}`])
}

type Access = PreflightResult['permissions'][number]['access']

function accessText({ say, whole, list }: Access, { p, verbose }: Look): string {
  if (whole) return p.bad(verbose ? `may do anything without asking: ${escapeInvisible(say)}` : MAY_DO_ANYTHING)
  return list === undefined || verbose ? escapeInvisible(say) : listText(list)
}

const MAY_DO_ANYTHING = 'MAY DO ANYTHING that your user may, without asking'

const OTHERWISE_TEXT = {
  denied: '',
  'asks-person': '; asks you about everything else',
  'own-settings': '; its own settings decide what needs permission',
} as const

function listText({ edits, commands, otherwise }: NonNullable<Access['list']>): string {
  const run = commands === 'any' ? 'run any command' : `run ${plural(commands, 'command')}`
  const may = [...(edits ? ['edit files'] : []), ...(commands === 0 ? [] : [run])].join(' and ')
  return `${may === '' ? 'may only read' : `may ${may}`} (ralph config get agent.tools)${OTHERWISE_TEXT[otherwise]}`
}

/** Only what differs from the user's own environment is worth a line. */
function environmentRows(
  { environment: { mode, withheld, byProject } }: PreflightResult,
  { p, verbose }: Look,
): [string, string][] {
  const parts = [
    mode === 'listed' ? 'only listed variables are passed (env.mode)' : null,
    withheld > 0 ? `${plural(withheld, 'variable')} withheld (ralph doctor --env)` : null,
    byProject === null
      ? null
      : p.warn(
          `${byProject.where} passes these variables on, even if secret: ${escapeInvisible(byProject.pass.join(', '))}`,
        ),
  ].filter((part) => part !== null)
  if (parts.length > 0) return [['environment', parts.join('; ')]]
  return verbose ? [['environment', 'passed through unchanged']] : []
}

function gatesLine({ gates }: PreflightResult, p: Paint): string {
  if (gates.length > 0) return gates.map((gate) => escapeInvisible(`${gate.name}: ${gate.run}`)).join(' · ')
  return p.warn('none')
}

/** How a completion is proven; empty without gates. */
function proofRows({ rules, work }: PreflightResult, { p, verbose }: Look): [string, string][] {
  const { level, setup } = rules.proof
  if (!hasGates(rules)) return []
  if (level === 'quick')
    return [['proof', `${p.warn('quick: gates run here only, so nothing counts as proven')} (proof.level)`]]
  if (!verbose) return []
  return [
    [
      'proof',
      'full: the gates must also pass in a fresh copy (the clean room), with the original tests and configuration',
    ],
    ['setup', setup === null ? 'none: uses what is installed (proof.setup)' : clip(escapeInvisible(setup), 100)],
    ['source', sourceLine(work)],
  ]
}

const FOLDERS_SHOWN = 6

function sourceLine(work: PreflightResult['work']): string {
  const folders = work?.folders ?? []
  if (folders.length === 0) return 'repository root: no source folder found (proof.source)'
  const more = folders.length - FOLDERS_SHOWN
  const names = escapeInvisible(folders.slice(0, FOLDERS_SHOWN).join(', '))
  return `${names}${more > 0 ? ` and ${more} more` : ''}${work?.found === true ? ', detected (proof.source)' : ''}`
}

function limitsLine({ rules, iterationsByDefault }: PreflightResult): string {
  const max = rules.loop.iterationsMax
  const iterations = max === 0 ? 'no iteration limit' : plural(max, 'iteration')
  const byDefault = iterationsByDefault && max > 0 ? ' (default)' : ''
  const lift = rules.loop.once === true ? ' (--once)' : byDefault
  const wall = rules.agent.limits.wallMs === 0 ? '' : ` · ${formatSpan(rules.agent.limits.wallMs)} each`
  const calls = rules.quota.callsPerHour === 0 ? '' : ` · ${plural(rules.quota.callsPerHour, 'call')} an hour`
  return `${iterations}${lift}${wall}${calls}`
}

function budgetLine({ rules: { budget } }: PreflightResult): string {
  const parts = [
    budget.usd === null ? null : formatDollars(budget.usd),
    budget.tokens === null ? null : `${budget.tokens} tokens`,
    budget.minutes === null ? null : `${budget.minutes} minutes`,
  ].filter((part) => part !== null)
  return parts.length === 0 ? 'none' : parts.join(' · ')
}

function commitsLine({ git, branch, dirty, rules }: PreflightResult): string {
  if (!git) return 'none: this is not a git repository, so nothing can be undone'
  const who = rules.loop.commit === 'iteration' ? 'by Ralph after each iteration' : 'by the agent'
  const where = branch === null ? 'on a detached HEAD' : `on branch ${escapeInvisible(branch)}`
  return `${who}, ${where}${dirty === 0 ? '' : `; ${plural(dirty, 'uncommitted file')} before the run`}`
}
