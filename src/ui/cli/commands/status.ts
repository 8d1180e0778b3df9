/** `ralph status`: at a glance what runs, why, what it cost, what to do next. */
import { statusOf, type Status } from '../../../desk/status.ts'
import { EXIT } from '../../../domain/error.ts'
import { astrayLine } from '../../../domain/footing.ts'
import { adviceFor, adviceMeanwhile, termsOf, type Advice } from '../../../domain/advice.ts'
import { askedLines, reasonOf, titleOf, toneOf } from '../../../domain/outcome-words.ts'
import type { Doing, View } from '../../../domain/view.ts'
import { stripControl, visible } from '../../../domain/text.ts'
import { waitWords } from '../../../domain/wait-words.ts'
import { adviceBlock } from '../../plain/advice.ts'
import { clockTime, count, dollars, localStamp, short } from '../../plain/format.ts'
import { iterationLine } from '../../plain/lines.ts'
import { paint, type Paint } from '../../plain/paint.ts'
import type { AgentFacts } from '../../../desk/agents.ts'
import type { Overview } from '../../../desk/overview.ts'
import type { Settings } from '../../../config/resolve.ts'
import type { Run } from '../command.ts'
import type { Io } from '../io.ts'
import { openProject } from '../project.ts'

export const run: Run = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const status = await statusOf(root)
  const json = input.flags['json'] === true
  const p = paint(io.colour)
  // The project itself is told where nothing is going on, and to programs always.
  const { overviewOf } = await import('../../../desk/overview.ts')
  const overview = overviewOf(root, settings)
  const agents = input.flags['verbose'] === true ? await askAgents({ root, settings }, io) : null
  if (json)
    io.out(
      `${JSON.stringify({ ...facts(status), project: overview, ...(agents === null ? {} : { agents }) })}\n`,
    )
  else {
    io.out(screen(status, overview, p))
    for (const agent of agents ?? [])
      io.out(row(p, visible(agent.title).slice(0, 14), agentNow(agent, p), 16).concat('\n'))
  }
  return EXIT.done
}

/** Starts each vendor's program once, so only on demand. */
async function askAgents(
  { root, settings }: { root: string; settings: Settings },
  io: Io,
): Promise<AgentFacts[]> {
  const { agentMatrix } = await import('../../../desk/agents.ts')
  return agentMatrix(settings, { root, env: io.env })
}

function agentNow({ path, version, login, unasked }: AgentFacts, p: Paint): string {
  if (path === null) return p.warn('not installed')
  return `${unasked === null ? (version ?? 'version unknown') : visible(path)}, login ${login}`
}

