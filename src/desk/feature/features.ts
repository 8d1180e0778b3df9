/** Features as people list them and look at one: how its tasks stand, which papers there are, and what to do next. */
import { RalphError } from '../../domain/error.ts'
import { FEATURE_PAPERS, paperProblems, type FeaturePaper } from '../../domain/feature/paper.ts'
import { never } from '../../domain/machine.ts'
import { featureStatus, type FeatureStatus } from '../../domain/task/rollup.ts'
import type { Feature, TaskCounts } from '../../domain/task/task.ts'
import { shellWord } from '../../domain/text/shell.ts'
import { clip, visible } from '../../domain/text/text.ts'
import { suggest } from '../../domain/text/suggest.ts'
import { isoTime } from '../../system/clock.ts'
import { hashText } from '../../system/files/files.ts'
import type { Sql } from '../../store/db/sql.ts'
import { holderOf } from '../../store/holder.ts'
import { countTasks } from '../../store/task/counts.ts'
import { findFeature, knownFeatures, listFeatures } from '../../store/task/features.ts'
import {
  featuresLink,
  foldersOfPapers,
  INSTEAD_OF_LINK,
  readPaper,
  readPaperAt,
  type PaperThere,
} from '../../workspace/feature-papers.ts'
import { paperNameProblem } from '../../domain/feature/name.ts'
import { featureIn } from '../task/scope.ts'
import { lookAt, type TaskPlace } from '../task/task-store.ts'

export interface FeatureFacts {
  /** Null: papers lie here that no store knows; they came with the repository, or were written by hand. */
  id: string | null
  name: string
  status: FeatureStatus
  stage: Feature['stage']
  /** Those that are worked on, and how many of them are what. */
  tasks: number
  done: number
  failed: number
  running: number
  papers: PaperFacts[]
  /** Its document was accepted as it lies there. */
  accepted: boolean
  created_at: string | null
  updated_at: string | null
  /** What to type. */
  next: string | null
}

export interface PaperFacts {
  paper: FeaturePaper
  path: string
  is: 'whole' | 'unfinished' | 'missing' | 'unread'
  /** What is wrong with it. */
  problems: string[]
}

export function featuresHere(place: TaskPlace): Promise<FeatureFacts[]> {
  const { root } = place
  tellLink(place)
  return lookAt(
    place,
    async (sql) => {
      const known = await listFeatures(sql)
      const names = new Set(known.map(({ name }) => name))
      const loose = looseNames(root).filter((name) => !names.has(name))
      const isBusy = (await holderOf(sql, root)) !== null
      const rows = []
      for (const feature of known)
        rows.push(factsOf(root, feature, { isBusy, counts: await countsOf(sql, feature) }))
      return [...rows, ...loose.map((name) => looseFacts(root, name, isBusy))]
    },
    () => looseNames(root).map((name) => looseFacts(root, name, false)),
  )
}

/** By name or id; papers that no store knows are found by their folder. */
export function featureHere(place: TaskPlace, said: string): Promise<FeatureFacts> {
  tellLink(place)
  return lookAt(
    place,
    async (sql) => {
      const known = await knownAs(sql, place.root, said)
      const isBusy = (await holderOf(sql, place.root)) !== null
      if (known.is === 'loose') return looseFacts(place.root, known.name, isBusy)
      return factsOf(place.root, known.feature, { isBusy, counts: await countsOf(sql, known.feature) })
    },
    () => looseFacts(place.root, looseName(place.root, said, []), false),
  )
}

function countsOf(sql: Sql, { id }: Feature): Promise<TaskCounts> {
  return countTasks(sql, { is: 'feature', feature: id })
}

function tellLink({ root, notice }: TaskPlace): void {
  const link = featuresLink(root)
  if (link !== null) notice(`${link} is a link, so no paper is read. ${INSTEAD_OF_LINK}`)
}

/** A feature of the store, or papers alone. */
export type KnownFeature = { is: 'row'; feature: Feature; name: string } | { is: 'loose'; name: string }

export async function knownAs(sql: Sql, root: string, said: string): Promise<KnownFeature> {
  const exact = await findFeature(sql, said)
  if (exact !== null) return { is: 'row', feature: exact, name: exact.name }
  if (looseNames(root).includes(said)) return { is: 'loose', name: said }
  if (!said.startsWith('f-')) return { is: 'loose', name: looseName(root, said, await listFeatures(sql)) }
  const feature = await featureIn(sql, said)
  return { is: 'row', feature, name: feature.name }
}

export function looseName(root: string, said: string, known: Feature[]): string {
  const loose = looseNames(root)
  if (loose.includes(said)) return said
  const near = suggest(clip(said, 64), [...known.map(({ name }) => name), ...loose])
  throw new RalphError('not-found', `there is no feature ${visible(clip(said, 64))}`, {
    hint:
      near !== null
        ? `Did you mean ${near}?`
        : known.length > 0
          ? knownFeatures(known)
          : 'Begin one: ralph feature create NAME "what I want"',
  })
}

