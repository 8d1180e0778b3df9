/** Where a job stands in its pipeline. Knows stages, words and visits, and nothing of agents. */
import type { Pipeline, Stage, Word } from './pipeline.ts'

export interface Line {
  /** The stage it is at. */
  at: string
  /** How often each stage was entered. */
  visits: Record<string, number>
}

export type Move = { is: 'run'; stage: Stage; line: Line } | { is: 'end' } | { is: 'abort'; why: string }

export function beginLine([first]: Pipeline): Line {
  return { at: first.id, visits: { [first.id]: 1 } }
}

/** What follows when the stage that a line is at has given its word. */
export function move(pipeline: Pipeline, line: Line, word: Word): Move {
  const index = pipeline.findIndex(({ id }) => id === line.at)
  const stage = pipeline[index]
  if (stage === undefined) return { is: 'abort', why: `there is no stage ${line.at}` }
  const jump = stage.on[word]
  if (jump === 'abort') return { is: 'abort', why: `${stage.id} says ${word}` }
  if (jump === 'self') return enter(pipeline, line, stage.id)
  if (jump === 'next' && index === pipeline.length - 1) return { is: 'end' }
  return enter(pipeline, line, jump === 'next' ? pipeline[index + 1]?.id : jump.to)
}

function enter(pipeline: Pipeline, { visits }: Line, to: string | undefined): Move {
  const stage = pipeline.find(({ id }) => id === to)
  if (stage === undefined) return { is: 'abort', why: `there is no stage ${to}` }
  const visit = (visits[stage.id] ?? 0) + 1
  if (stage.max !== null && visit > stage.max)
    return { is: 'abort', why: `${stage.id} was entered ${stage.max} times already` }
  return { is: 'run', stage, line: { at: stage.id, visits: { ...visits, [stage.id]: visit } } }
}
