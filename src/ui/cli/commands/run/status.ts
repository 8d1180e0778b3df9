/** `ralph status`: at a glance what runs, why, what it cost, what to do next. */
import { focus } from '../../../../core/presentation/focused-worker.ts'
import { statusOf, type Status } from '../../../../app/run/status.ts'
import { EXIT } from '../../../../core/error.ts'
import { driftLine } from '../../../../core/tree/branch-state.ts'
import { describeSpent } from '../../../../core/text/format-amounts.ts'
import { truncateToCells } from '../../../../core/text/cell-width.ts'
import {
  adviceForView,
  adviceForUnfinished,
  adviceReady,
  adviceForFeature,
  adviceUndone,
  type Advice,
} from '../../../../core/presentation/advice.ts'
import { outcomeDetails, outcomeReason } from '../../../../core/presentation/outcome-text.ts'
import type { Rules } from '../../../../core/state/rules.ts'
import { startCommandText } from '../../../../core/state/start-command.ts'
import { runTitle, runTone } from '../../../../core/presentation/run-title.ts'
import type { ActivitySince } from '../../../../core/presentation/activity.ts'
import type { RunView } from '../../../../core/presentation/view.ts'
import type { TaskOverview } from '../../../../core/tasks/task.ts'
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
import { formatClock, count, localTimestamp, formatCompact } from '../../../plain/format-time.ts'
import { paint, type ScreenStyle, type Paint } from '../../../plain/colours.ts'
import { iterationLines } from '../../../plain/screens/show.ts'
import { wrapIndented, wrapPainted } from '../../../plain/wrap.ts'
import type { DraftView } from '../../../../core/features/draft.ts'
import { documentPathIn } from '../../../../core/features/documents.ts'
import type { AgentFacts } from '../../../../app/doctor/agents.ts'
import { overviewOf, type Overview } from '../../../../app/run/overview.ts'
import type { Settings } from '../../../../config/resolve.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { STATUS } from '../../table/quick-commands.ts'
import { widthOf, type Io } from '../../frame/io.ts'
import { openProject } from '../../frame/project.ts'

export const run: CommandCode<typeof STATUS> = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const status = await statusOf(root)
  const json = input.flags.json
  const look = { p: paint(io.colour), columns: io.columns() }
  // The project itself is told where nothing is going on, and to programs always.
  const isDraft = status.view !== null && focus(status.view)?.draft !== undefined
  const tasks = status.tasks !== null || status.tasksAwait || isDraft
  const overview = overviewOf(root, settings, { tasks })
  const agents = input.flags.verbose ? await askAgents({ root, settings }, io) : null
  if (json) {
    const told = { ...facts(status, settings), project: overview, ...(agents === null ? {} : { agents }) }
    io.out(`${JSON.stringify(told)}\n`)
    return EXIT.done
  }
  io.out(screen(status, { overview, settings, look, width: widthOf(io) }))
  for (const agent of agents ?? [])
    io.out(`${row(look, nameOf(agent), agentNow(agent, look.p), 16).join('\n')}\n`)
  return EXIT.done
}

interface Around {
  overview: Overview
  settings: Settings
  look: ScreenStyle
  /** Of the advice, whose sentences a pipe gets whole, as the foreground and the report have them. */
  width: number
}

/** What somebody described themselves has no other name than the one they gave it. */
function nameOf({ own, name, title }: AgentFacts): string {
  return truncateToCells(escapeInvisible(own ? name : title), 14)
}

/** Starts each vendor's program once, so only on demand. */
async function askAgents(
  { root, settings }: { root: string; settings: Settings },
  io: Io,
): Promise<AgentFacts[]> {
  const { agentMatrix } = await import('../../../../app/doctor/agents.ts')
  return agentMatrix(settings, { root, env: io.env })
}

function agentNow({ path, version, login, unasked }: AgentFacts, p: Paint): string {
  if (path === null) return p.warn('not installed')
  return `${unasked === null ? (version ?? 'version unknown') : escapeInvisible(path)}, login ${login}`
}

