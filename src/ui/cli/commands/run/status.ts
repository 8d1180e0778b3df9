/** `ralph status`: shows what runs and why, what it costs and what to do next. */
import { loadProjectStatus, type ProjectStatus } from '../../../../app/run/status.ts'
import { statusJson, statusReport, type LastRun, type StatusReport } from '../../../../app/run/status-report.ts'
import { assertNever } from '../../../../core/assert-never.ts'
import { EXIT } from '../../../../core/error.ts'
import { describeSpent } from '../../../../core/text/format-amounts.ts'
import { truncateToCells } from '../../../../core/text/cell-width.ts'
import {
  outcomeDetails,
  outcomeReason,
  runStatusText,
  runStatusTone,
  outcomeTone,
} from '../../../../core/presentation/outcome-text.ts'
import { answerCommand } from '../../../../core/presentation/answer-to-agent.ts'
import { iterationSeriesOf, SERIES_MAX } from '../../../../core/presentation/charts/iteration-series.ts'
import { planBarText, sparkRows, sparkRowText } from '../../../../core/presentation/charts/spark-line.ts'
import type { Rules } from '../../../../core/state/rules.ts'
import type { ActivitySince } from '../../../../core/presentation/activity.ts'
import type { RunView } from '../../../../core/presentation/run-view.ts'
import {
  describeCurrentTask,
  describeTaskCounts,
  describeFailedTask,
  describeBlockers,
} from '../../../../core/tasks/task-text.ts'
import { oneLine, stripControl, escapeInvisible } from '../../../../core/text/sanitize.ts'
import { describeWait } from '../../../../core/presentation/wait-text.ts'
import { nextStepsBlock } from '../../../plain/next-steps.ts'
import { breakerText } from '../../../plain/breaker-text.ts'
import { formatElapsed, plural, localTimestamp, formatCompact } from '../../../plain/format-values.ts'
import { createPaint, type ScreenStyle, type Paint } from '../../../plain/colours.ts'
import { iterationLines } from '../../../plain/screens/show.ts'
import { wrapIndented, wrapPainted } from '../../../plain/wrap.ts'
import type { AgentFacts } from '../../../../app/doctor/agents.ts'
import type { ProjectOverview } from '../../../../app/run/project-overview.ts'
import type { Settings } from '../../../../config/resolve.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { STATUS } from '../../command-table/quick-commands.ts'
import { outputWidth, type Io } from '../../framework/io.ts'
import { openProject } from '../../framework/open-project.ts'

export const run: CommandHandler<typeof STATUS> = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const report = statusReport(await loadProjectStatus(root), settings)
  const look = { p: createPaint(io.colour), columns: io.columns() }
  const agents = input.flags.verbose ? await askAgents({ root, settings }, io) : null
  if (input.flags.json) {
    io.out(`${JSON.stringify({ ...statusJson(report), ...(agents === null ? {} : { agents }) })}\n`)
    return EXIT.done
  }
  io.out(screen(report, look, outputWidth(io)))
  for (const agent of agents ?? []) io.out(`${row(look, nameOf(agent), agentNow(agent, look.p), 16).join('\n')}\n`)
  return EXIT.done
}

/** An agent that the user defined has only the name they gave it. */
function nameOf({ own, name, title }: AgentFacts): string {
  return truncateToCells(escapeInvisible(own ? name : title), 14)
}

/** Starts each vendor's program once, so only on demand. */
async function askAgents({ root, settings }: { root: string; settings: Settings }, io: Io): Promise<AgentFacts[]> {
  const { probeAllAgents } = await import('../../../../app/doctor/agents.ts')
  return probeAllAgents(settings, { root, env: io.env })
}

function agentNow({ path, version, login, unasked }: AgentFacts, p: Paint): string {
  if (path === null) return p.warn('not installed')
  return `${unasked === null ? (version ?? 'version unknown') : escapeInvisible(path)}, login ${login}`
}

