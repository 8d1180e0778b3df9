/** `ralph task add`: one task, or many from a file. Prints ids and nothing else; what else is to be said goes to stderr. */
import { resolve } from 'node:path'
import { addTasksFromFile, addTypedTask } from '../../../../app/task/add.ts'
import { EXIT, RalphError } from '../../../../core/error.ts'
import { newTask } from '../../../../core/tasks/task.ts'
import { count } from '../../../plain/format-time.ts'
import { changeLines } from '../../../plain/screens/task-lines.ts'
import type { CommandCode, Input } from '../../frame/command.ts'
import type { Io } from '../../frame/io.ts'
import type { TASK_ADD } from '../../table/task.ts'
import { screenStyleOf, storeLocationOf, reportNewFeatures } from './task-io.ts'
import { parseMomentFlag } from './task-flags.ts'

export const run: CommandCode<typeof TASK_ADD> = async (input, io) => {
  const { fromJson, json } = input.flags
  const title = input.args.title.join(' ')
  if (fromJson !== null) return addMany(input, fromJson, io)
  if (input.args.title.length === 0)
    throw new RalphError('usage', 'ralph task add needs TITLE, or --from-json FILE', {
      hint: 'Like this: ralph task add "what to do"',
    })
  const { description, parent, blockedBy, feature, priority, maxRetries, check, test, criterion, id } =
    input.flags
  const added = await addTypedTask(
    storeLocationOf(io),
    newTask(title, {
      id,
      parent,
      feature,
      maxRetries,
      description: description ?? '',
      blockers: blockedBy,
      priority: priority ?? 0,
      notBefore: parseMomentFlag(input.flags.notBefore),
      checks: check,
      tests: test,
      criteria: criterion,
    }),
  )
  reportNewFeatures(added.features, io)
  if (json) io.out(`${JSON.stringify({ ...added.task, changes: added.changes })}\n`)
  else {
    io.out(`${added.task.id}\n`)
    tellChanges(added.changes, io)
  }
  return EXIT.done
}

/** So many ids are looked at; a pipe gets all of them. */
const IDS_SHOWN = 20

async function addMany(input: Input<typeof TASK_ADD>, file: string, io: Io): Promise<number> {
  const others = input.given.filter((flag) => flag !== 'from-json' && flag !== 'json')
  if (others.length > 0 || input.args.title.length > 0)
    throw new RalphError('usage', 'with --from-json everything about a task stands on its line', {
      hint: `Leave out ${others.length > 0 ? `--${others.join(', --')}` : 'the title'}.`,
    })
  const added = await addTasksFromFile(storeLocationOf(io), file === '-' ? file : resolve(io.cwd, file))
  reportNewFeatures(added.features, io)
  if (input.flags.json) io.out(`${JSON.stringify({ added: added.ids.length, ...added })}\n`)
  else {
    if (!io.terminal || added.ids.length <= IDS_SHOWN) io.out(`${added.ids.join('\n')}\n`)
    io.err(`${count(added.ids.length, 'task')} added. See them: ralph task\n`)
    tellChanges(added.changes, io)
  }
  return EXIT.done
}

function tellChanges(changes: Parameters<typeof changeLines>[0], io: Io): void {
  for (const line of changeLines(changes, screenStyleOf(io).p)) io.err(`${line}\n`)
}
