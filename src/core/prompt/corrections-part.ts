/** The last part of a task's prompt: everything that changes between two attempts of one claim. */
import type { Role } from '../calls/role.ts'
import type { TaskCall } from '../state/effect.ts'
import { oneLine } from '../text/sanitize.ts'
import { fitTexts, EMPTY_PART, bullet, type PartContent } from './prompt-part.ts'
import type { PromptContext } from './loop-prompt.ts'
import type { TaskTexts } from './task-texts.ts'

const HEADING = '## Now'

export function correctionsPart(
  role: Role,
  log: TaskTexts['log'],
  { context, task, room }: { context: PromptContext | null; task?: TaskCall; room: number },
): PartContent {
  const newest = log.toReversed()
  const guidance = newest.filter(({ kind }) => kind === 'guidance')
  // A reviewer must know what a person asked for, and nothing about earlier attempts.
  const groups =
    role === 'work' ? [guidanceOf(guidance), ...workGroups(newest, { context, task })] : [guidanceOf(guidance)]
  const told = groups.filter(({ points }) => points.length > 0)
  if (told.length === 0) return EMPTY_PART
  const { texts, remarks } = fitTexts(
    room - HEADING.length - 1 - told.length,
    told.map((group) => ({ ...group, text: group.points.map(bullet).join('\n') })),
  )
  const said = ORDER.flatMap((what) => texts.filter((_, index) => told[index]?.what === what))
  return {
    text: [HEADING, '', ...said.filter((one) => one !== '')].join('\n'),
    from: [...new Set(told.map(({ from }) => from))],
    remarks,
  }
}

/** Groups that come first get the space that others leave of their share. */
interface Group {
  what: 'guidance' | 'this attempt' | 'steering' | 'what to fix' | 'earlier attempts'
  from: string
  share: number
  points: string[]
}

/** What changes least comes first here too: a gate that fails the same way again keeps its text identical in the next prompt. */
const ORDER: readonly Group['what'][] = ['guidance', 'earlier attempts', 'steering', 'what to fix', 'this attempt']

function guidanceOf(guidance: TaskTexts['log']): Group {
  return {
    what: 'guidance',
    from: 'task_log',
    share: 0.4,
    points: guidance.map(({ text }) => `From a person, about this task: ${text.trim()}`),
  }
}

function workGroups(
  newest: TaskTexts['log'],
  { context, task }: { context: PromptContext | null; task: TaskCall | undefined },
): Group[] {
  const failed = newest.filter(({ kind }) => kind === 'failed')
  return [
    { what: 'this attempt', from: 'run', share: 0.1, points: attemptLines(context, task) },
    {
      what: 'steering',
      from: 'run',
      share: 0.1,
      points: (context?.steering ?? []).toReversed().map((text) => `From the person running this: ${text}`),
    },
    {
      what: 'what to fix',
      from: 'run',
      share: 0.3,
      points: (context?.corrections ?? []).toReversed().map((text) => `Fix this first: ${text}`),
    },
    {
      what: 'earlier attempts',
      from: 'task_log',
      share: 0.1,
      points: failed.map(({ text }) => `An earlier attempt failed: ${oneLine(text, 500)}`),
    },
  ]
}

function attemptLines(context: PromptContext | null, task: TaskCall | undefined): string[] {
  const words: string[] = []
  if (task !== undefined && task.visit > 1) words.push(`This is attempt ${task.visit} of ${task.of} at this task.`)
  const previous = context?.previous ?? null
  if (previous !== null) words.push(`The previous attempt reported: ${oneLine(previous, 200)}`)
  const breaker = context?.breaker ?? null
  if (breaker !== null) words.push(oneLine(breaker, 200))
  return words
}
