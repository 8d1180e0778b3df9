/**
 * `ralph demo`: real runs with a real gate and a scripted agent that weakens a test and is caught. With `--tasks`: a run through
 * tasks, of which one needs a retry, one fails, and one stays blocked by that.
 */
import { createDemo, findDemoToResume, type Demo } from '../../../../app/project/demo.ts'
import { findInstallation } from '../../../../app/project/installation.ts'
import { answerAcceptance, loadPendingAcceptance } from '../../../../app/run/accept.ts'
import { findUnfinishedRun } from '../../../../app/run/find-run.ts'
import { loadTaskTree } from '../../../../app/task/task-tree.ts'
import { EXIT } from '../../../../core/error.ts'
import type { TaskScope } from '../../../../core/tasks/task.ts'
import { outcomeReason, outcomeTitle, outcomeTone } from '../../../../core/presentation/outcome-text.ts'
import { runEngine } from '../../../../engine/run-engine.ts'
import { createPaint } from '../../../plain/colours.ts'
import { openDemoScreen } from '../../../plain/demo/demo-screen.ts'
import {
  caughtCheatBlock,
  demoHeader,
  demoNextSteps,
  demoFailedHint,
  demoResumeHint,
  type Person,
} from '../../../plain/demo/demo-story.ts'
import { taskTreeLines } from '../../../plain/screens/task-tree.ts'
import { wrapPainted } from '../../../plain/wrap.ts'
import { VERSION } from '../../../version.ts'
import type { DEMO } from '../../command-table/setup-commands.ts'
import type { CommandHandler, CommandInput } from '../../framework/command.ts'
import type { Io } from '../../framework/io.ts'
import { homeOf, openProject } from '../../framework/open-project.ts'
import { styleOf } from '../../framework/print-result.ts'
import { runInForeground } from '../run/foreground.ts'
import { taskRunRules } from '../run/run.ts'

type DemoInput = CommandInput<typeof DEMO>

export const run: CommandHandler<typeof DEMO> = async (input, io) => {
  const { resume, tasks, json } = input.flags
  if (resume) {
    const { run: unfinished, ...demo } = await findDemoToResume()
    return playDemo(demo, unfinished, input, io)
  }
  const demo = await createDemo(tasks ? 'tasks' : 'loop')
  if (!json) io.out(demoHeader(demo, createPaint(io.colour)))
  return playDemo(demo, null, input, io)
}

async function playDemo(demo: Demo, unfinished: string | null, input: DemoInput, io: Io): Promise<number> {
  const first = await runOnce(demo, unfinished, input, io)
  const code = first === EXIT.unproven ? await rejectAndRunAgain(demo, input, io) : first
  if (input.flags.json) return demo.kind === 'tasks' && code === EXIT.incomplete ? EXIT.done : code
  return endDemo(demo, code, io)
}

/** Rejects the weakened test, without which the gates fail, as a person would with `ralph accept`. */
async function rejectAndRunAgain(demo: Demo, input: DemoInput, io: Io): Promise<number> {
  const { root } = demo
  const whose = { env: io.env, home: homeOf(io) }
  const asked = await loadPendingAcceptance(root, whose)
  await answerAcceptance(root, whose, { asked, said: { answer: 'no', files: asked.files.map(({ path }) => path) } })
  if (!input.flags.json) io.out(caughtCheatBlock(asked, createPaint(io.colour)))
  return runOnce(demo, null, input, io)
}

const NO_FLAGS = { once: false, limit: null, maxRetries: null, noVerify: false }

async function runOnce({ root, kind }: Demo, unfinished: string | null, input: DemoInput, io: Io): Promise<number> {
  // The user's own settings must not affect the demo: it uses only its own folder and settings file.
  const env = { PATH: io.env['PATH'], HOME: root, TERM: io.env['TERM'] }
  const project = await openProject(input, { ...io, cwd: root, env })
  const isTasks = kind === 'tasks'
  const rules = isTasks ? taskRunRules(project, NO_FLAGS) : project.settings.rules()
  const command = isTasks ? 'run' : 'loop'
  const scope: { tasks?: TaskScope } = isTasks ? { tasks: { is: 'all' } } : {}
  const about = { ...scope, fresh: false, resume: unfinished, simulated: true } as const
  if (input.flags.json) {
    // Its programs are Ralph's own, in a folder of this user, so nobody has to trust them.
    const trusting = { ...io, env: { ...io.env, RALPH_TRUST: '1' } }
    const typed = { ...input, command, typed: `ralph ${command}`, flags: { json: true, yes: true } }
    return runInForeground({ ...about, project, rules, input: typed }, trusting)
  }
  const watcher = openDemoScreen(io, isTasks ? 'tasks' : 'proof')
  const start = { name: command, target: null, flags: input.settings }
  const how = { root, settings: project.settings, rules, command: `ralph ${command}`, start, version: VERSION, watcher }
  const { exit, outcome } = await runEngine({ ...about, ...how })
  const p = createPaint(io.colour)
  if (exit === EXIT.unproven || isTasks) return exit
  const title = p.bold(p[outcomeTone(outcome)](outcomeTitle(outcome).toUpperCase()))
  io.out(`\n${wrapPainted(`${title}  ${outcomeReason(outcome)}`, { columns: io.columns(), indent: 2 }).join('\n')}\n`)
  return exit
}

/** The end of the demo. A failed task is part of it and is no failure of the command. */
async function endDemo({ root, kind }: Demo, code: number, io: Io): Promise<number> {
  const isPlayed = code === (kind === 'tasks' ? EXIT.incomplete : EXIT.done)
  const person = personOf(io)
  if (!isPlayed) {
    const unfinished = await findUnfinishedRun(root, null)
    io.err(unfinished === null ? demoFailedHint({ root }, person) : demoResumeHint(person))
    return code
  }
  if (kind === 'tasks') {
    const tree = await loadTaskTree({ root, notice: (text) => io.err(`${text}\n`) }, { target: null, limit: null })
    io.out(`\n${taskTreeLines(tree, styleOf(io)).join('\n')}\n`)
  }
  io.out(demoNextSteps({ root, kind }, person, createPaint(io.colour)))
  return EXIT.done
}

/** npm runs its scripts in the folder of the package, not where they were typed. */
function personOf({ env, cwd }: Io): Person {
  const byNpm = env['npm_lifecycle_event'] === 'demo'
  return { installation: findInstallation(env), cwd: (byNpm ? env['INIT_CWD'] : undefined) ?? cwd, byNpm }
}
