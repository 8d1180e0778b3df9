/** The part of a prompt about the task itself, with its parent and its finished blockers. */
import type { Role } from '../calls/role.ts'
import type { Task, TaskId } from '../tasks/task.ts'
import { oneLine } from '../text/sanitize.ts'
import { bytesForTokens, byteSize } from './prompt-budget.ts'
import { closeFence, CLOSING_FENCE_MAX_BYTES, wrapInFrame, quoteFrame, escapeDocumentTags } from './quoted-text.ts'
import { RELATED_TASKS_BUDGET, fitTexts, bulletList, type PartContent } from './prompt-part.ts'
import type { FinishedBlocker, TaskTexts } from './task-texts.ts'

export function taskPart(role: Role, { task, parent, blockers }: TaskTexts, room: number): PartContent {
  const title = `## Your task\n\n- Id: ${task.id}\n- Title: ${oneLine(task.title, 500)}`
  const end = reportInstructions(role, task.id)
  const around = relatedTasksPart(parent, blockers)
  const lists = listsOf(task)
  const description = task.description.trim()
  const left = room - byteSize(title) - byteSize(end) - byteSize(around.text) - CLOSING_FENCE_MAX_BYTES - 10
  const { texts, remarks } = fitTexts(left, [
    { what: 'the description', text: description, share: 1 / 2 },
    { what: 'criteria, checks and tests', text: lists, share: 1 / 2 },
  ])
  const [said = '', listed = ''] = texts
  return {
    text: [title, closeFence(said), listed, around.text, end].filter((one) => one !== '').join('\n\n'),
    from: ['tasks', ...around.from],
    remarks: [...remarks, ...around.remarks],
  }
}

function listsOf({ criteria, checks, tests }: Task): string {
  return [
    bulletList('It is done when:', criteria),
    bulletList('Ralph also runs these checks; all of them must succeed:', checks),
    bulletList('Tests that it may change; leave all others as they are:', tests),
  ]
    .filter((text) => text !== '')
    .join('\n\n')
}

/** How the agent reports the result; a reviewer reports in another way. */
function reportInstructions(role: Role, id: TaskId): string {
  if (role !== 'work') return ''
  return `Ralph commits for you. If you commit yourself, end the commit message with:\n\nRalph-Task: ${id}\n\nYour closing line if it is done:\n\n<task-done>${id}</task-done>\n\nYour closing line if it cannot be done, after the reason:\n\n<task-failed>${id}</task-failed>`
}

function relatedTasksPart(parent: TaskTexts['parent'], blockers: FinishedBlocker[]): PartContent {
  const room = bytesForTokens(RELATED_TASKS_BUDGET)
  const above = parent === null ? '' : escapeDocumentTags(parent.description)
  const heading = parent === null ? '' : `It is part of ${parent.id}, ${oneLine(parent.title, 500)}`
  const frame = above === '' ? null : quoteFrame(`task="${parent?.id ?? ''}"`)
  const before = bulletList(
    'Finished tasks that it depends on:',
    blockers.map(({ id, title, summary }) => {
      const said = oneLine(summary, SUMMARY_SHOWN)
      return `${id}, ${oneLine(title, 120)}${said === '' ? '' : `: ${said}`}`
    }),
  )
  const left = room - byteSize(heading) - (frame?.size ?? 0) - 6
  const { texts, remarks } = fitTexts(left, [
    { what: 'the parent', text: above, share: 0.4 },
    { what: 'what was done before', text: before, share: 0.6 },
  ])
  const [said = '', done = ''] = texts
  const top = frame === null ? heading : `${heading}:\n\n${wrapInFrame(frame, said)}`
  return {
    text: [top, done].filter((one) => one !== '').join('\n\n'),
    from: blockers.length === 0 ? [] : ['edges', 'task_log'],
    remarks,
  }
}

const SUMMARY_SHOWN = 400