/** `width`: of the advice; a pipe gets its sentences on one line, as in the foreground and the report. */
function screen(report: StatusReport, look: ScreenStyle, width: number): string {
  const { status, project, isServed, rules, last } = report
  const { root, unknown, lost } = status
  const { p } = look
  const note = lost === null ? [] : row(look, 'note', p.warn(lost))
  if (last === null) {
    const state = unknown > 0 ? p.warn('a newer Ralph wrote the last run') : 'Nothing has run here yet.'
    return [
      `${p.bold('Ralph')} · ${root}`,
      '',
      ...row(look, 'state', state),
      ...note,
      ...workRows(report, look),
      ...row(look, 'agents', escapeInvisible(project.agents.join(', then '))),
      ...projectRows(project, null, look),
      '',
      p.dim(`  start: ${report.start}`),
      '',
    ].join('\n')
  }
  const { view, drift, next } = last
  const odd = `not shown: ${plural(unknown, 'row')} of this run, written by a newer Ralph`
  return [
    `${p.bold('Ralph')} · run ${p.head(view.run)} · ${root}`,
    '',
    ...row(look, 'state', stateLine(last, p)),
    ...belowRows(view, look),
    ...redRows(last, look),
    ...workRows(report, look),
    ...row(look, 'agents', agentsLine(view)),
    ...modelRows(view, look),
    ...row(look, 'breaker', breakerText(status.breaker, p)),
    ...row(look, 'quota', quotaLine(status.used, rules.quota)),
    ...row(look, 'spent', spentLine(view)),
    ...chartRows(view, look),
    ...questionRows(status, look),
    ...(drift === null ? [] : row(look, 'branch', p.warn(stripControl(drift)))),
    ...(unknown > 0 ? row(look, 'note', p.warn(odd)) : []),
    ...note,
    ...(isServed ? [] : projectRows(project, last, look)),
    '',
    ...iterationLines(view.iterations.slice(-3), Object.keys(view.workers).length < 2, look),
    '',
    ...nextStepsBlock(next, { p, columns: width - 2 }).map((line) => `  ${line}`),
    '',
  ].join('\n')
}

function workRows({ work, isServed }: StatusReport, look: ScreenStyle): string[] {
  switch (work.is) {
    case 'draft': {
      const asked = work.question === null ? [] : stripControl(work.question).split('\n')
      return [...row(look, 'draft', escapeInvisible(work.path)), ...rows(look, 'asks', asked, look.p.warn)]
    }
    case 'tasks': {
      const { counts, failed, waiting } = work.overview
      return [
        ...rows(look, 'task', work.current.map(describeCurrentTask)),
        ...row(look, 'tasks', describeTaskCounts(counts)),
        ...rows(look, '', failed.map(describeFailedTask), look.p.bad),
        ...rows(look, '', waiting.map(describeBlockers), look.p.warn),
      ]
    }
    case 'rust-tasks':
      return row(look, 'tasks', RUST_TASKS)
    case 'plan': {
      const { checkboxes, next } = work
      if (checkboxes === null) return row(look, 'plan', isServed ? 'no items' : 'none')
      const ticked = planBarText(checkboxes, PLAN_BAR)
      return row(look, 'plan', next === null ? ticked : `${ticked}, next: ${stripControl(next)}`)
    }
    default:
      return assertNever(work)
  }
}

/** Leaves room for the next item at 80 columns. */
const PLAN_BAR = 12

const RUST_TASKS = 'from Rust Ralph; ralph run and ralph task import them'

/** The agents that really worked, whatever the settings say now. */
function agentsLine({ agents, rules }: RunView): string {
  if (agents.length === 0) return `none called yet; order: ${escapeInvisible(rules.agent.order.join(', then '))}`
  return agents
    .map(
      ({ agent, iterations }) =>
        `${escapeInvisible(agent)} (${iterations === 0 ? 'review' : plural(iterations, 'iteration')})`,
    )
    .join(', ')
}

/** Which model was chosen and why, if the run chooses models. */
function modelRows({ workers }: RunView, look: ScreenStyle): string[] {
  return rows(
    look,
    'model',
    Object.values(workers).flatMap(({ chosen }) => chosen ?? []),
  )
}

/** The questions of agents, and the command that answers them. */
function questionRows({ questions }: ProjectStatus, look: ScreenStyle): string[] {
  return questions.flatMap(({ id, text }, index) =>
    row(
      look,
      index === 0 ? 'asked' : '',
      `${look.p.warn(escapeInvisible(oneLine(text, 200)))} · ${escapeInvisible(answerCommand({ id }))}`,
    ),
  )
}