function facts(status: Status): object {
  const { root, view, holder, cutOff, unknown, lost } = status
  if (view === null) return { root, run: null, is: 'idle', lost }
  const worker = view.workers['1']
  return {
    root,
    run: view.run,
    is: cutOff ? 'cut-off' : view.is,
    pid: holder?.pid ?? null,
    iteration: worker?.iteration ?? 0,
    doing: worker?.doing ?? null,
    agent: worker?.agent ?? null,
    model: worker?.model ?? null,
    conversation: worker?.conversation ?? null,
    breaker: worker?.breaker ?? 'closed',
    boxes: worker?.boxes ?? null,
    branch: worker?.footing?.branch ?? null,
    astray: astrayLine(worker?.footing ?? null),
    quota: {
      ...view.quota,
      callsMax: view.rules.quota.callsPerHour,
      tokensMax: view.rules.quota.tokensPerHour,
    },
    spent: view.spent,
    budget: view.rules.budget,
    startedAt: view.startedAt,
    durationMs: view.up - view.startedUp,
    outcome: view.outcome,
    next: nextOf(status, view),
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

function astrayRow({ workers }: View, p: Paint): string[] {
  const line = astrayLine(workers['1']?.footing ?? null)
  return line === null ? [] : [row(p, 'branch', p.warn(stripControl(line)))]
}

function screen(status: Status, overview: Overview, p: Paint): string {
  const { root, view, unknown } = status
  if (view === null) {
    return [
      `${p.bold('Ralph')} · ${root}`,
      '',
      row(
        p,
        'state',
        unknown > 0 ? p.warn('the last run was written by a newer Ralph') : 'Nothing has run here yet.',
      ),
      ...(status.lost === null ? [] : [row(p, 'note', p.warn(status.lost))]),
      row(p, 'plan', planNow(overview)),
      ...projectRows(overview, p),
      '',
      p.dim('  start: ralph loop'),
      '',
    ].join('\n')
  }
  const last = view.iterations.slice(-3).map((one) => `  ${iterationLine(one, p)}`)
  const lines = [
    `${p.bold('Ralph')} · run ${p.head(view.run)} · ${root}`,
    '',
    row(p, 'state', stateLine(status, view, p)),
    ...askedRows(view, p),
    row(p, 'plan', status.holder === null ? planNow(overview) : planLine(view)),
    row(p, 'breaker', view.workers['1']?.breaker ?? 'closed'),
    row(p, 'quota', `${view.quota.calls} of ${view.rules.quota.callsPerHour || '∞'} calls this hour`),
    row(p, 'spent', spentLine(view)),
    ...astrayRow(view, p),
    ...(unknown > 0
      ? [
          row(
            p,
            'note',
            p.warn(`${count(unknown, 'row')} of this run were written by a newer Ralph and are not shown`),
          ),
        ]
      : []),
    ...(status.lost === null ? [] : [row(p, 'note', p.warn(status.lost))]),
    ...(status.holder === null ? projectRows(overview, p) : []),
    '',
    ...last,
    '',
    ...adviceBlock(adviceNow(status, view), p).map((line) => `  ${line}`),
    '',
  ]
  return lines.join('\n')
}

function planNow({ plan }: Overview): string {
  if (plan === null) return 'none'
  const { open, done } = plan.boxes
  return `${done} of ${done + open} boxes ticked${plan.next === null ? '' : `, next: ${stripControl(plan.next)}`}`
}

function projectRows({ agents, gates, troubles }: Overview, p: Paint): string[] {
  return [
    row(p, 'agents', visible(agents.join(', then '))),
    row(
      p,
      'gates',
      gates.length === 0
        ? 'none'
        : gates.map(({ name, run: command }) => visible(`${name}: ${command}`)).join(' · '),
    ),
    ...(troubles.length === 0
      ? [row(p, 'health', p.good('nothing is known to be wrong'))]
      : troubles.map((one) => row(p, 'health', p.warn(visible(one))))),
  ]
}

function row(p: Paint, name: string, value: string, width = 10): string {
  return `  ${p.dim(name.padEnd(width))}${value}`
}

function stateLine({ holder, cutOff }: Status, view: View, p: Paint): string {
  if (view.outcome !== null) {
    const said = `${view.outcome.is}: ${stripControl(reasonOf(view.outcome))}`
    if (view.is === 'left') return `${p.warn('left unfinished')} · ${said}`
    return `${p[toneOf(view.outcome)](titleOf(view.outcome))} · ${said}`
  }
  if (cutOff) return p.warn('cut off: no process serves it')
  const worker = view.workers['1']
  const doing = worker?.doing
  const what = doing === undefined ? 'starting' : waits(doing)
  return `${p.good(what)} · iteration ${worker?.iteration ?? 0} · ${worker?.agent ?? ''} · process ${holder?.pid ?? view.pid}`
}

function waits(doing: Doing): string {
  if (doing.is === 'trying') return `trying: ${doing.what}`
  if (doing.is === 'proving') return `proving: gate ${stripControl(doing.gate)}`
  if (doing.is !== 'waiting') return doing.is
  return stripControl(waitWords(doing, { now: Date.now(), local: localStamp }))
}

/** What a person is asked about, with what the gates say without it. */
function askedRows({ outcome }: View, p: Paint): string[] {
  const lines = outcome === null ? [] : askedLines(outcome)
  return lines.map((line) => row(p, '', stripControl(line)))
}

function planLine(view: View): string {
  const boxes = view.workers['1']?.boxes ?? null
  return boxes === null ? 'no boxes' : `${boxes.done} of ${boxes.done + boxes.open} boxes ticked`
}

function spentLine(view: View): string {
  const { usd, tokens, unknown } = view.spent
  const parts = [
    clockTime(view.up - view.startedUp),
    usd > 0 ? dollars(usd, view.spent) : null,
    `${short(tokens)} tokens`,
    unknown > 0 ? `cost of ${count(unknown, 'iteration')} unknown` : null,
  ]
  return parts.filter((part) => part !== null).join(' · ')
}

function adviceNow({ cutOff, holder }: Pick<Status, 'cutOff' | 'holder'>, view: View): Advice {
  const { outcome, run: id, rules } = view
  if (view.is === 'left') return adviceMeanwhile('left')
  if (view.is === 'paused') return adviceMeanwhile('paused')
  if (cutOff) return adviceMeanwhile('cut-off')
  if (holder !== null) return adviceMeanwhile('served')
  return outcome === null
    ? adviceMeanwhile('cut-off')
    : adviceFor({ outcome, run: id, terms: termsOf(rules) })
}
