/** `ralph circuit history`: every turn the breaker has taken. */
import { circuitHistory } from '../../../../app/steer/circuit.ts'
import { transitionLines } from '../../../plain/transitions.ts'
import { answer } from '../../frame/print-result.ts'
import { widthOf } from '../../frame/io.ts'
import { openProject } from '../../frame/project.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { CIRCUIT_HISTORY } from '../../table/control-commands.ts'

export const run: CommandCode<typeof CIRCUIT_HISTORY> = async (input, io) => {
  const { root } = await openProject(input, io)
  const turns = await circuitHistory(root)
  const screen = (): string => transitionLines(turns, 'The breaker has never turned.', widthOf(io))
  return answer(turns, screen, { json: input.flags.json, io })
}
