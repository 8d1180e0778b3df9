/** Where a job stands in its pipeline. Knows stages, results and visits, and nothing of agents. */
import type { Pipeline, Stage, StageKind, StageResult } from './pipeline.ts'
import type { StageOutput } from './finish-stage.ts'

export interface PipelinePosition {
  /** The pipeline that the job began with: a change of the code or the settings does not move it. */
  stages: Pipeline
  /** The stage it is at. */
  at: string
  /** How often each stage was entered. */
  visits: Record<string, number>
  /** The result of the stage before, which this stage was entered with. */
  input: StageOutput
}

export type PipelineMove =
  | { is: 'run'; stage: Stage; line: PipelinePosition }
  | { is: 'end' }
  | { is: 'abort'; why: string }

export function initialPosition(stages: Pipeline): PipelinePosition {
  const [first] = stages
  return { stages, at: first.id, visits: { [first.id]: 1 }, input: {} }
}

/** The kind of stage that a worker is at; null: it has no job. */
export function stageKindOf({ line }: { line: PipelinePosition | null }): StageKind | null {
  return line?.stages.find(({ id }) => id === line.at)?.kind ?? null
}

/** Whether a stage of this kind comes later in the pipeline. */
export function isStageAhead({ line }: { line: PipelinePosition | null }, kind: StageKind): boolean {
  if (line === null) return false
  const index = line.stages.findIndex(({ id }) => id === line.at)
  return line.stages.slice(index + 1).some((stage) => stage.kind === kind)
}

/** What follows when the stage of a line has ended. */
export function nextMove(line: PipelinePosition, word: StageResult, input: StageOutput = {}): PipelineMove {
  const { stages } = line
  const index = stages.findIndex(({ id }) => id === line.at)
  const stage = stages[index]
  if (stage === undefined) return { is: 'abort', why: `there is no stage ${line.at}` }
  const jump = stage.on[word]
  if (jump === 'abort') return { is: 'abort', why: `stage ${stage.id} ended with ${word}` }
  if (jump === 'self') return pipelineMoveTo(line, stage.id, input)
  if (jump === 'next' && index === stages.length - 1) return { is: 'end' }
  return pipelineMoveTo(line, jump === 'next' ? stages[index + 1]?.id : jump.to, input)
}

/** The same line at another stage, by a visit more. */
export function pipelineMoveTo(line: PipelinePosition, to: string | undefined, input: StageOutput = {}): PipelineMove {
  const { stages, visits } = line
  const stage = stages.find(({ id }) => id === to)
  if (stage === undefined) return { is: 'abort', why: `there is no stage ${to}` }
  const visit = (visits[stage.id] ?? 0) + 1
  if (stage.max !== null && visit > stage.max)
    return { is: 'abort', why: `${stage.id} was entered ${stage.max} times already` }
  return { is: 'run', stage, line: { stages, at: stage.id, visits: { ...visits, [stage.id]: visit }, input } }
}
