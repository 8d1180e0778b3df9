/**
 * `ralph demo`: a real loop with a real gate and an embedded agent, whose weakened test is caught by the original one. With
 * `--tasks`: a graph of tasks, of which one needs a retry, one fails, and one stays blocked by that.
 */
import { answerAcceptance, loadPendingAcceptance } from '../../../../app/run/accept.ts'
import { findDemoToResume, createDemo, type Demo, type DemoKind } from '../../../../app/project/demo.ts'
import { loadTaskTree } from '../../../../app/task/task-tree.ts'
import { findUnfinishedRun } from '../../../../app/run/find-run.ts'
import { EXIT, RalphError } from '../../../../core/error.ts'
import { createPaint } from '../../../plain/colours.ts'
import { taskTreeScreen } from '../../../plain/screens/task-tree.ts'
import type { CommandHandler, CommandInput } from '../../framework/command.ts'
import type { DEMO } from '../../command-table/setup-commands.ts'
import type { Io } from '../../framework/io.ts'
import { homeOf, openProject } from '../../framework/open-project.ts'
import { taskRunRules } from '../run/run.ts'
import { runInForeground } from '../run/foreground.ts'
import { styleOf } from '../../framework/print-result.ts'

type DemoInput = CommandInput<typeof DEMO>

export const run: CommandHandler<typeof DEMO> = async (input, io) =>
  input.flags.resume ? resume(input, io) : begin(input, io)

const ABOUT: Readonly<Record<DemoKind, string>> = {
  loop: 'an agent that follows a script writes a module for Roman numerals, and weakens a test on the way.',
  tasks:
    'an agent that follows a script works through six tasks. One needs a second try, one cannot be done, and one waits for that in vain.',
}

async function begin(input: DemoInput, io: Io): Promise<number> {
  const demo = await createDemo(input.flags.tasks ? 'tasks' : 'loop')
  const p = createPaint(io.colour)
  if (!input.flags.json) {
    io.out(`${p.bold('A demo of Ralph')}: ${ABOUT[demo.kind]}\n`)
    io.out(
      `  ${p.dim('folder')}   ${demo.root}\n  ${p.dim('cut off')}  npm run demo -- --resume   (installed: ralph demo --resume)\n\n`,
    )
  }
  return serveDemo(demo, { resume: null }, input, io)
}

async function resume(input: DemoInput, io: Io): Promise<number> {
  const demo = findDemoToResume()
  const left = await findUnfinishedRun(demo.root, null)
  if (left === null) {
    throw new RalphError('no-run', `the demo in ${demo.root} has ended already`, {
      hint: 'Start another: npm run demo, or: ralph demo',
    })
  }
  return serveDemo(demo, { resume: left }, input, io)
}

const NO_FLAGS = { once: false, limit: null, maxRetries: null, noVerify: false }

async function serveDemo(
  { root, kind }: Demo,
  { resume: run }: { resume: string | null },
  input: DemoInput,
  io: Io,
): Promise<number> {
  // The user's own settings must not affect the demo: it uses only its own folder and settings file.
  const env = { PATH: io.env['PATH'], HOME: root, TERM: io.env['TERM'] }
  const project = await openProject(input, { ...io, cwd: root, env })
  const about = kind === 'tasks' ? { tasks: { is: 'all' } as const } : {}
  const rules = kind === 'tasks' ? taskRunRules(project, NO_FLAGS) : project.settings.rules()
  // The advice at the end names commands that work in the demo's folder.
  const typed = kind === 'tasks' ? { command: 'run', typed: 'ralph run' } : { command: 'loop' }
  // It costs nothing, so it starts without a question.
  const flags = { ...input.flags, yes: true }
  const how = { project, rules, input: { ...input, ...typed, flags }, fresh: false, ...about }
  // Its programs are Ralph's own, in a folder of this user: nobody who continues the demo is asked about them.
  const trusting = { ...io, env: { ...io.env, RALPH_TRUST: '1' } }
  const once = (resumed: string | null): Promise<number> => runInForeground({ ...how, resume: resumed }, trusting)
  const code = await once(run)
  if (kind === 'tasks') return tellTasks(root, code, input, io)
  if (code !== EXIT.unproven) return code
  await rejectWeakenedTest(root, input, io)
  return once(null)
}

/** A failed task is part of the demo and is no failure of the command. */
async function tellTasks(root: string, code: number, input: DemoInput, io: Io): Promise<number> {
  if (code !== EXIT.incomplete) return code
  if (input.flags.json) return EXIT.done
  const location = { root, notice: (text: string) => io.err(`${text}\n`) }
  const tree = await loadTaskTree(location, { target: null, limit: null })
  io.out(
    `\n${createPaint(io.colour).bold('This is where you come in.')} \`ralph run\` would end with exit code ${code}, and \`ralph task\` shows why:\n\n${taskTreeScreen(tree, styleOf(io))}`,
  )
  return EXIT.done
}

/** Rejects the weakened test, without which the gates fail, as a person would with `ralph accept`. */
async function rejectWeakenedTest(root: string, input: DemoInput, io: Io): Promise<void> {
  const whose = { env: io.env, home: homeOf(io) }
  const asked = await loadPendingAcceptance(root, whose)
  const files = asked.files.map(({ path }) => path)
  await answerAcceptance(root, whose, { asked, said: { answer: 'no', files } })
  if (input.flags.json) return
  const p = createPaint(io.colour)
  io.out(
    `\n${p.bold('This is where you come in.')} \`ralph accept\` shows the change and asks; the demo says no to ${files.join(', ')}, and the loop goes on.\n\n`,
  )
}