function facts(status: Status, settings: Settings): object {
  const { root, view, tasks, lockOwner, cutOff, unknown, lost, breaker, used, undone, questions } = status
  const { quota, budget } = rulesNow(status, settings)
  const admitted = { ...used, callsMax: quota.callsPerHour, tokensMax: quota.tokensPerHour }
  if (view === null) return { root, run: null, is: 'idle', breaker: breaker.is, quota: admitted, lost, tasks }
  const worker = focus(view)
  return {
    root,
    run: view.run,
    is: cutOff ? 'cut-off' : view.is,
    pid: lockOwner?.pid ?? null,
    iteration: worker?.iteration ?? 0,
    activity: worker?.activity ?? null,
    agent: worker?.agent ?? null,
    agentsUsed: view.agents,
    model: worker?.model ?? null,
    modelChosen: worker?.chosen ?? null,
    conversation: worker?.conversation ?? null,
    breaker: breaker.is,
    checkboxes: worker?.checkboxes ?? null,
    task: worker?.task ?? null,
    tasks,
    branch: worker?.branchState?.branch ?? null,
    drift: driftLine(worker?.branchState ?? null),
    quota: admitted,
    spent: view.spent,
    budget,
    startedAt: view.startedAt,
    durationMs: view.up - view.startedAwakeMs,
    outcome: view.outcome,
    red: redGates(view),
    next: nextOf(status, view),
    undone,
    questions,
    decisions: view.decisions.slice(-5),
    unknownRows: unknown,
    lost,
  }
}

/** The commands that the screen advises. */
function nextOf(status: Status, view: RunView): string[] {
  const { command, others } = adviceNow(status, view)
  return [command, ...others.map((step) => step.command)]
}

/** The limits of the run that goes on; without one, those of the next. */
function rulesNow({ view, lockOwner }: Status, settings: Settings): Rules {
  return view !== null && lockOwner !== null ? view.rules : settings.rules()
}

/** Gates that are red on the work, each as it was last run, with the lines that tell why. */
function redGates({ iterations }: RunView): { gate: string; iteration: number; failing: string[] }[] {
  const judged = iterations.findLast(({ gates }) => gates.length > 0)
  if (judged === undefined) return []
  const newest = new Map(judged.gates.map((gate) => [gate.name, gate]))
  return [...newest.values()]
    .filter(({ passed }) => !passed)
    .map(({ name, failing }) => ({ gate: name, iteration: judged.n, failing }))
}

function driftRow({ workers }: RunView, look: ScreenStyle): string[] {
  const line = driftLine(focus({ workers })?.branchState ?? null)
  return line === null ? [] : row(look, 'branch', look.p.warn(stripControl(line)))
}

function screen(status: Status, { overview, settings, look, width }: Around): string {
  const { root, view, unknown, lost } = status
  const { p } = look
  const note = lost === null ? [] : row(look, 'note', p.warn(lost))
  if (view === null) {
    const state =
      unknown > 0 ? p.warn('the last run was written by a newer Ralph') : 'Nothing has run here yet.'
    return [
      `${p.bold('Ralph')} · ${root}`,
      '',
      ...row(look, 'state', state),
      ...note,
      ...workRows(status, overview, look),
      ...agentsRow(overview, look),
      ...gateRow(overview, look),
      ...healthRows(overview, look),
      '',
      p.dim(`  start: ralph ${status.tasks === null && !status.tasksAwait ? 'loop' : 'run'}`),
      '',
    ].join('\n')
  }
  const served = status.lockOwner !== null
  const odd = `${count(unknown, 'row')} of this run were written by a newer Ralph and are not shown`
  return [
    `${p.bold('Ralph')} · run ${p.head(view.run)} · ${root}`,
    '',
    ...row(look, 'state', stateLine(status, view, p)),
    ...belowRows(view, look),
    ...redRows(view, look),
    ...aboutRows(status, view, { overview, look }),
    ...row(look, 'agents', agentsLine(view)),
    ...modelRows(view, look),
    ...row(look, 'breaker', breakerText(status.breaker, p)),
    ...row(look, 'quota', quotaLine(status.used, rulesNow(status, settings).quota)),
    ...row(look, 'spent', spentLine(view)),
    ...questionRows(status, look),
    ...driftRow(view, look),
    ...(unknown > 0 ? row(look, 'note', p.warn(odd)) : []),
    ...note,
    ...(served ? [] : [...gateRow(overview, look), ...healthRows(overview, look)]),
    '',
    ...iterationLines(view.iterations.slice(-3), Object.keys(view.workers).length < 2, look),
    '',
    ...nextStepsBlock(adviceNow(status, view), { p, columns: width - 2 }).map((line) => `  ${line}`),
    '',
  ].join('\n')
}

