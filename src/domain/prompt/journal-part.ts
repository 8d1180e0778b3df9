/** The part of a prompt with notes of earlier iterations. */
import { cutTo, divide, sizeOf } from './budget.ts'
import { closeFence, FENCE_MAX } from './document.ts'
import { LEFT_OUT } from './excerpt.ts'
import { cutRemark, list, NOTHING, point, type Made } from './part.ts'
import type { PromptNote, TaskTexts } from './task-texts.ts'

export function journalPart({ recent, matching }: TaskTexts['notes'], room: number): Made {
  const heading = '## Notes of earlier iterations'
  const lists = [
    { says: 'In this run, the newest first:', notes: recent.map(noteWords) },
    { says: 'Others that may matter here:', notes: matching.map(noteWords) },
  ]
  const texts = lists.map(({ says, notes }) => list(says, notes))
  const left = room - sizeOf(heading) - 4
  const rooms = divide(
    left,
    texts.map((text) => ({ need: sizeOf(text), share: left / 2 })),
  )
  const said = lists.map(({ says, notes }, index) => fitted(says, notes, Math.floor(rooms[index] ?? 0)))
  const some = said.filter((one) => one !== '')
  if (some.length === 0) return NOTHING
  return {
    text: [heading, ...some].join('\n\n'),
    from: ['journal'],
    remarks: texts.flatMap((text, index) => cutRemark('notes', text, said[index] ?? '')),
  }
}

/** Of a room that is too small for all, a note may have this part for sure: one that goes on and on leaves others their say. */
const NOTE_SHARE = 1 / 4
/** Less than a sentence of a note says nothing. */
const NOTE_MIN = 80

function fitted(says: string, notes: string[], room: number): string {
  const whole = list(says, notes)
  if (sizeOf(whole) <= room) return whole
  const points = notes.map(point)
  const left = room - sizeOf(says) - sizeOf(LEFT_OUT) - 1
  const rooms = divide(
    left,
    points.map((text) => ({ need: sizeOf(text) + 1, share: left * NOTE_SHARE })),
  )
  const some = points.flatMap((text, index) => {
    const own = Math.floor(rooms[index] ?? 0) - 1
    if (sizeOf(text) <= own) return [text]
    return own < NOTE_MIN ? [] : [closeFence(cutTo(text, own - FENCE_MAX))]
  })
  if (some.length === 0) return ''
  return [says, ...some, ...(some.length < points.length ? [LEFT_OUT] : [])].join('\n')
}

const LOST = {
  undone: ', whose work was taken back since',
  failed: ', whose task failed and whose changes may be gone',
} as const

function noteWords({ task, author, text, lost }: PromptNote): string {
  const who = task === null ? author : `${author} on ${task}`
  return `${who}${lost === undefined ? '' : LOST[lost]}: ${closeFence(text)}`
}
