/** `ralph demo`: the main job on an embedded default. A real loop, a real gate, one lie caught. */
import { demoToResume, layOutDemo } from '../../../desk/demo.ts'
import { unfinished } from '../../../desk/runs.ts'
import { EXIT, RalphError } from '../../../domain/error.ts'
import { paint } from '../../plain/paint.ts'
import type { Input, Run } from '../command.ts'
import type { Io } from '../io.ts'
import { openProject } from '../project.ts'
import { serve } from '../serve.ts'

export const run: Run = async (input, io) =>
  input.flags['resume'] === true ? resume(input, io) : begin(input, io)

async function begin(input: Input, io: Io): Promise<number> {
  const root = await layOutDemo()
  const p = paint(io.colour)
  if (input.flags['json'] !== true) {
    io.out(
      `${p.bold('A demo of Ralph')}: an agent that follows a script writes a module for Roman numerals, and lies once.\n`,
    )
    io.out(
      `  ${p.dim('folder')}   ${root}\n  ${p.dim('cut off')}  npm run demo -- --resume   (installed: ralph demo --resume)\n\n`,
    )
  }
  return serveDemo(root, { resume: null }, input, io)
}

async function resume(input: Input, io: Io): Promise<number> {
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
  input: Input,
  io: Io,
): Promise<number> {
  // Settings of the user's own must not colour the demo: it has its folder, its file and nothing else.
  const env = { PATH: io.env['PATH'], HOME: root, TERM: io.env['TERM'] }
  const project = await openProject(input, { ...io, cwd: root, env })
  const code = await serve({ project, rules: project.settings.rules(), input, fresh: false, resume: run }, io)
  return code === EXIT.done ? EXIT.done : code
}
