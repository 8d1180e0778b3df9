/** The part of a prompt that is about the task itself, with what stands around it: its parent and what was done before it. */
import type { Role } from '../calls/role.ts'
import type { Task, TaskId } from '../tasks/task.ts'
import { oneLine } from '../text/sanitize.ts'
import { truncateTo, divideSpace, bytesForTokens, byteSize } from './budget.ts'
import { closeFence, FENCE_MAX, wrapInFrame, quoteFrame, escapeTags } from './quoted-text.ts'
import { RELATED_TASKS_BUDGET, truncationRemark, bulletList, type PartContent } from './prompt-part.ts'
import type { FinishedBlocker, TaskTexts } from './task-texts.ts'

export function taskPart(role: Role, { task, parent, blockers }: TaskTexts, room: number): PartContent {
  const title = `## Your task\n\n- Id: ${task.id}\n- Title: ${oneLine(task.title, 500)}`
  const end = endWords(role, task.id)
  const around = aroundTask(parent, blockers)
  const lists = listsOf(task)
  const description = task.description.trim()
  const left = room - byteSize(title) - byteSize(end) - byteSize(around.text) - FENCE_MAX - 10
  const [forText = 0, forLists = 0] = divideSpace(left, [
    { need: byteSize(description), share: left / 2 },
    { need: byteSize(lists), share: left / 2 },
  ])
  const said = [
    truncateTo(description, Math.floor(forText)),
    truncateTo(lists, Math.floor(forLists)),
  ] as const
  return {
    text: [title, closeFence(said[0]), said[1], around.text, end].filter((one) => one !== '').join('\n\n'),
    from: ['tasks', ...around.from],
    remarks: [
      ...truncationRemark('the description', description, said[0]),
      ...truncationRemark('criteria, checks and tests', lists, said[1]),
      ...around.remarks,
    ],
  }
}

function listsOf({ criteria, checks, tests }: Task): string {
  return [
    bulletList('It is done when:', criteria),
    bulletList(
      'Ralph runs these for it, besides the checks of the project; all of them must succeed:',
      checks,
    ),
    bulletList('Tests that it may change; all others stay as they are:', tests),
  ]
    .filter((text) => text !== '')
    .join('\n\n')
}

/** A worker says what became of it, exactly so; who judges has other words. */
function endWords(role: Role, id: TaskId): string {
  if (role !== 'work') return ''
  return `Ralph commits for you. If you commit yourself, the last line of the message is:\n\nRalph-Task: ${id}\n\nYour last line when it is done:\n\n<task-done>${id}</task-done>\n\nYour last line when it cannot be done:\n\n<task-failed>${id}</task-failed>`
}

function aroundTask(parent: TaskTexts['parent'], blockers: FinishedBlocker[]): PartContent {
  const room = bytesForTokens(RELATED_TASKS_BUDGET)
  const above = parent === null ? '' : escapeTags(parent.description)
  const heading = parent === null ? '' : `It is a part of ${parent.id}, ${oneLine(parent.title, 500)}`
  const frame = above === '' ? null : quoteFrame(`task="${parent?.id ?? ''}"`)
  const before = bulletList(
    'Done before it, as it needs them:',
    blockers.map(({ id, title, summary }) => {
      const said = oneLine(summary, SUMMARY_SHOWN)
      return `${id}, ${oneLine(title, 120)}${said === '' ? '' : `: ${said}`}`
    }),
  )
  const left = room - byteSize(heading) - (frame?.size ?? 0) - 6
  const [forParent = 0, forBlockers = 0] = divideSpace(left, [
    { need: byteSize(above), share: left * 0.4 },
    { need: byteSize(before), share: left * 0.6 },
  ])
  const said = [
    truncateTo(above, Math.floor(forParent)),
    truncateTo(before, Math.floor(forBlockers)),
  ] as const
  const top = frame === null ? heading : `${heading}:\n\n${wrapInFrame(frame, said[0])}`
  return {
    text: [top, said[1]].filter((one) => one !== '').join('\n\n'),
    from: blockers.length === 0 ? [] : ['edges', 'task_log'],
    remarks: [
      ...truncationRemark('the parent', above, said[0]),
      ...truncationRemark('what was done before', before, said[1]),
    ],
  }
}

const SUMMARY_SHOWN = 400
