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

export function preflightBlock(facts: PreflightResult & { run: string }, version: string, style: ScreenStyle): string {
  const { p, columns } = style
  const rows: [string, string][] = [
    ...taskRows(facts),
    ...draftRows(facts),
    ['agent', agentLine(facts)],
    ...modelRows(facts),
    ...outputRows(facts, p),
    ...permissionRows(facts, p),
    ['environment', environmentLine(facts, p)],
    ...protectedRows(facts, p),
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
    ...startWarningLines(facts.startWarnings, p).flatMap((line) => wrapOutputLine(line, columns)),
    '',
    '',
  ].join('\n')
}

/** The width of the column of names. */
const NAMES = 12

/** Model names differ between vendors, so each agent of the order has its own row. */
function modelRows({ model, rules, agent: { name, others, simulated } }: PreflightResult): [string, string][] {
  if (simulated) return []
  const { strategy } = rules.model
  if (strategy === 'fixed') return [['model', escapeInvisible(model ?? OWN_DEFAULT)]]
  const chosen = `chosen for each visit (${strategy})`
  if (others.length === 0) return [['model', escapeInvisible(`${chosen}: ${tiersOf(rules, name)}`)]]
  const each = [name, ...others].map((one): [string, string] => ['', escapeInvisible(`${one}: ${tiersOf(rules, one)}`)])
  return [['model', chosen], ...each]
}

const OWN_DEFAULT = "the agent's own default"

function tiersOf({ agent }: PreflightResult['rules'], name: string): string {
  const models = agent.models?.[name]
  if (models === undefined) return OWN_DEFAULT
  return TIERS.map((tier) => `${tier} ${models[tier] ?? OWN_DEFAULT}`).join(', ')
}

function taskRows({ tasks, rules }: PreflightResult): [string, string][] {
  if (tasks === null) return []
  const { maxRetries, verify } = rules.task
  const review = verify ? '; a second opinion after the gates' : ''
  return [['tasks', `${describeTaskCounts(tasks)}; each at most ${plural(maxRetries + 1, 'time')}${review}`]]
}

function draftRows({ draft }: PreflightResult): [string, string][] {
  if (draft === null) return []
  const { folder, documents, asks } = draft
  const who = asks ? 'you are asked what it cannot know' : 'nobody is asked, so it assumes the careful thing'
  return [['draft', `${documents.map((document) => documentPathIn(folder, document)).join(', ')}; ${who}`]]
}

/** Documents are checked only by their format. */
function protectedRows(facts: PreflightResult, p: Paint): [string, string][] {
  return facts.draft === null ? [['gates', gatesLine(facts, p)], ...proofRows(facts, p)] : []
}

/** Without git nothing can be undone; a draft keeps only its documents. */
function stopLine({ git, draft }: PreflightResult): string {
  const stop = 'Ctrl+C here, or `ralph stop`; look: `ralph status`'
  return git && draft === null ? `${stop}; take it all back: \`ralph undo\`` : stop
}

/** Warnings come last, where they are seen, each with its fix. */
function startWarningLines(startWarnings: PreflightResult['startWarnings'], p: Paint): string[] {
  const lines = startWarnings.flatMap(({ say, fix, isSevere }) => [
    `  ${isSevere ? p.bad('!') : p.warn('!')} ${escapeInvisible(say)}`,
    ...fix.split('\n').map((line) => `    ${escapeInvisible(line)}`),
  ])
  return lines.length === 0 ? [] : ['', ...lines]
}

function agentLine({ agent }: PreflightResult): string {
  if (agent.simulated) return 'scripted (demo), $0.00 simulated'
  const version = agent.version === null ? 'version unknown' : agent.version
  const login = { yes: 'login found', no: 'not logged in', unknown: 'login not visible from here' }[agent.login]
  const others = agent.others.length === 0 ? '' : `; then ${escapeInvisible(agent.others.join(', '))}`
  const program = agent.program === null ? '' : `, started as: ${clip(escapeInvisible(agent.program.join(' ')), 100)}`
  return `${escapeInvisible(agent.title)} ${version} (${login}${program})${others}`
}

