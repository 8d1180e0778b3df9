/** `ralph circuit reset`: the next run finds the breaker closed. */
import { resetCircuit } from '../../../../app/steer/circuit.ts'
import { resetText } from '../../../plain/transitions.ts'
import { answer } from '../../frame/print-result.ts'
import { openProject } from '../../frame/project.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { CIRCUIT_RESET } from '../../table/control-commands.ts'

export const run: CommandCode<typeof CIRCUIT_RESET> = async (input, io) => {
  const { root } = await openProject(input, io)
  const done = await resetCircuit(root)
  const told = 'The breaker is closed, and a fresh conversation will be begun.'
  return answer(done, () => resetText(done, told), { json: input.flags.json, io })
}
