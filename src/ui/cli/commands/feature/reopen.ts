/** `ralph feature reopen`: a draft again. */
import { reopenFeature, type Reopened } from '../../../../desk/feature/reopen.ts'
import { count } from '../../../plain/format.ts'
import { shown } from '../../../tui/width.ts'
import { answer } from '../../frame/answer.ts'
import type { Code } from '../../frame/command.ts'
import type { FEATURE_REOPEN } from '../../table/feature-papers.ts'
import { placeOf } from '../task/place.ts'

export const run: Code<typeof FEATURE_REOPEN> = async (input, io) => {
  const reopened = await reopenFeature(placeOf(io), input.args.feature, input.flags.from)
  return answer(reopened, () => screen(reopened), { json: input.flags.json, io })
}

function screen({ name, set_aside, tasks, done }: Reopened): string {
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
