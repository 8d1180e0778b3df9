/** `ralph skip`: gives a task up, also while an agent is at it. */
import { skipTask } from '../../../../app/task/skip.ts'
import { EXIT } from '../../../../core/error.ts'
import { describeTask } from '../../../../core/tasks/task-text.ts'
import { changeLines } from '../../../plain/screens/task-lines.ts'
import { shown } from '../../../tui/text-width.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { SKIP } from '../../table/task.ts'
import { screenStyleOf, storeLocationOf } from './task-io.ts'

export const run: CommandCode<typeof SKIP> = async (input, io) => {
  const skipped = await skipTask(storeLocationOf(io), input.args.task)
  const name = shown(describeTask(skipped))
  const screen = (): string => {
    if (skipped.how === 'asked')
      return `${skipped.receipt.state}: ${skipped.receipt.note ?? `the run has it, and gives ${name} up`}\n`
    return `${[`Task ${name} is failed: skipped.`, ...changeLines(skipped.changes, screenStyleOf(io).p)].join('\n')}\n`
  }
  const code = answer(skipped, screen, { json: input.flags.json, io })
  const isRefused =
    skipped.how === 'asked' && (skipped.receipt.state === 'refused' || skipped.receipt.state === 'expired')
  return isRefused ? EXIT.error : code
}
