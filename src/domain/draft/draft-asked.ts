/** Which paper a call is to write, as its effect carries it. */
import type { RunAgent } from '../run/effect.ts'
import type { Worker } from '../run/house.ts'
import { paperOf } from './draft.ts'

export function draftAsked({ job, line }: Pick<Worker, 'job' | 'line'>): Pick<RunAgent, 'draft'> {
  if (job.is !== 'draft') return {}
  const paper = paperOf({ line })
  const { name, folder, asks } = job
  return { draft: { name, folder, asks, paper, turn: line?.visits[paper] ?? 1 } }
}
