/** `ralph task update`: other words for a task, or another place. Only what is named changes. */
import { updateTypedTask, type TaskUpdate } from '../../../../app/task/change.ts'
import { RalphError } from '../../../../core/error.ts'
import { never } from '../../../../core/assert-never.ts'
import { shown } from '../../../tui/text-width.ts'
import { changeLines } from '../../../plain/screens/task-lines.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode, Input } from '../../frame/command.ts'
import type { CLEARABLE, TASK_UPDATE } from '../../table/task.ts'
import { screenStyleOf, storeLocationOf, reportNewFeatures } from './task-io.ts'
import { parseMomentFlag } from './task-flags.ts'

export const run: CommandCode<typeof TASK_UPDATE> = async (input, io) => {
  const said = updateFrom(input.flags)
  if (Object.keys(said).length === 0)
    throw new RalphError('usage', 'nothing was said that could change', {
      hint: 'Like this: ralph task update TASK --priority 1. See: ralph task update --help',
    })
  const { task, features, changes } = await updateTypedTask(storeLocationOf(io), input.args.task, said)
  reportNewFeatures(features, io)
  const screen = (): string =>
    `${[`Task ${task.id} "${shown(task.title)}" is changed.`, ...changeLines(changes, screenStyleOf(io).p)].join('\n')}\n`
  return answer({ ...task, changes }, screen, { json: input.flags.json, io })
}

function updateFrom(flags: Input<typeof TASK_UPDATE>['flags']): TaskUpdate {
  const { title, description, parent, feature, priority, maxRetries, notBefore, check, test, criterion } =
    flags
  const cleared = flags.clear.map(without).reduce((all, one) => ({ ...all, ...one }), {})
  const said: TaskUpdate = {
    ...(title === null ? {} : { title }),
    ...(description === null ? {} : { description }),
    ...(parent === null ? {} : { parent }),
    ...(feature === null ? {} : { feature }),
    ...(priority === null ? {} : { priority }),
    ...(maxRetries === null ? {} : { maxRetries }),
    ...(notBefore === null ? {} : { notBefore: parseMomentFlag(notBefore) }),
    ...(check.length === 0 ? {} : { checks: check }),
    ...(test.length === 0 ? {} : { tests: test }),
    ...(criterion.length === 0 ? {} : { criteria: criterion }),
  }
  const both = Object.keys(cleared).find((key) => Object.hasOwn(said, key))
  if (both !== undefined) throw new RalphError('usage', `${both} cannot be both said and cleared`)
  return { ...cleared, ...said }
}

function without(field: (typeof CLEARABLE)[number]): TaskUpdate {
  switch (field) {
    case 'description':
      return { description: '' }
    case 'parent':
      return { parent: null }
    case 'feature':
      return { feature: null }
    case 'max-retries':
      return { maxRetries: null }
    case 'not-before':
      return { notBefore: null }
    case 'checks':
    case 'tests':
    case 'criteria':
      return { [field]: [] }
    default:
      return never(field)
  }
}
