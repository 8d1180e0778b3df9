/** `ralph feature reopen`: a draft again. */
import { reopenFeature, type ReopenResult } from '../../../../app/feature/reopen.ts'
import { count } from '../../../plain/format-time.ts'
import { shown } from '../../../tui/text-width.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { FEATURE_REOPEN } from '../../table/feature-documents.ts'
import { storeLocationOf } from '../task/task-io.ts'

export const run: CommandCode<typeof FEATURE_REOPEN> = async (input, io) => {
  const reopened = await reopenFeature(storeLocationOf(io), input.args.feature, input.flags.from)
  return answer(reopened, () => screen(reopened), { json: input.flags.json, io })
}

function screen({ name, set_aside, tasks, done }: ReopenResult): string {
  const stay =
    tasks === 0
      ? []
      : [
          `Its ${count(tasks, 'task')} (${done} done) ${tasks === 1 ? 'stays' : 'stay'} until another document is accepted.`,
        ]
  return `${[
    `Feature ${shown(name)} is a draft again.`,
    ...set_aside.map(({ from, to }) => `  ${shown(from)} is kept as ${shown(to)}`),
    ...stay,
    `Go on: ralph feature create ${shown(name)}`,
  ].join('\n')}\n`
}