function looseNames(root: string): string[] {
  return foldersOfPapers(root).filter((name) => paperNameProblem(name) === null)
}

interface Now {
  /** A run works in this project, and refuses another one. */
  isBusy: boolean
  counts: TaskCounts
}

function factsOf(root: string, feature: Feature, { isBusy, counts }: Now): FeatureFacts {
  const { id, name, stage, tasks, done, failed, going, createdAt, updatedAt } = feature
  const there = papersOf(root, feature)
  const document = there.tasks
  const accepted =
    feature.accepted !== null && document.is === 'read' && hashText(document.text) === feature.accepted
  const facts = {
    id,
    name,
    status: featureStatus(feature),
    stage,
    tasks,
    done,
    failed,
    running: going,
    papers: FEATURE_PAPERS.map((paper) => paperFacts(paper, there[paper])),
    accepted,
    created_at: isoTime(createdAt),
    updated_at: isoTime(updatedAt),
  }
  return { ...facts, next: nextFor({ ...facts, isBusy, counts }, there) }
}

function looseFacts(root: string, name: string, isBusy: boolean): FeatureFacts {
  const own = (paper: FeaturePaper): PaperThere => readPaper(root, name, paper)
  const there = { spec: own('spec'), plan: own('plan'), tasks: own('tasks') }
  const facts = {
    id: null,
    name,
    status: 'draft' as const,
    stage: 'draft' as const,
    tasks: 0,
    done: 0,
    failed: 0,
    running: 0,
    papers: FEATURE_PAPERS.map((paper) => paperFacts(paper, there[paper])),
    accepted: false,
    created_at: null,
    updated_at: null,
  }
  return { ...facts, next: nextFor({ ...facts, isBusy, counts: null }, there) }
}

/** Where a feature of an earlier tool has its papers, or one whose name is no folder's. */
function papersOf(root: string, { name, spec, plan }: Feature): Record<FeaturePaper, PaperThere> {
  const isFolder = paperNameProblem(name) === null
  const own = (paper: FeaturePaper): PaperThere =>
    isFolder ? readPaper(root, name, paper) : { is: 'missing', path: '' }
  const at = (paper: 'spec' | 'plan', path: string | null): PaperThere => {
    const found = own(paper)
    return found.is === 'missing' && path !== null && path !== found.path
      ? readPaperAt(root, path, paper)
      : found
  }
  return { spec: at('spec', spec), plan: at('plan', plan), tasks: own('tasks') }
}

function paperFacts(paper: FeaturePaper, there: PaperThere): PaperFacts {
  const { path } = there
  switch (there.is) {
    case 'missing':
      return { paper, path, is: 'missing', problems: [] }
    case 'unread':
      return { paper, path, is: 'unread', problems: [there.why] }
    case 'read': {
      const problems = paperProblems(paper, there.text)
      return { paper, path, is: problems.length === 0 ? 'whole' : 'unfinished', problems }
    }
    default:
      return never(there)
  }
}

type Standing = Pick<FeatureFacts, 'name' | 'stage' | 'tasks' | 'papers' | 'accepted'> & {
  isBusy: boolean
  counts: TaskCounts | null
}

/** One command that goes on with it; null: there is nothing to do, or no paper is meant to be. */
function nextFor(standing: Standing, there: Record<FeaturePaper, PaperThere>): string | null {
  const { name, stage, tasks, papers, accepted, isBusy, counts } = standing
  const document = papers.find(({ paper }) => paper === 'tasks')
  if (document?.is === 'whole' && !accepted) return `ralph feature accept ${name}`
  if (tasks > 0 && stage === 'ready' && counts !== null) return nextOfTasks(name, counts, isBusy)
  // It is no folder's name, so nobody drafts it; what an earlier tool wrote about it is told with its tasks.
  if (paperNameProblem(name) !== null)
    return counts !== null && counts.all > 0
      ? nextOfTasks(name, counts, isBusy)
      : `ralph task add "what to do" --feature ${shellWord(name)}`
  // Its papers may be what is being written.
  if (isBusy) return LOOK
  for (const paper of FEATURE_PAPERS) {
    const one = there[paper]
    // Nobody writes it anew while it lies there; a link only its owner takes away.
    if (one.is === 'unread') return one.isLink ? null : `ralph feature reopen ${name} --from ${paper}`
  }
  return `ralph feature create ${name}`
}

/** Says what the run does that is going on, and what it wants. */
const LOOK = 'ralph status'

function nextOfTasks(name: string, counts: TaskCounts, isBusy: boolean): string | null {
  const { all, done, failed, ready, asleep, going } = counts
  if (done === all) return null
  if (isBusy) return LOOK
  if (ready + asleep + going > 0) return `ralph run ${name}`
  // A run takes no task that failed, and none that waits.
  return failed > 0 ? `ralph task list --feature ${name} --status failed` : `ralph task tree ${name}`
}
