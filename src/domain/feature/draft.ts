/**
 * A draft: papers that an agent writes, one after the other, in one conversation with a person or alone. What is wanted, what was said and
 * what a paper may be made from lies beside the papers, so that any run goes on where another one ended.
 */
import { FEATURE_PAPERS, PROJECT_PAPERS, type PaperKind } from './paper.ts'
import type { Line } from '../pipeline/position.ts'
import type { FeatureId } from '../task/task.ts'
import type { OwnWork } from '../tree/own-work.ts'

/** What a run is to draft. */
export interface DraftWanted {
  /** Null: the project's own prompt and plan. */
  feature: FeatureId | null
  name: string
  /** Where the papers lie, relative to the project. */
  folder: string
  /** To be there in the end, in the order in which they are made. */
  papers: [PaperKind, ...PaperKind[]]
  /** Somebody answers the agent's questions. */
  asks: boolean
}

export interface DraftJob extends DraftWanted {
  is: 'draft'
  /** What the agent asks and nobody has answered yet. */
  question: string | null
  /** The paper that was looked at since an agent was last at it; null: none. */
  seen: PaperKind | null
  /** Turns in a row that ended with neither a paper nor somebody to ask. */
  idle: number
  /** What the turn under way made of the tree: nothing but the papers may change. Null: nobody has looked yet. */
  own: OwnWork | null
}

export function draftJob(wanted: DraftWanted): DraftJob {
  return { is: 'draft', ...wanted, question: null, seen: null, idle: 0, own: null }
}

/** What a turn came to, until its paper was looked at. */
export interface DraftTurn {
  /** The end of what the agent said. */
  said: string
  /** Nobody heard its end: it asks nothing, and what it left only counts if it is whole. */
  cut: boolean
  /** It says that the paper is finished. */
  claims: boolean
  /** Files of the project that it changed and that were put back, or had to stay. */
  astray: number
}

/** Which paper a call is to write. `turn`: how often it was asked for in this run. */
export interface DraftAsked extends Pick<DraftWanted, 'name' | 'folder' | 'asks'> {
  paper: PaperKind
  turn: number
}

/** A draft as a screen shows it. */
export interface DraftShown extends Pick<DraftWanted, 'name' | 'folder'> {
  paper: PaperKind
  /** The end of what the agent said in its last turn. */
  said: string
}

/** What a person is asked. */
export function questionIn(said: string): string {
  return said === '' ? 'The agent wrote no paper and said nothing. What should it do?' : said
}

/** Whether they were drafted here or lay there before: what follows is made from them. */
export function papersBefore({ feature }: Pick<DraftWanted, 'feature'>, paper: PaperKind): PaperKind[] {
  const all: readonly PaperKind[] = feature === null ? PROJECT_PAPERS : FEATURE_PAPERS
  return all.slice(0, all.indexOf(paper))
}

/** The stage that its line is at is named by its paper. */
export function paperOf({ line }: { line: Line | null }): PaperKind {
  return (line?.at ?? 'spec') as PaperKind
}