/** What the run is about: a plan, tasks, or documents. */
function aboutRows(
  { tasks, lockOwner }: Status,
  view: RunView,
  { overview, look }: Pick<Around, 'overview' | 'look'>,
): string[] {
  const draft = focus(view)?.draft
  if (draft !== undefined) return draftRows(view, draft, look)
  if (tasks !== null) return [...atRows(view, look), ...taskRows(tasks, look)]
  return row(look, 'plan', lockOwner === null ? planNow(overview) : planLine(view))
}

function draftRows(view: RunView, { folder, document }: DraftView, look: ScreenStyle): string[] {
  const activity = focus(view)?.activity
  const asked = activity?.is === 'asking' ? stripControl(activity.question).split('\n') : []
  const lines = asked.map((line) => escapeInvisible(line))
  return [
    ...row(look, 'draft', escapeInvisible(view.outcome === null ? documentPathIn(folder, document) : folder)),
    ...lines.flatMap((line, at) => row(look, at === 0 ? 'asks' : '', look.p.warn(line))),
  ]
}

/** What there is to do where nothing has run yet. */
function workRows({ tasks, tasksAwait }: Status, overview: Overview, look: ScreenStyle): string[] {
  const awaited =
    'those of the Rust tool, which `ralph run` and `ralph task` take over when they first come upon them'
  if (tasks !== null) return taskRows(tasks, look)
  return tasksAwait ? row(look, 'tasks', awaited) : row(look, 'plan', planNow(overview))
}

/** The task of each worker that has one. */
function atRows({ workers }: RunView, look: ScreenStyle): string[] {
  const at = Object.values(workers).flatMap(({ task }) => (task === null ? [] : [task]))
  return at.flatMap((task, index) =>
    row(look, index === 0 ? 'task' : '', escapeInvisible(describeCurrentTask(task))),
  )
}

/** What others wait for is told where nothing is ready. */
function taskRows({ counts, waiting, failed }: TaskOverview, look: ScreenStyle): string[] {
  const below = [
    ...failed.map((one) => look.p.bad(escapeInvisible(describeFailedTask(one)))),
    ...waiting.map((one) => look.p.warn(escapeInvisible(describeBlockers(one)))),
  ]
  return [...row(look, 'tasks', describeTaskCounts(counts)), ...below.flatMap((text) => row(look, '', text))]
}

/** Who really worked, whatever the settings say now. */
function agentsLine({ agents, rules }: RunView): string {
  if (agents.length === 0)
    return `none was asked; the order is ${escapeInvisible(rules.agent.order.join(', then '))}`
  return agents
    .map(
      ({ agent, iterations }) =>
        `${escapeInvisible(agent)} (${iterations === 0 ? 'its opinion' : count(iterations, 'iteration')})`,
    )
    .join(', ')
}

/** Where models are chosen: which one, and why. */
function modelRows({ workers }: RunView, look: ScreenStyle): string[] {
  const why = Object.values(workers).flatMap(({ chosen }) => chosen ?? [])
  return why.flatMap((text, index) => row(look, index === 0 ? 'model' : '', escapeInvisible(text)))
}

/** What an agent wanted to know, and how it is told. */
function questionRows({ questions }: Status, look: ScreenStyle): string[] {
  return questions.flatMap(({ id, text }, index) =>
    row(
      look,
      index === 0 ? 'asked' : '',
      `${look.p.warn(escapeInvisible(oneLine(text, 200)))} · ralph answer ${escapeInvisible(id)} "…"`,
    ),
  )
}

function quotaLine(
  { calls, tokens }: Status['used'],
  { callsPerHour, tokensPerHour }: Rules['quota'],
): string {
  const parts = [`${calls} of ${callsPerHour || '∞'} calls this hour`]
  if (tokensPerHour > 0) parts.push(`${formatCompact(tokens)} of ${formatCompact(tokensPerHour)} tokens`)
  return parts.join(' · ')
}

/** Below the words of its gate. */
const FAILING_INDENT = 16

/** Nothing is red any more where the work was proven or accepted. */
function redRows(view: RunView, look: ScreenStyle): string[] {
  if (view.outcome !== null && view.outcome.exit === 0) return []
  return redGates(view).flatMap(({ gate, iteration, failing }) => [
    ...row(look, 'red', `${look.p.bad('✗')} gate ${escapeInvisible(gate)} after iteration ${iteration}`),
    ...failing.flatMap((line) =>
      wrapIndented(`${' '.repeat(FAILING_INDENT)}${escapeInvisible(line)}`, look.columns),
    ),
  ])
}

