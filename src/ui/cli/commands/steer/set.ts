/** `ralph set`: a limit of the running run, changed while it runs. */
import { sendRequest } from '../../../../app/steer/engine-requests.ts'
import { RalphError } from '../../../../core/error.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { SET } from '../../table/control-commands.ts'
import { openProject } from '../../frame/project.ts'
import { printReceipt } from '../../frame/receipt.ts'

export const run: CommandCode<typeof SET> = async (input, io) => {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(input.args.change) ?? []
  if (key === undefined || value === undefined) {
    throw new RalphError('usage', `"${input.args.change}" is not KEY=VALUE`, {
      hint: 'ralph set budget.usd=20',
    })
  }
  const { root } = await openProject(input, io)
  const receipt = await sendRequest(root, {
    from: 'ralph set',
    do: 'set',
    key: key.trim(),
    value: value.trim(),
  })
  return printReceipt(receipt, { io, json: input.flags.json })
}
