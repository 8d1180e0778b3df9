/** `ralph pause`: finish the iteration under way, then wait. */
import { askEngine } from '../../../../desk/steer/steer.ts'
import type { Code } from '../../frame/command.ts'
import type { PAUSE } from '../../table/steer.ts'
import { openProject } from '../../frame/project.ts'
import { sayReceipt } from '../../frame/receipt.ts'

export const run: Code<typeof PAUSE> = async (input, io) => {
  const { root } = await openProject(input, io)
  const receipt = await askEngine(root, { from: 'ralph pause', do: 'pause' })
  return sayReceipt(receipt, { io, json: input.flags.json })
}
