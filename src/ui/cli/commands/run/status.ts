/** `ralph status`: at a glance what runs, why, what it cost, what to do next. */
import { focus } from '../../../../domain/tell/focus.ts'
import { statusOf, type Status } from '../../../../desk/run/status.ts'
import { EXIT } from '../../../../domain/error.ts'
import { astrayLine } from '../../../../domain/tree/branch-state.ts'
import { spentWords } from '../../../../domain/text/amounts.ts'
import { firstCells } from '../../../../domain/text/cells.ts'
import {
  adviceAtEnd,
  adviceMeanwhile,
  adviceReady,
  adviceSince,
  adviceUndone,
  type Advice,
} from '../../../../domain/tell/advice.ts'
import { belowReason, reasonOf } from '../../../../domain/tell/outcome-words.ts'
import type { Rules } from '../../../../domain/state/rules.ts'
import { runTitle, runTone } from '../../../../domain/tell/run-title.ts'
import type { DoingSince } from '../../../../domain/tell/doing.ts'
import type { View } from '../../../../domain/tell/view.ts'
import type { TasksNow } from '../../../../domain/task/task.ts'
import { sayAt, sayCounts, sayFailed, sayWaits } from '../../../../domain/task/words.ts'
import { oneLine, stripControl, visible } from '../../../../domain/text/text.ts'
import { waitWords } from '../../../../domain/tell/wait-words.ts'
import { adviceBlock } from '../../../plain/advice.ts'
import { breakerWords } from '../../../plain/breaker.ts'
import { clockTime, count, localStamp, short } from '../../../plain/format.ts'
import { paint, type Look, type Paint } from '../../../plain/paint.ts'
import { iterationLines } from '../../../plain/screens/show.ts'
import { hanging, hangingPainted } from '../../../plain/wrap.ts'
import type { DraftShown } from '../../../../domain/feature/draft.ts'
import { paperIn } from '../../../../domain/feature/paper.ts'
import type { AgentFacts } from '../../../../desk/doctor/agents.ts'
import { overviewOf, type Overview } from '../../../../desk/run/overview.ts'
import type { Settings } from '../../../../config/resolve.ts'
import type { Code } from '../../frame/command.ts'
import type { STATUS } from '../../table/asked-often.ts'
import { widthOf, type Io } from '../../frame/io.ts'
import { openProject } from '../../frame/project.ts'

export const run: Code<typeof STATUS> = async (input, io) => {
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
  look: Look
  /** Of the advice, whose sentences a pipe gets whole, as the foreground and the report have them. */
  width: number
}

/** What somebody described themselves has no other name than the one they gave it. */
function nameOf({ own, name, title }: AgentFacts): string {
  return firstCells(visible(own ? name : title), 14)
}

/** Starts each vendor's program once, so only on demand. */
async function askAgents(
  { root, settings }: { root: string; settings: Settings },
  io: Io,
): Promise<AgentFacts[]> {
  const { agentMatrix } = await import('../../../../desk/doctor/agents.ts')
  return agentMatrix(settings, { root, env: io.env })
}

function agentNow({ path, version, login, unasked }: AgentFacts, p: Paint): string {
  if (path === null) return p.warn('not installed')
  return `${unasked === null ? (version ?? 'version unknown') : visible(path)}, login ${login}`
}

