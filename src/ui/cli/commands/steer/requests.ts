/** `ralph pause`, `ralph steer`, `ralph set` and `ralph stop`: send requests to a running engine. */
import { giveGuidance } from '../../../../app/steer/guidance.ts'
import { sendRequest, stopEngine, type StopResult } from '../../../../app/steer/engine-requests.ts'
import { RalphError } from '../../../../core/error.ts'
import { orphansBlock } from '../../../plain/row-lines.ts'
import type { CommandHandler, CommandInput } from '../../framework/command.ts'
import type { Io } from '../../framework/io.ts'
import { createPrintCommand, printResult } from '../../framework/print-result.ts'
import { openProject } from '../../framework/open-project.ts'
import { printReceipt } from '../../framework/receipt.ts'
import type { PAUSE, SET, STEER, STOP } from '../../command-table/control-commands.ts'

/** Finishes the current iteration, then waits. */
export const pause: CommandHandler<typeof PAUSE> = (input, io) =>
  sendAndPrint({ from: 'ralph pause', do: 'pause' }, input, io)

/** Adds a text to the agent's next prompt, or to the first prompt of the next loop. */
export const steer: CommandHandler<typeof STEER> = async (input, io) => {
  const text = input.args.text.trim()
  if (text === '')
    throw new RalphError('usage', 'the guidance is empty', {
      hint: 'ralph steer "use the existing parser"',
    })
  const { root } = await openProject(input, io)
  const { json } = input.flags
  const given = await giveGuidance(root, text)
  if (given.to === 'run') return printReceipt(given.receipt, { io, json })
  return printResult(given, () => 'Saved. The next ralph loop will pass it to the agent.\n', { json, io })
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
  if (how === 'left')
    return `Run ${run} was interrupted. Ralph stopped its remaining processes. Continue it: ralph resume`
  return `Stopped run ${run} (process ${pid} ${HOW[how]}).`
}

const HOW = { asked: 'exited by itself', signalled: 'exited on a signal', killed: 'was killed' }