function planNow({ plan }: Overview): string {
  if (plan === null) return 'none'
  const { open, done } = plan.checkboxes
  return `${done} of ${done + open} boxes ticked${plan.next === null ? '' : `, next: ${stripControl(plan.next)}`}`
}

function agentsRow({ agents }: Overview, look: ScreenStyle): string[] {
  return row(look, 'agents', escapeInvisible(agents.join(', then ')))
}

function gateRow({ gates }: Overview, look: ScreenStyle): string[] {
  const named = gates.map(({ name, run: command }) => escapeInvisible(`${name}: ${command}`))
  return row(look, 'gates', named.length === 0 ? 'none' : named.join(' · '))
}

function healthRows({ problems }: Overview, look: ScreenStyle): string[] {
  const { p } = look
  if (problems.length === 0) return row(look, 'health', p.good('nothing is known to be wrong'))
  return problems.flatMap((one) => row(look, 'health', p.warn(escapeInvisible(one))))
}

/** Its name, and what is said about it in as many lines as it takes. */
function row({ p, columns }: ScreenStyle, name: string, value: string, width = 10): string[] {
  const indent = width + 2 + (/^ */.exec(value)?.[0].length ?? 0)
  return wrapPainted(`  ${p.dim(name.padEnd(width))}${value}`, { columns, indent })
}

function stateLine({ lockOwner, cutOff, undone }: Status, view: RunView, p: Paint): string {
  if (undone !== null)
    return `${p.warn('undone')} · run ${view.run} was taken back on ${localTimestamp(undone.at)}`
  if (view.outcome !== null) {
    const standing = { outcome: view.outcome, left: view.is === 'left', undone: false }
    return `${p[runTone(standing)](runTitle(standing))} · ${stripControl(outcomeReason(view.outcome))}`
  }
  if (cutOff) return p.warn(`${view.is === 'paused' ? 'paused' : 'cut off'}: no process serves it`)
  const worker = focus(view)
  const activity = worker?.activity
  const what = activity === undefined ? 'starting' : waits(activity)
  return `${p.good(what)} · iteration ${worker?.iteration ?? 0} · ${worker?.agent ?? ''} · process ${lockOwner?.pid ?? view.pid}`
}

function waits(activity: ActivitySince): string {
  if (activity.is === 'running-trial') return `trying: ${activity.what}`
  if (activity.is === 'proving') return `proving: gate ${stripControl(activity.gate)}`
  if (activity.is !== 'waiting') return activity.is
  return stripControl(describeWait(activity, { now: Date.now(), local: localTimestamp }))
}

/** What belongs to the reason: what a person is asked about, and what else they should know. */
function belowRows({ outcome }: RunView, look: ScreenStyle): string[] {
  const lines = outcome === null ? [] : outcomeDetails(outcome)
  return lines.flatMap((line) => row(look, '', stripControl(line)))
}

function planLine(view: RunView): string {
  const checkboxes = focus(view)?.checkboxes ?? null
  return checkboxes === null
    ? 'no boxes'
    : `${checkboxes.done} of ${checkboxes.done + checkboxes.open} boxes ticked`
}

function spentLine(view: RunView): string {
  return [formatClock(view.up - view.startedAwakeMs), ...describeSpent(view.spent)].join(' · ')
}

function adviceNow({ cutOff, lockOwner, undone, tasks, since }: Status, view: RunView): Advice {
  const { outcome } = view
  const begin = startCommandText(view.start)
  if (undone !== null) return adviceUndone({ command: undone.command, ended: view.is === 'ended' }, begin)
  if (view.is === 'left') return adviceForUnfinished('left', begin)
  if (view.is === 'paused') return adviceForUnfinished('paused', begin)
  if (cutOff) return adviceForUnfinished('cut-off', begin)
  if (lockOwner !== null)
    return adviceForUnfinished(focus(view)?.activity.is === 'asking' ? 'asked' : 'served', begin)
  if (outcome === null) return adviceForUnfinished('cut-off', begin)
  if (since !== null) return adviceForFeature(since, view.run)
  return adviceReady(adviceForView(view, outcome), { ready: tasks?.counts.ready ?? 0, begin })
}
