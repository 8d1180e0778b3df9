/** `ralph task create`: a task by questions, on a terminal. */
import { addTypedTask } from '../../../../app/task/add.ts'
import { featureNames, openTasks } from '../../../../app/task/open-tasks.ts'
import { EXIT, RalphError } from '../../../../core/error.ts'
import { featureNameProblem } from '../../../../core/tasks/task-id.ts'
import { titleProblem } from '../../../../core/tasks/validate.ts'
import { newTask, type NewTask } from '../../../../core/tasks/task.ts'
import type { StoreLocation } from '../../../../app/task/task-store.ts'
import { changeLines } from '../../../plain/screens/task-lines.ts'
import { shown } from '../../../tui/text-width.ts'
import type { CommandCode } from '../../frame/command.ts'
import { loadPrompts } from '../../asking/questions.ts'
import type { TASK_CREATE } from '../../table/task.ts'
import { styleOf } from '../../frame/print-result.ts'
import { storeLocationOf } from '../../frame/project-root.ts'
import { reportNewFeatures } from './edit.ts'

export const run: CommandCode<typeof TASK_CREATE> = async (input, io) => {
  const location = storeLocationOf(io)
  if (!io.asks)
    throw new RalphError('usage', 'ralph task create asks questions, and there is no terminal to ask on', {
      hint: 'Say it in one line: ralph task add "what to do"',
    })
  const said = await ask(location)
  if (said === null) {
    io.out('Nothing was added.\n')
    return EXIT.interrupted
  }
  const added = await addTypedTask(location, said)
  reportNewFeatures(added.features, io)
  if (input.flags.json) io.out(`${JSON.stringify({ ...added.task, changes: added.changes })}\n`)
  else
    io.out(
      `${[`Added: ${added.task.id}`, ...changeLines(added.changes, styleOf(io).p), 'Have it done: ralph run'].join('\n')}\n`,
    )
  return EXIT.done
}

/** Null: the person went away. */
async function ask(location: StoreLocation): Promise<NewTask | null> {
  const asked = await asker()
  const title = await asked.text('What is to be done?', (text) => titleProblem(text))
  if (title === null) return null
  const description = await asked.text('More about it? (Enter: nothing)')
  if (description === null) return null
  const names = await featureNames(location)
  const known = names.length === 0 ? '' : `; there are: ${names.slice(0, 8).join(', ')}`
  const feature = await asked.text(`Which feature does it belong to? (Enter: none${known})`, (text) =>
    text === '' ? null : featureNameProblem(text),
  )
  if (feature === null) return null
  const open = await openTasks(location)
  const parent = open.length === 0 ? '' : await asked.one('Is it a part of another task?', open)
  if (parent === null) return null
  const others = open.filter(({ id }) => id !== parent)
  const blockers = others.length === 0 ? [] : await asked.several('What must be done before it?', others)
  if (blockers === null) return null
  const check = await asked.text(
    'A command that must succeed for it to count, besides the gates? (Enter: none)',
  )
  if (check === null) return null
  return newTask(title, {
    description,
    blockers,
    feature: feature === '' ? null : feature,
    parent: parent === '' ? null : parent,
    checks: check === '' ? [] : [check],
  })
}

interface TaskAsker {
  text(question: string, problem?: (text: string) => string | null): Promise<string | null>
  /** Empty: none of them. */
  one(question: string, tasks: { id: string; title: string }[]): Promise<string | null>
  several(question: string, tasks: { id: string; title: string }[]): Promise<string[] | null>
}

async function asker(): Promise<TaskAsker> {
  const { text, select, multiselect, isCancel } = await loadPrompts()
  const choices = (tasks: { id: string; title: string }[]): { value: string; label: string }[] =>
    tasks.map(({ id, title }) => ({ value: id, label: `${id}  ${shown(title)}` }))
  return {
    async text(message, problem = () => null) {
      const answer = await text({
        message,
        defaultValue: '',
        validate: (typed) => problem((typed ?? '').trim()) ?? undefined,
      })
      return isCancel(answer) ? null : (answer ?? '').trim()
    },
    async one(message, tasks) {
      const none = { value: '', label: 'no, it stands alone' }
      const answer = await select({ message, options: [none, ...choices(tasks)], maxItems: 8 })
      return isCancel(answer) ? null : answer
    },
    async several(message, tasks) {
      const answer = await multiselect({ message, options: choices(tasks), required: false, maxItems: 8 })
      return isCancel(answer) ? null : answer
    },
  }
}
