/** `ralph undo`: back to before the run. */
import { planUndo, undo } from '../../../desk/undo.ts'
import { EXIT, RalphError } from '../../../domain/error.ts'
import type { Run } from '../command.ts'
import { count } from '../../plain/format.ts'
import { homeOf, openProject } from '../project.ts'

export const run: Run = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const plan = await planUndo(root, input.args[0] ?? null)
  if (input.flags['yes'] !== true && io.asks) {
    const { confirm, isCancel } = await import('@clack/prompts')
    const answer = await confirm({ message: `Put ${root} back to before run ${plan.run}?` })
    if (isCancel(answer) || !answer) return EXIT.done
  } else if (input.flags['yes'] !== true) {
    throw new RalphError('usage', 'undo asks before it changes files, and there is no terminal to ask on', {
      hint: 'Say it beforehand: ralph undo --yes',
    })
  }
  const done = await undo(root, plan, { plan: settings.values['loop.plan'], env: io.env, home: homeOf(io) })
  if (input.flags['json'] === true) {
    io.out(`${JSON.stringify({ run: plan.run, ...done })}\n`)
    return EXIT.done
  }
  io.out(
    `Back to before run ${plan.run}: ${count(done.restored.length, 'file')} restored, ${count(done.removed.length, 'file')} removed.\n`,
  )
  if (done.kept.length > 0)
    io.out(`Left as they are, since one of their versions is not stored: ${done.kept.join(', ')}\n`)
  if (done.moved !== null)
    io.out(
      `${done.moved.name} stands again at ${done.moved.to?.slice(0, 10) ?? 'no commit'} (it was at ${done.moved.from.slice(0, 10)}).\n`,
    )
  if (done.remark !== null) io.out(`${done.remark}\n`)
  io.out(`What was here before this undo is kept as ${done.ref}.\n`)
  return EXIT.done
}
