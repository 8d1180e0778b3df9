/** The part of a prompt that is about the task itself, with what stands around it: its parent and what was done before it. */
import type { Role } from '../calls/role.ts'
import type { Task, TaskId } from '../task/task.ts'
import { oneLine } from '../text/text.ts'
import { cutTo, divide, roomOf, sizeOf } from './budget.ts'
import { closeFence, FENCE_MAX, framed, frameOf, harmless } from './document.ts'
import { AROUND_BUDGET, cutRemark, list, type Made } from './part.ts'
import type { FinishedBlocker, TaskTexts } from './task-texts.ts'

export function taskPart(role: Role, { task, parent, blockers }: TaskTexts, room: number): Made {
  const title = `## Your task\n\n- Id: ${task.id}\n- Title: ${oneLine(task.title, 500)}`
  const end = endWords(role, task.id)
  const around = aroundTask(parent, blockers)
  const lists = listsOf(task)
  const description = task.description.trim()
  const left = room - sizeOf(title) - sizeOf(end) - sizeOf(around.text) - FENCE_MAX - 10
  const [forText = 0, forLists = 0] = divide(left, [
    { need: sizeOf(description), share: left / 2 },
    { need: sizeOf(lists), share: left / 2 },
  ])
  const said = [cutTo(description, Math.floor(forText)), cutTo(lists, Math.floor(forLists))] as const
  return {
    text: [title, closeFence(said[0]), said[1], around.text, end].filter((one) => one !== '').join('\n\n'),
    from: ['tasks', ...around.from],
    remarks: [
      ...cutRemark('the description', description, said[0]),
      ...cutRemark('criteria, checks and tests', lists, said[1]),
      ...around.remarks,
    ],
  }
}

function listsOf({ criteria, checks, tests }: Task): string {
  return [
    list('It is done when:', criteria),
    list('Ralph runs these for it, besides the checks of the project; all of them must succeed:', checks),
    list('Tests that it may change; all others stay as they are:', tests),
  ]
    .filter((text) => text !== '')
    .join('\n\n')
}

/** A worker says what became of it, exactly so; who judges has other words. */
function endWords(role: Role, id: TaskId): string {
  if (role !== 'work') return ''
  return `Ralph commits for you. If you commit yourself, the last line of the message is:\n\nRalph-Task: ${id}\n\nYour last line when it is done:\n\n<task-done>${id}</task-done>\n\nYour last line when it cannot be done:\n\n<task-failed>${id}</task-failed>`
}

function aroundTask(parent: TaskTexts['parent'], blockers: FinishedBlocker[]): Made {
  const room = roomOf(AROUND_BUDGET)
  const above = parent === null ? '' : harmless(parent.description)
  const heading = parent === null ? '' : `It is a part of ${parent.id}, ${oneLine(parent.title, 500)}`
  const frame = above === '' ? null : frameOf(`task="${parent?.id ?? ''}"`)
  const before = list(
    'Done before it, as it needs them:',
    blockers.map(({ id, title, summary }) => {
      const said = oneLine(summary, SUMMARY_SHOWN)
      return `${id}, ${oneLine(title, 120)}${said === '' ? '' : `: ${said}`}`
    }),
  )
  const left = room - sizeOf(heading) - (frame?.size ?? 0) - 6
  const [forParent = 0, forBlockers = 0] = divide(left, [
    { need: sizeOf(above), share: left * 0.4 },
    { need: sizeOf(before), share: left * 0.6 },
  ])
  const said = [cutTo(above, Math.floor(forParent)), cutTo(before, Math.floor(forBlockers))] as const
  const top = frame === null ? heading : `${heading}:\n\n${framed(frame, said[0])}`
  return {
    text: [top, said[1]].filter((one) => one !== '').join('\n\n'),
    from: blockers.length === 0 ? [] : ['edges', 'task_log'],
    remarks: [
      ...cutRemark('the parent', above, said[0]),
      ...cutRemark('what was done before', before, said[1]),
    ],
  }
}

const SUMMARY_SHOWN = 400
