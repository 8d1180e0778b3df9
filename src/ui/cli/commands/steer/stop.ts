/** `ralph stop`: never reports success while a process of the run lives. */
import { stopEngine, type StopResult } from '../../../../app/steer/engine-requests.ts'
import { EXIT } from '../../../../core/error.ts'
import { orphansBlock } from '../../../plain/row-lines.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { STOP } from '../../table/control-commands.ts'
import { openProject } from '../../frame/project.ts'

export const run: CommandCode<typeof STOP> = async (input, io) => {
  const { root } = await openProject(input, io)
  const stopped = await stopEngine(root, { now: input.flags.now })
  if (input.flags.json) io.out(`${JSON.stringify(stopped)}\n`)
  else io.out(`${said(stopped)}\n${orphansBlock(stopped.left)}`)
  return EXIT.done
}

function said({ run, pid, how }: StopResult): string {
  if (how === 'left')
    return `Run ${run} was cut off, and what was left of it is ended. Go on with it: ralph resume`
  return `Run ${run} is stopped (process ${pid} ${HOW[how]}).`
}

const HOW = { asked: 'ended by itself', signalled: 'ended on a signal', killed: 'had to be killed' }
