/** The part of a prompt with notes of earlier iterations. */
import { cutTo, divide, sizeOf } from './budget.ts'
import { cutRemark, list, NOTHING, type Made } from './part.ts'
import type { PromptNote, TaskTexts } from './task-texts.ts'

export function journalPart({ recent, matching }: TaskTexts['notes'], room: number): Made {
  const heading = '## Notes of earlier iterations'
  const texts = [
    list('In this run, the newest first:', recent.map(noteWords)),
    list('Others that may matter here:', matching.map(noteWords)),
  ]
  const left = room - sizeOf(heading) - 4
  const rooms = divide(
    left,
    texts.map((text) => ({ need: sizeOf(text), share: left / 2 })),
  )
  const said = texts.map((text, index) => cutTo(text, Math.floor(rooms[index] ?? 0)))
  const some = said.filter((one) => one !== '')
  if (some.length === 0) return NOTHING
  return {
    text: [heading, ...some].join('\n\n'),
    from: ['journal'],
    remarks: texts.flatMap((text, index) => cutRemark('notes', text, said[index] ?? '')),
  }
}

function noteWords({ task, author, text }: PromptNote): string {
  return `${task === null ? author : `${author} on ${task}`}: ${text}`
}
