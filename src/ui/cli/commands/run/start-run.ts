/** The common part of all commands that start or resume a run: asks the necessary questions, then runs it with the chosen display. */
import type { DraftRequest } from '../../../../core/features/draft.ts'
import { RalphError, type ExitCode } from '../../../../core/error.ts'
import { unfinishedRunIfReadable, programsOfUnfinishedRun } from '../../../../app/run/find-run.ts'
import type { RuleKey } from '../../../../core/settings/rule-table.ts'
import { agentNamesOf, type Rules } from '../../../../core/state/rules.ts'
import type { TaskScope } from '../../../../core/tasks/task.ts'
import type { ProjectProgram } from '../../../../core/trust/trust.ts'
import { refuseAskWithoutPerson } from '../../../../engine/startup/interactive-permission.ts'
import { createPaint } from '../../../plain/colours.ts'
import { preflightBlock } from '../../../plain/screens/preflight.ts'
import { VERSION } from '../../../version.ts'
import { trustQuestionFor, askTrust } from '../../asking/trust.ts'
import { outputWidth, type Io } from '../../framework/io.ts'
import type { OpenProject } from '../../framework/open-project.ts'
import { startDetached, startInTmux, startWithDashboard, displayMode, type RunInput } from './start-in-background.ts'
import { runInForeground, type ForegroundInput } from './foreground.ts'

export interface StartRunOptions {
  project: OpenProject
  rules: Rules
  /** The rules that the command's own flags set. */
  typedRules?: readonly RuleKey[]
  input: RunInput
  /** The name of the command, for an engine in the background. */
  words: 'loop' | 'run'
  /** Absent: a plain loop. */
  tasks?: TaskScope
}

export async function startRun(beginning: StartRunOptions, io: Io): Promise<number> {
  const { project, rules, typedRules = [], input, tasks } = beginning
  const shown = displayMode(input, project)
  const isInBackground = shown === 'detached' || shown === 'dashboard'
  // An engine in the background would refuse this too, but only after all the questions here.
  if (isInBackground) refuseAskWithoutPerson(rules.agent.permission, {})
  const { fresh } = input.flags
  const { resume, refused } = await resumeOrAskTrust({ project, rules, input }, io)
  if (refused !== null) return refused
  // The engine asks about programs in a record; in the background it cannot.
  if (isInBackground && io.asks && !fresh) {
    const left = await programsOfUnfinishedRun(project.root, project.settings)
    const no = left === null ? null : await askTrust({ root: project.root, ...left, input }, io)
    if (no !== null) return no
  }
  if (isInBackground) {
    const no = await confirmStartWarnings(beginning, { resume, fresh }, io)
    if (no !== null) return no
  }
  if (shown === 'detached') return startDetached(beginning, io)
  if (shown === 'dashboard') return startWithDashboard(beginning, io)
  if (shown === 'tmux') return startInTmux(beginning, io)
  return runInForeground(
    { project, rules, typedRules, input, fresh, resume, ...(tasks === undefined ? {} : { tasks }) },
    io,
  )
}

export interface StartDraftOptions extends Pick<StartRunOptions, 'project'> {
  draft: DraftRequest
  input: ForegroundInput & { flags: { fresh: boolean } }
}

/** A draft runs in the foreground: its agent may ask the user something. */
export async function startDraft({ project, draft, input }: StartDraftOptions, io: Io): Promise<number> {
  const rules = draftRules(project)
  const { resume, refused } = await resumeOrAskTrust({ project, rules, input }, io)
  if (refused !== null) return refused
  return runInForeground({ project, rules, input, fresh: input.flags.fresh, resume, draft }, io)
}

/** A resumed run starts the programs in its record, whatever the files say now; a new one starts those of the files. */
async function resumeOrAskTrust(
  { project, rules, input }: { project: OpenProject; rules: Rules; input: StartDraftOptions['input'] },
  io: Io,
): Promise<{ resume: string | null; refused: ExitCode | null }> {
  const untrusted = await trustQuestionFor({ root: project.root, programs: startedBy(project, rules), input }, io)
  const resume = untrusted === null || input.flags.fresh ? null : await unfinishedRunIfReadable(project.root)
  return { resume, refused: resume === null ? ((await untrusted?.promptUser()) ?? null) : null }
}

/** Drafts are validated by their form: they have no gates, no plan and no commits, and a limit applies only if the user chose one. */
function draftRules({ settings }: OpenProject): Rules {
  const rules = settings.rules()
  if (rules.agent.order.length === 0)
    throw new RalphError('bad-setting', 'agent.order is empty: name at least one agent')
  const isChosen = settings.origin('loop.max_iterations').from !== 'default'
  const iterationsMax = isChosen ? rules.loop.iterationsMax : 0
  return { ...rules, gates: [], loop: { ...rules.loop, plan: null, commit: 'agent', iterationsMax } }
}

/** An engine in the background cannot ask, so its start warnings are confirmed here. Null: it may start. */
async function confirmStartWarnings(
  { project, rules, input, tasks }: StartRunOptions,
  { resume, fresh }: { resume: string | null; fresh: boolean },
  io: Io,
): Promise<number | null> {
  const { createStartQuestion } = await import('../../asking/confirm-start.ts')
  const question = createStartQuestion(project.root, input.flags, io)
  const left = resume ?? (fresh ? null : await unfinishedRunIfReadable(project.root))
  if (question === null || left !== null) return null
  const { prepareDryRun } = await import('../../../../engine/startup/dry-run.ts')
  const { facts } = await prepareDryRun({
    root: project.root,
    settings: project.settings,
    rules,
    // Only the warnings are needed here, not the prompt.
    ...(tasks === undefined ? {} : { taskPrompt: '' }),
  })
  if (!facts.startWarnings.some(({ cause }) => question.isOpen(cause))) return null
  const verbose = project.settings.values['ui.verbose']
  const style = { p: createPaint(io.colour), columns: outputWidth(io), verbose }
  io.out(preflightBlock({ ...facts, run: '(not started)' }, VERSION, style))
  return question.promptUser(facts.startWarnings)
}

function startedBy({ settings }: OpenProject, rules: Rules): ProjectProgram[] {
  return settings.executed({ agents: agentNamesOf(rules), gates: rules.gates.map(({ name }) => name) })
}
