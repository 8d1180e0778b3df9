/** `ralph pause`, `ralph steer`, `ralph set` and `ralph stop`: send requests to a running engine. */
import { sendRequest, stopEngine, type StopResult } from '../../../../app/steer/engine-requests.ts'
import { RalphError } from '../../../../core/error.ts'
import { orphansBlock } from '../../../plain/row-lines.ts'
import type { CommandHandler, CommandInput } from '../../framework/command.ts'
import type { Io } from '../../framework/io.ts'
import { createPrintCommand } from '../../framework/print-result.ts'
import { openProject } from '../../framework/open-project.ts'
import { printReceipt } from '../../framework/receipt.ts'
import type { PAUSE, SET, STEER, STOP } from '../../command-table/control-commands.ts'

/** Finishes the current iteration, then waits. */
export const pause: CommandHandler<typeof PAUSE> = (input, io) =>
  sendAndPrint({ from: 'ralph pause', do: 'pause' }, input, io)

/** Adds a text to the agent's next prompt. */
export const steer: CommandHandler<typeof STEER> = async (input, io) => {
  const text = input.args.text.trim()
  if (text === '')
    throw new RalphError('usage', 'there is nothing to tell the agent', {
      hint: 'ralph steer "use the existing parser"',
    })
  return sendAndPrint({ from: 'ralph steer', do: 'steer', text }, input, io)
}

/** Changes a limit of the running run. */
export const set: CommandHandler<typeof SET> = async (input, io) => {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(input.args.change) ?? []
  if (key === undefined || value === undefined)
    throw new RalphError('usage', `"${input.args.change}" is not KEY=VALUE`, { hint: 'ralph set budget.usd=20' })
  return sendAndPrint({ from: 'ralph set', do: 'set', key: key.trim(), value: value.trim() }, input, io)
}

type RequestInput = Pick<CommandInput<typeof PAUSE>, 'flags' | 'settings'>

async function sendAndPrint(request: Parameters<typeof sendRequest>[1], input: RequestInput, io: Io): Promise<number> {
  const { root } = await openProject(input, io)
  return printReceipt(await sendRequest(root, request), { io, json: input.flags.json })
}

/** Never reports success while a process of the run is alive. */
export const stop: CommandHandler<typeof STOP> = createPrintCommand(
  async (input, io) => stopEngine((await openProject(input, io)).root, { now: input.flags.now }),
  (stopped) => `${stopText(stopped)}\n${orphansBlock(stopped.left)}`,
)

function stopText({ run, pid, how }: StopResult): string {
  if (how === 'left') return `Run ${run} was cut off, and what was left of it is ended. Go on with it: ralph resume`
  return `Run ${run} is stopped (process ${pid} ${HOW[how]}).`
}

const HOW = { asked: 'ended by itself', signalled: 'ended on a signal', killed: 'had to be killed' }
