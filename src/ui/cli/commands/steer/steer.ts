/** `ralph steer`: a word to the agent, in its next prompt. */
import { sendRequest } from '../../../../app/steer/engine-requests.ts'
import { RalphError } from '../../../../core/error.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { STEER } from '../../table/control-commands.ts'
import { openProject } from '../../frame/project.ts'
import { printReceipt } from '../../frame/receipt.ts'

export const run: CommandCode<typeof STEER> = async (input, io) => {
  const text = input.args.text.trim()
  if (text === '')
    throw new RalphError('usage', 'there is nothing to tell the agent', {
      hint: 'ralph steer "use the existing parser"',
    })
  const { root } = await openProject(input, io)
  const receipt = await sendRequest(root, { from: 'ralph steer', do: 'steer', text })
  return printReceipt(receipt, { io, json: input.flags.json })
}
