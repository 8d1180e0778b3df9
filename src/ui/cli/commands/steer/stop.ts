/** `ralph stop`: never reports success while a process of the run lives. */
import { stopEngine } from '../../../../desk/steer/steer.ts'
import { EXIT } from '../../../../domain/error.ts'
import { orphansBlock } from '../../../plain/lines.ts'
import type { Code } from '../../frame/command.ts'
import type { STOP } from '../../table/steer.ts'
import { openProject } from '../../frame/project.ts'

export const run: Code<typeof STOP> = async (input, io) => {
  const { root } = await openProject(input, io)
  const stopped = await stopEngine(root, { now: input.flags.now })
  if (input.flags.json) io.out(`${JSON.stringify(stopped)}\n`)
  else
    io.out(
      `Run ${stopped.run} is stopped (process ${stopped.pid} ${HOW[stopped.how]}).\n${orphansBlock(stopped.left)}`,
    )
  return EXIT.done
}

const HOW = { asked: 'ended by itself', signalled: 'ended on a signal', killed: 'had to be killed' }