/** What is missing while an agent prints its answer only at the end; empty for an agent that streams everything. */
function outputRows({ whole }: PreflightResult, p: Paint): [string, string][] {
  if (whole === null) return []
  const { format, agents } = whole
  const silent = `${format}: ${agents.join(', ')} tells nothing before the end of an iteration`
  const lost = 'no live words, no idle limit (agent.idle), and a budget is held between iterations only'
  const more = format === 'text' ? ', and never its cost, its conversation or what it was denied' : ''
  return [['output', `${p.warn(`${silent}${more}`)}: ${lost} (agent.output)`]]
}

/** One line if all agents of the order have the same permissions, else one for each. */
function permissionRows({ permissions }: PreflightResult, p: Paint): [string, string][] {
  const [first, ...others] = permissions.map(({ agent, access: { say, whole } }) => ({
    agent: escapeInvisible(agent),
    access: whole ? p.bad(`${WITHOUT_ASKING}: ${escapeInvisible(say)}`) : escapeInvisible(say),
  }))
  if (first === undefined || others.every(({ access }) => access === first.access))
    return [['permissions', first?.access ?? '']]
  return [first, ...others].map(({ agent, access }, at) => [at === 0 ? 'permissions' : '', `${agent}: ${access}`])
}

const WITHOUT_ASKING = 'everything without asking'

function environmentLine({ environment: { mode, withheld, byProject } }: PreflightResult, p: Paint): string {
  const start = mode === 'listed' ? 'only listed names are handed on (env.mode): ' : ''
  const kept =
    withheld === 0
      ? 'nothing is withheld'
      : `${plural(withheld, 'variable')} ${withheld === 1 ? 'is' : 'are'} withheld (ralph doctor --env)`
  const handed =
    byProject === null
      ? ''
      : p.warn(`; ${byProject.where} hands on ${escapeInvisible(byProject.pass.join(', '))}, secrets too`)
  return `${start}${kept}${handed}`
}

function gatesLine({ gates }: PreflightResult, p: Paint): string {
  if (gates.length > 0) return gates.map((gate) => escapeInvisible(`${gate.name}: ${gate.run}`)).join(' · ')
  return p.warn('none')
}

/** How a completion is proven; empty without gates. */
function proofRows({ rules, work }: PreflightResult, p: Paint): [string, string][] {
  const { level, setup } = rules.proof
  if (!hasGates(rules)) return []
  if (level === 'quick')
    return [['proof', `${p.warn('quick: a run ends with gates passed, never proven')} (proof.level)`]]
  return [
    [
      'proof',
      'full: work counts as done when the gates pass in a fresh copy (the clean room), with tests and configuration as they were',
    ],
    [
      'set-up',
      setup === null
        ? 'none: the tools are those that the run finds here (proof.setup)'
        : clip(escapeInvisible(setup), 100),
    ],
    ['work', workLine(work)],
  ]
}

const FOLDERS_SHOWN = 6

function workLine(work: PreflightResult['work']): string {
  const folders = work?.folders ?? []
  if (folders.length === 0) return 'code in the top folder: no source folder was found (proof.source)'
  const more = folders.length - FOLDERS_SHOWN
  const names = escapeInvisible(folders.slice(0, FOLDERS_SHOWN).join(', '))
  return `${names}${more > 0 ? ` and ${more} more` : ''}${work?.found === true ? ', as found (proof.source)' : ''}`
}

function limitsLine({ rules, iterationsByDefault }: PreflightResult): string {
  const max = rules.loop.iterationsMax
  const iterations = max === 0 ? 'no iteration limit' : plural(max, 'iteration')
  const byDefault = iterationsByDefault && max > 0 ? ' (the default; --max-iterations 0 lifts it)' : ''
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
  return parts.length === 0 ? 'none (set one with --budget-usd 5)' : parts.join(' · ')
}

function commitsLine({ git, branch, dirty, rules }: PreflightResult): string {
  if (!git) return 'none: this is no git repository, so changes are only measured'
  const who = rules.loop.commit === 'iteration' ? 'by Ralph after each iteration' : 'by the agent'
  const where = branch === null ? 'on a detached HEAD' : `on branch ${escapeInvisible(branch)}`
  const dirt = dirty === 0 ? 'the tree is clean' : `${plural(dirty, 'file')} changed before this run`
  return `${who}, ${where}; ${dirt}`
}
