/** `ralph task create`: creates a task by asking questions on a terminal. */
import { addTaskFromCommand } from '../../../../app/task/change.ts'
import { listFeatureNames, listTaskChoices } from '../../../../app/task/list-task-choices.ts'
import { EXIT, RalphError } from '../../../../core/error.ts'
import { featureNameProblem } from '../../../../core/tasks/task-id.ts'
import { titleProblem } from '../../../../core/tasks/validate-task.ts'
import { newTask, type NewTask } from '../../../../core/tasks/task.ts'
import type { StoreLocation } from '../../../../app/task/task-store.ts'
import { derivedChangeLines } from '../../../plain/screens/task-lines.ts'
import { toPrintable } from '../../../tui/text-width.ts'
import type { CommandHandler } from '../../framework/command.ts'
import { createTerminalPrompter } from '../../asking/terminal-prompts.ts'
import type { TASK_CREATE } from '../../command-table/task-commands.ts'
import { printResult, styleOf } from '../../framework/print-result.ts'
import { storeLocationOf } from '../../framework/project-root.ts'
import { reportNewFeatures } from './edit.ts'

export const run: CommandHandler<typeof TASK_CREATE> = async (input, io) => {
  const location = storeLocationOf(io)
  if (!io.asks)
    throw new RalphError('usage', 'ralph task create asks questions, and there is no terminal to ask on', {
      hint: 'On one line: ralph task add "what to do"',
    })
  const said = await ask(location)
  if (said === null) {
    io.out('Nothing was added.\n')
    return EXIT.interrupted
  }
  const added = await addTaskFromCommand(location, said)
  reportNewFeatures(added.features, io)
  const screen = (): string =>
    `${[`Added: ${added.task.id}`, ...derivedChangeLines(added.changes, styleOf(io).p), 'Run it: ralph run'].join('\n')}\n`
  return printResult({ ...added.task, changes: added.changes }, screen, { json: input.flags.json, io })
}

/** Null: the user cancelled. */
async function ask(location: StoreLocation): Promise<NewTask | null> {
  const asked = await createTerminalPrompter({ maxItems: 8 })
  const title = await asked.text('What should be done?', titleProblem)
  if (title === null) return null
  const description = await asked.text('Details? (Enter: none)')
  if (description === null) return null
  const names = await listFeatureNames(location)
  const known = names.length === 0 ? '' : `; known: ${names.slice(0, 8).join(', ')}`
  const feature = await asked.text(`Which feature does it belong to? (Enter: none${known})`, (text) =>
    text === '' ? null : featureNameProblem(text),
  )
  if (feature === null) return null
  const open = (await listTaskChoices(location, 'open')).map(({ id, title }) => ({
    value: id,
    label: `${id}  ${toPrintable(title)}`,
  }))
  const alone = { value: '', label: 'no' }
  const parent = open.length === 0 ? '' : await asked.one('Is it part of another task?', [alone, ...open])
  if (parent === null) return null
  const others = open.filter(({ value }) => value !== parent)
  const blockers = others.length === 0 ? [] : await asked.several('Which tasks must be done first?', others, [])
  if (blockers === null) return null
  const check = await asked.text('A command that must pass, besides the gates? (Enter: none)')
  if (check === null) return null
  return newTask(title, {
    description,
    blockers,
    feature: feature === '' ? null : feature,
    parent: parent === '' ? null : parent,
    checks: check === '' ? [] : [check],
  })
}
