/** `ralph loop`: PROMPT.md again and again until the gates prove the work done. */
import { RalphError, EXIT } from '../../../../domain/error.ts'
import { findProject } from '../../../../config/paths.ts'
import { refuseNotOffered } from '../../../../config/resolve.ts'
import { recordedRun, startedByRecord } from '../../../../desk/run/runs.ts'
import { agentsOf, type Rules } from '../../../../domain/run/rules.ts'
import type { Executed } from '../../../../domain/trust/trust.ts'
import { paint } from '../../../plain/paint.ts'
import { preflightBlock } from '../../../plain/screens/preflight.ts'
import { VERSION } from '../../../version.ts'
import type { Code, Input } from '../../frame/command.ts'
import type { LOOP } from '../../table/work.ts'
import type { Io } from '../../frame/io.ts'
import { detach, inTmux, monitor, shownBy } from './monitor.ts'
import { oneShot } from '../../old/one-shots.ts'
import { homeOf, openProject, type OpenProject } from '../../frame/project.ts'
import { serve } from './serve.ts'
import { doubtsBefore, trustFirst } from '../../asking/trust.ts'

export const run: Code<typeof LOOP> = async (input, io) => {
  const done = await oneShot(input, io)
  if (done !== null) return done
  if (findProject(io.cwd, { home: homeOf(io) }).kind === 'none' && io.asks) {
    const { offerInit } = await import('../project/init.ts')
    if (!(await offerInit(io))) return EXIT.nothing
  }
  const project = await openProject(input, io)
  refuseNotOffered(project.settings)
  const rules = rulesFor(project, { once: input.flags.once })
  if (project.settings.values['loop.dry_run']) {
    const { dryRun } = await import('./dry-run.ts')
    return dryRun({ project, rules }, io)
  }
  const doubtful = await doubtsBefore({ root: project.root, programs: startedBy(project, rules), input }, io)
  const fresh = input.flags.fresh
  // A run that is gone on with starts what its record says, whatever the files say by now.
  const resume = doubtful === null || fresh ? null : await recordedRun(project.root)
  const refused = resume === null ? await doubtful?.settle() : null
  if (refused !== null && refused !== undefined) return refused
  const shown = shownBy(input, project)
  // The engine asks about what a record starts; in the background it could not.
  if ((shown === 'detached' || shown === 'dashboard') && io.asks && !fresh) {
    const left = await startedByRecord(project.root, project.settings)
    const no = left === null ? null : await trustFirst({ root: project.root, ...left, input }, io)
    if (no !== null) return no
  }
  if (shown === 'detached' || shown === 'dashboard') {
    const no = await askBefore({ project, rules, resume, fresh }, input, io)
    if (no !== null) return no
  }
  if (shown === 'detached') return detach(project, input, io)
  if (shown === 'dashboard') return monitor(project, input, io)
  if (shown === 'tmux') return inTmux(project, input, io)
  return serve({ project, rules, input, fresh, resume }, io)
}

/** An engine in the background has nobody to ask: its warnings are asked about here. Null: it may begin. */
async function askBefore(
  {
    project,
    rules,
    resume,
    fresh,
  }: { project: OpenProject; rules: Rules; resume: string | null; fresh: boolean },
  input: Input<typeof LOOP>,
  io: Io,
): Promise<number | null> {
  const { questionFor, NotBegun } = await import('../../asking/begin.ts')
  const question = questionFor(project.root, input.flags, io)
  const left = resume ?? (fresh ? null : await recordedRun(project.root))
  if (question === null || left !== null) return null
  const { openForDryRun } = await import('../../../../engine/before/dry-run.ts')
  const { facts } = await openForDryRun({ root: project.root, settings: project.settings, rules })
  if (!facts.concerns.some(({ cause }) => question.isOpen(cause))) return null
  io.out(preflightBlock({ ...facts, run: '(not begun)' }, VERSION, paint(io.colour)))
  try {
    await question.settle(facts.concerns)
    return null
  } catch (error) {
    if (error instanceof NotBegun) return error.exit
    throw error
  }
}

function startedBy({ settings }: OpenProject, rules: Rules): Executed[] {
  return settings.executed({ agents: agentsOf(rules), gates: rules.gates.map(({ name }) => name) })
}

function rulesFor({ settings }: OpenProject, { once }: { once: boolean }): Rules {
  const rules = settings.rules()
  if (rules.agent.order.length === 0) throw new RalphError('bad-setting', 'agent.order names no agent')
  return once ? { ...rules, loop: { ...rules.loop, iterationsMax: 1, once: true } } : rules
}