function facts(status: Status, settings: Settings): object {
  const { root, view, tasks, holder, cutOff, unknown, lost, breaker, used, undone, questions } = status
  const { quota, budget } = rulesNow(status, settings)
  const admitted = { ...used, callsMax: quota.callsPerHour, tokensMax: quota.tokensPerHour }
  if (view === null) return { root, run: null, is: 'idle', breaker: breaker.is, quota: admitted, lost, tasks }
  const worker = focus(view)
  return {
    root,
    run: view.run,
    is: cutOff ? 'cut-off' : view.is,
    pid: holder?.pid ?? null,
    iteration: worker?.iteration ?? 0,
    doing: worker?.doing ?? null,
    agent: worker?.agent ?? null,
    agentsUsed: view.agents,
    model: worker?.model ?? null,
    modelChosen: worker?.chosen ?? null,
    conversation: worker?.conversation ?? null,
    breaker: breaker.is,
    boxes: worker?.boxes ?? null,
    task: worker?.task ?? null,
    tasks,
    branch: worker?.footing?.branch ?? null,
    astray: astrayLine(worker?.footing ?? null),
    quota: admitted,
    spent: view.spent,
    budget,
    startedAt: view.startedAt,
    durationMs: view.up - view.startedUp,
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
function nextOf(status: Status, view: View): string[] {
  const { command, others } = adviceNow(status, view)
  return [command, ...others.map((step) => step.command)]
}

/** The limits of the run that goes on; without one, those of the next. */
function rulesNow({ view, holder }: Status, settings: Settings): Rules {
  return view !== null && holder !== null ? view.rules : settings.rules()
}

/** Gates that are red on the work, each as it was last run, with the lines that tell why. */
function redGates({ iterations }: View): { gate: string; iteration: number; failing: string[] }[] {
  const judged = iterations.findLast(({ gates }) => gates.length > 0)
  if (judged === undefined) return []
  const newest = new Map(judged.gates.map((gate) => [gate.name, gate]))
  return [...newest.values()]
    .filter(({ passed }) => !passed)
    .map(({ name, failing }) => ({ gate: name, iteration: judged.n, failing }))
}

function astrayRow({ workers }: View, look: Look): string[] {
  const line = astrayLine(focus({ workers })?.footing ?? null)
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
  const served = status.holder !== null
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
    ...row(look, 'breaker', breakerWords(status.breaker, p)),
    ...row(look, 'quota', quotaLine(status.used, rulesNow(status, settings).quota)),
    ...row(look, 'spent', spentLine(view)),
    ...questionRows(status, look),
    ...astrayRow(view, look),
    ...(unknown > 0 ? row(look, 'note', p.warn(odd)) : []),
    ...note,
    ...(served ? [] : [...gateRow(overview, look), ...healthRows(overview, look)]),
    '',
    ...view.iterations.slice(-3).flatMap((one) => iterationLines(one, look)),
    '',
    ...adviceBlock(adviceNow(status, view), { p, columns: width - 2 }).map((line) => `  ${line}`),
    '',
  ].join('\n')
}

/** What the run is about: a plan, tasks, or papers. */
function aboutRows(
  { tasks, holder }: Status,
  view: View,
  { overview, look }: Pick<Around, 'overview' | 'look'>,
): string[] {
  const draft = focus(view)?.draft
  if (draft !== undefined) return draftRows(view, draft, look)
  if (tasks !== null) return [...atRows(view, look), ...taskRows(tasks, look)]
  return row(look, 'plan', holder === null ? planNow(overview) : planLine(view))
}

function draftRows(view: View, { folder, paper }: DraftShown, look: Look): string[] {
  const doing = focus(view)?.doing
  const asked = doing?.is === 'asking' ? stripControl(doing.question).split('\n') : []
  const lines = asked.map((line) => visible(line))
  return [
    ...row(look, 'draft', visible(view.outcome === null ? paperIn(folder, paper) : folder)),
    ...lines.flatMap((line, at) => row(look, at === 0 ? 'asks' : '', look.p.warn(line))),
  ]
}

/** What there is to do where nothing has run yet. */
function workRows({ tasks, tasksAwait }: Status, overview: Overview, look: Look): string[] {
  const awaited =
    'those of the Rust tool, which `ralph run` and `ralph task` take over when they first come upon them'
  if (tasks !== null) return taskRows(tasks, look)
  return tasksAwait ? row(look, 'tasks', awaited) : row(look, 'plan', planNow(overview))
}

/** The task of each worker that has one. */
function atRows({ workers }: View, look: Look): string[] {
  const at = Object.values(workers).flatMap(({ task }) => (task === null ? [] : [task]))
  return at.flatMap((task, index) => row(look, index === 0 ? 'task' : '', visible(sayAt(task))))
}

/** What others wait for is told where nothing is ready. */
function taskRows({ counts, waiting, failed }: TasksNow, look: Look): string[] {
  const below = [
    ...failed.map((one) => look.p.bad(visible(sayFailed(one)))),
    ...waiting.map((one) => look.p.warn(visible(sayWaits(one)))),
  ]
  return [...row(look, 'tasks', sayCounts(counts)), ...below.flatMap((text) => row(look, '', text))]
}

/** Who really worked, whatever the settings say now. */
function agentsLine({ agents, rules }: View): string {
  if (agents.length === 0) return `none was asked; the order is ${visible(rules.agent.order.join(', then '))}`
  return agents
    .map(
      ({ agent, iterations }) =>
        `${visible(agent)} (${iterations === 0 ? 'its opinion' : count(iterations, 'iteration')})`,
    )
    .join(', ')
}

/** Where models are chosen: which one, and why. */
function modelRows({ workers }: View, look: Look): string[] {
  const why = Object.values(workers).flatMap(({ chosen }) => chosen ?? [])
  return why.flatMap((text, index) => row(look, index === 0 ? 'model' : '', visible(text)))
}

/** What an agent wanted to know, and how it is told. */
function questionRows({ questions }: Status, look: Look): string[] {
  return questions.flatMap(({ id, text }, index) =>
    row(
      look,
      index === 0 ? 'asked' : '',
      `${look.p.warn(visible(oneLine(text, 200)))} · ralph answer ${visible(id)} "…"`,
    ),
  )
}

function quotaLine(
  { calls, tokens }: Status['used'],
  { callsPerHour, tokensPerHour }: Rules['quota'],
): string {
  const parts = [`${calls} of ${callsPerHour || '∞'} calls this hour`]
  if (tokensPerHour > 0) parts.push(`${short(tokens)} of ${short(tokensPerHour)} tokens`)
  return parts.join(' · ')
}

/** Below the words of its gate. */
const FAILING_INDENT = 16

/** Nothing is red any more where the work was proven or accepted. */
function redRows(view: View, look: Look): string[] {
  if (view.outcome !== null && view.outcome.exit === 0) return []
  return redGates(view).flatMap(({ gate, iteration, failing }) => [
    ...row(look, 'red', `${look.p.bad('✗')} gate ${visible(gate)} after iteration ${iteration}`),
    ...failing.flatMap((line) => hanging(`${' '.repeat(FAILING_INDENT)}${visible(line)}`, look.columns)),
  ])
}

function planNow({ plan }: Overview): string {
  if (plan === null) return 'none'
  const { open, done } = plan.boxes
  return `${done} of ${done + open} boxes ticked${plan.next === null ? '' : `, next: ${stripControl(plan.next)}`}`
}

function agentsRow({ agents }: Overview, look: Look): string[] {
  return row(look, 'agents', visible(agents.join(', then ')))
}

function gateRow({ gates }: Overview, look: Look): string[] {
  const named = gates.map(({ name, run: command }) => visible(`${name}: ${command}`))
  return row(look, 'gates', named.length === 0 ? 'none' : named.join(' · '))
}

function healthRows({ troubles }: Overview, look: Look): string[] {
  const { p } = look
  if (troubles.length === 0) return row(look, 'health', p.good('nothing is known to be wrong'))
  return troubles.flatMap((one) => row(look, 'health', p.warn(visible(one))))
}

/** Its name, and what is said about it in as many lines as it takes. */
function row({ p, columns }: Look, name: string, value: string, width = 10): string[] {
  const indent = width + 2 + (/^ */.exec(value)?.[0].length ?? 0)
  return hangingPainted(`  ${p.dim(name.padEnd(width))}${value}`, { columns, indent })
}

function stateLine({ holder, cutOff, undone }: Status, view: View, p: Paint): string {
  if (undone !== null)
    return `${p.warn('undone')} · run ${view.run} was taken back on ${localStamp(undone.at)}`
  if (view.outcome !== null) {
    const standing = { outcome: view.outcome, left: view.is === 'left', undone: false }
    return `${p[runTone(standing)](runTitle(standing))} · ${stripControl(reasonOf(view.outcome))}`
  }
  if (cutOff) return p.warn(`${view.is === 'paused' ? 'paused' : 'cut off'}: no process serves it`)
  const worker = focus(view)
  const doing = worker?.doing
  const what = doing === undefined ? 'starting' : waits(doing)
  return `${p.good(what)} · iteration ${worker?.iteration ?? 0} · ${worker?.agent ?? ''} · process ${holder?.pid ?? view.pid}`
}

function waits(doing: DoingSince): string {
  if (doing.is === 'trying') return `trying: ${doing.what}`
  if (doing.is === 'proving') return `proving: gate ${stripControl(doing.gate)}`
  if (doing.is !== 'waiting') return doing.is
  return stripControl(waitWords(doing, { now: Date.now(), local: localStamp }))
}

/** What belongs to the reason: what a person is asked about, and what else they should know. */
function belowRows({ outcome }: View, look: Look): string[] {
  const lines = outcome === null ? [] : belowReason(outcome)
  return lines.flatMap((line) => row(look, '', stripControl(line)))
}

function planLine(view: View): string {
  const boxes = focus(view)?.boxes ?? null
  return boxes === null ? 'no boxes' : `${boxes.done} of ${boxes.done + boxes.open} boxes ticked`
}

function spentLine(view: View): string {
  return [clockTime(view.up - view.startedUp), ...spentWords(view.spent)].join(' · ')
}

function adviceNow({ cutOff, holder, undone, tasks, since }: Status, view: View): Advice {
  const { outcome } = view
  if (undone !== null)
    return adviceUndone({ command: undone.command, ended: view.is === 'ended' }, view.command)
  if (view.is === 'left') return adviceMeanwhile('left', view.command)
  if (view.is === 'paused') return adviceMeanwhile('paused', view.command)
  if (cutOff) return adviceMeanwhile('cut-off', view.command)
  if (holder !== null)
    return adviceMeanwhile(focus(view)?.doing.is === 'asking' ? 'asked' : 'served', view.command)
  if (outcome === null) return adviceMeanwhile('cut-off', view.command)
  if (since !== null) return adviceSince(since, view.run)
  return adviceReady(adviceAtEnd(view, outcome), { ready: tasks?.counts.ready ?? 0, view })
}
