/** `ralph demo`: the main job on an embedded default. A real loop, a real gate, and a weakened test that is caught by the old one. */
import { answer, askedAbout } from '../../../../desk/run/accept.ts'
import { demoToResume, layOutDemo } from '../../../../desk/project/demo.ts'
import { unfinished } from '../../../../desk/run/runs.ts'
import { EXIT, RalphError } from '../../../../domain/error.ts'
import { paint } from '../../../plain/paint.ts'
import type { Code, Input } from '../../frame/command.ts'
import type { DEMO } from '../../table/set-up.ts'
import type { Io } from '../../frame/io.ts'
import { homeOf, openProject } from '../../frame/project.ts'
import { serve } from '../run/serve.ts'

type DemoInput = Input<typeof DEMO>

export const run: Code<typeof DEMO> = async (input, io) =>
  input.flags.resume ? resume(input, io) : begin(input, io)

async function begin(input: DemoInput, io: Io): Promise<number> {
  const root = await layOutDemo()
  const p = paint(io.colour)
  if (!input.flags.json) {
    io.out(
      `${p.bold('A demo of Ralph')}: an agent that follows a script writes a module for Roman numerals, and weakens a test on the way.\n`,
    )
    io.out(
      `  ${p.dim('folder')}   ${root}\n  ${p.dim('cut off')}  npm run demo -- --resume   (installed: ralph demo --resume)\n\n`,
    )
  }
  return serveDemo(root, { resume: null }, input, io)
}

async function resume(input: DemoInput, io: Io): Promise<number> {
  const root = demoToResume()
  const left = await unfinished(root, null)
  if (left === null) {
    throw new RalphError('no-run', `the demo in ${root} has ended already`, {
      hint: 'Start another: npm run demo, or: ralph demo',
    })
  }
  return serveDemo(root, { resume: left }, input, io)
}

async function serveDemo(
  root: string,
  { resume: run }: { resume: string | null },
  input: DemoInput,
  io: Io,
): Promise<number> {
  // Settings of the user's own must not colour the demo: it has its folder, its file and nothing else.
  const env = { PATH: io.env['PATH'], HOME: root, TERM: io.env['TERM'] }
  const project = await openProject(input, { ...io, cwd: root, env })
  const once = (resumed: string | null): Promise<number> =>
    serve({ project, rules: project.settings.rules(), input, fresh: false, resume: resumed }, io)
  const code = await once(run)
  if (code !== EXIT.unproven) return code
  await sayNo(root, input, io)
  return once(null)
}

/** The lie: a test was weakened, and the work does not pass without that. A person looks, and does not accept it. */
async function sayNo(root: string, input: DemoInput, io: Io): Promise<void> {
  const whose = { env: io.env, home: homeOf(io) }
  const asked = await askedAbout(root, whose)
  const files = asked.files.map(({ path }) => path)
  await answer(root, whose, { asked, said: { answer: 'no', files } })
  if (input.flags.json) return
  const p = paint(io.colour)
  io.out(
    `\n${p.bold('This is where you come in.')} \`ralph accept\` shows the change and asks; the demo says no to ${files.join(', ')}, and the loop goes on.\n\n`,
  )
}
