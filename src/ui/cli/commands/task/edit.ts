/** `ralph task add`, `update`, `deps add` and `deps rm`: add and change tasks and their blockers. */
import { resolve } from 'node:path'
import {
  addTasksFromFile,
  addTaskFromCommand,
  changeEdge,
  updateTaskByPrefix,
  type TaskUpdate,
} from '../../../../app/task/change.ts'
import { EXIT, RalphError } from '../../../../core/error.ts'
import type { Instant } from '../../../../core/ids.ts'
import { parseWhen, WHEN_FORMAT } from '../../../../core/tasks/parse-when.ts'
import { newTask, type DerivedChange } from '../../../../core/tasks/task.ts'
import { plural } from '../../../plain/format-values.ts'
import { derivedChangeLines, edgeChangeText } from '../../../plain/screens/task-lines.ts'
import { toPrintable } from '../../../tui/text-width.ts'
import type { CommandHandler, CommandInput } from '../../framework/command.ts'
import type { Io } from '../../framework/io.ts'
import { createPrintCommand, styleOf } from '../../framework/print-result.ts'
import { storeLocationOf } from '../../framework/project-root.ts'
import type {
  CLEARABLE_FIELDS,
  TASK_ADD,
  TASK_DEPS_ADD,
  TASK_DEPS_RM,
  TASK_UPDATE,
} from '../../command-table/task-commands.ts'

/** Adds one task, or many from a file. stdout gets the IDs and nothing else; notes go to stderr. */
export const add: CommandHandler<typeof TASK_ADD> = async (input, io) => {
  const { fromJson, json } = input.flags
  const title = input.args.title.join(' ')
  if (fromJson !== null) return addMany(input, fromJson, io)
  if (input.args.title.length === 0)
    throw new RalphError('usage', 'ralph task add needs TITLE, or --from-json FILE', {
      hint: 'For example: ralph task add "what to do"',
    })
  const { description, parent, blockedBy, feature, priority, maxRetries, check, test, criterion, id } = input.flags
  const added = await addTaskFromCommand(
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

/** A terminal shows at most this many IDs; a pipe gets all of them. */
const IDS_SHOWN = 20

async function addMany(input: CommandInput<typeof TASK_ADD>, file: string, io: Io): Promise<number> {
  const others = input.given.filter((flag) => flag !== 'from-json' && flag !== 'json')
  if (others.length > 0 || input.args.title.length > 0)
    throw new RalphError('usage', '--from-json cannot be combined with a title or other flags', {
      hint: `Leave out ${others.length > 0 ? `--${others.join(', --')}` : 'the title'}.`,
    })
  const added = await addTasksFromFile(storeLocationOf(io), file === '-' ? file : resolve(io.cwd, file))
  reportNewFeatures(added.features, io)
  if (input.flags.json) io.out(`${JSON.stringify({ added: added.ids.length, ...added })}\n`)
  else {
    if (!io.terminal || added.ids.length <= IDS_SHOWN) io.out(`${added.ids.join('\n')}\n`)
    io.err(`${plural(added.ids.length, 'task')} added. Show them: ralph task\n`)
    tellChanges(added.changes, io)
  }
  return EXIT.done
}

function tellChanges(changes: DerivedChange[], io: Io): void {
  for (const line of derivedChangeLines(changes, styleOf(io).p)) io.err(`${line}\n`)
}

/** Reports new feature names: one may be a typo. */
export function reportNewFeatures(names: string[], io: Io): void {
  for (const name of names) io.err(`Created feature ${name}.\n`)
}

/** Changes the named fields of a task, and nothing else. */
export const update: CommandHandler<typeof TASK_UPDATE> = createPrintCommand(
  async ({ args, flags }, io) => {
    const change = updateFrom(flags)
    if (Object.keys(change).length === 0)
      throw new RalphError('usage', 'nothing to update: pass at least one field', {
        hint: 'For example: ralph task update TASK --priority 1. See: ralph task update --help',
      })
    const { task, features, changes } = await updateTaskByPrefix(storeLocationOf(io), args.task, change)
    reportNewFeatures(features, io)
    return { ...task, changes }
  },
  ({ id, title, changes }, { p }) =>
    `${[`Task ${id} "${toPrintable(title)}" updated.`, ...derivedChangeLines(changes, p)].join('\n')}\n`,
)

function updateFrom(flags: CommandInput<typeof TASK_UPDATE>['flags']): TaskUpdate {
  const { title, description, parent, feature, priority, maxRetries, notBefore, check, test, criterion } = flags
  const cleared = flags.clear.reduce<TaskUpdate>((all, field) => ({ ...all, ...CLEARED[field] }), {})
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
  if (both !== undefined) throw new RalphError('usage', `${both} cannot be set and cleared at once`)
  return { ...cleared, ...said }
}

/** What each value of `--clear` changes. */
const CLEARED: Readonly<Record<(typeof CLEARABLE_FIELDS)[number], TaskUpdate>> = {
  description: { description: '' },
  parent: { parent: null },
  feature: { feature: null },
  'max-retries': { maxRetries: null },
  'not-before': { notBefore: null },
  checks: { checks: [] },
  tests: { tests: [] },
  criteria: { criteria: [] },
}

function parseMomentFlag(text: string | null): Instant | null {
  if (text === null) return null
  const at = parseWhen(text, Date.now())
  if (at === null) throw new RalphError('usage', `--not-before takes ${WHEN_FORMAT}, not "${text}"`)
  return at
}

export const addDep: CommandHandler<typeof TASK_DEPS_ADD> = createPrintCommand(
  ({ args }, io) => changeEdge(storeLocationOf(io), args, 'there'),
  (edge, { p }) => edgeChangeText(edge, 'there', p),
)

export const removeDep: CommandHandler<typeof TASK_DEPS_RM> = createPrintCommand(
  ({ args }, io) => changeEdge(storeLocationOf(io), args, 'gone'),
  (edge, { p }) => edgeChangeText(edge, 'gone', p),
)