function quotaLine({ calls, tokens }: ProjectStatus['used'], { callsPerHour, tokensPerHour }: Rules['quota']): string {
  const parts = [`${calls} of ${callsPerHour || '∞'} calls this hour`]
  if (tokensPerHour > 0) parts.push(`${formatCompact(tokens)} of ${formatCompact(tokensPerHour)} tokens`)
  return parts.join(' · ')
}

/** Indented below the text of its gate. */
const FAILING_INDENT = 16

/** No failure is shown once the work is proven or accepted. */
function isRedShown({ view, red }: LastRun): boolean {
  return red.length > 0 && view.outcome?.exit !== 0
}

function redRows(last: LastRun, look: ScreenStyle): string[] {
  if (!isRedShown(last)) return []
  return last.red.flatMap(({ gate, iteration, failing }) => [
    ...row(look, 'failed', `${look.p.bad('✗')} gate ${escapeInvisible(gate)} failed after iteration ${iteration}`),
    ...failing.flatMap((line) => wrapIndented(`${' '.repeat(FAILING_INDENT)}${escapeInvisible(line)}`, look.columns)),
  ])
}

function projectRows({ gates, problems }: ProjectOverview, last: LastRun | null, look: ScreenStyle): string[] {
  const named = gates.map(({ name, run: command }) => escapeInvisible(`${name}: ${command}`))
  const health = problems.map((one) => look.p.warn(escapeInvisible(one)))
  return [
    ...row(look, 'gates', named.length === 0 ? 'none' : named.join(' · ')),
    ...(health.length === 0 && !hasTrouble(last) ? [look.p.good('no known problems')] : health).flatMap((text) =>
      row(look, 'health', text),
    ),
  ]
}

/** The rows above show it, so the project is not called healthy below them. */
function hasTrouble(last: LastRun | null): boolean {
  if (last === null) return false
  const { outcome } = last.view
  return last.drift !== null || isRedShown(last) || (outcome !== null && outcomeTone(outcome) === 'bad')
}

/** Several rows of the same name: only the first shows it. */
function rows(look: ScreenStyle, name: string, texts: string[], colour = (text: string) => text): string[] {
  return texts.flatMap((text, index) => row(look, index === 0 ? name : '', colour(escapeInvisible(text))))
}

/** A name and its text, on as many lines as needed. */
function row({ p, columns }: ScreenStyle, name: string, value: string, width = 10): string[] {
  const indent = width + 2 + (/^ */.exec(value)?.[0].length ?? 0)
  return wrapPainted(`  ${p.dim(name.padEnd(width))}${value}`, { columns, indent })
}

function stateLine({ view, worker, state }: LastRun, p: Paint): string {
  switch (state.is) {
    case 'undone':
      return `${p.warn('undone')} · run ${view.run} was reverted on ${localTimestamp(state.at)}`
    case 'ended':
    case 'left': {
      const status = { outcome: state.outcome, left: state.is === 'left', undone: false }
      return `${p[runStatusTone(status)](runStatusText(status))} · ${stripControl(outcomeReason(state.outcome))}`
    }
    case 'paused':
      return p.warn('paused (not running)')
    case 'cut-off':
      return p.warn('interrupted (not running)')
    case 'running': {
      const what = worker === undefined ? 'starting' : waits(worker.activity)
      return `${p.good(what)} · iteration ${worker?.iteration ?? 0} · ${worker?.agent ?? ''} · process ${state.pid}`
    }
    default:
      return assertNever(state)
  }
}

function waits(activity: ActivitySince): string {
  if (activity.is === 'running-trial') return `proof: ${activity.what}`
  if (activity.is === 'proving') return `proof: gate ${stripControl(activity.gate)}`
  if (activity.is !== 'waiting') return activity.is
  return stripControl(describeWait(activity, { now: Date.now(), local: localTimestamp }))
}

/** Details of the reason: what a person has to decide, and warnings. */
function belowRows({ outcome }: RunView, look: ScreenStyle): string[] {
  const lines = outcome === null ? [] : outcomeDetails(outcome)
  return lines.flatMap((line) => row(look, '', stripControl(line)))
}

/** The cost and the size of each iteration. */
function chartRows({ iterations }: RunView, look: ScreenStyle): string[] {
  return sparkRows(iterationSeriesOf(iterations), SERIES_MAX).flatMap((one) => row(look, one.name, sparkRowText(one)))
}

function spentLine(view: RunView): string {
  return [formatElapsed(view.up - view.startedAwakeMs), ...describeSpent(view.spent)].join(' · ')
}
