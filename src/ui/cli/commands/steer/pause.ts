/** `ralph pause`: finish the iteration under way, then wait. */
import { sendRequest } from '../../../../app/steer/engine-requests.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { PAUSE } from '../../table/control-commands.ts'
import { openProject } from '../../frame/project.ts'
import { printReceipt } from '../../frame/receipt.ts'

export const run: CommandCode<typeof PAUSE> = async (input, io) => {
  const { root } = await openProject(input, io)
  const receipt = await sendRequest(root, { from: 'ralph pause', do: 'pause' })
  return printReceipt(receipt, { io, json: input.flags.json })
}
