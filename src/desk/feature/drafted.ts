/** The document of a feature as it lies there to be accepted: what it says, what the critic finds, and what accepting it would change. */
import { RalphError } from '../../domain/error.ts'
import { criticise, isError, type Criticism } from '../../domain/feature/critic.ts'
import { readTasksDocument, type DraftTask } from '../../domain/feature/document.ts'
import { paperNameProblem } from '../../domain/feature/name.ts'
import { rekeyed, revise, type RevisedTask, type Revision } from '../../domain/feature/revise.ts'
import { never } from '../../domain/machine.ts'
import type { Feature } from '../../domain/task/task.ts'
import type { TaskName } from '../../domain/task/transition.ts'
import { clip, visible } from '../../domain/text/text.ts'
import { hashText } from '../../system/files/files.ts'
import type { Sql } from '../../store/db/sql.ts'
import { acceptedTasks, findFeature } from '../../store/task/features.ts'
import { edgesOf, nodesOf } from '../../store/task/rows.ts'
import { foldersOfPapers, INSTEAD_OF_LINK, readPaper } from '../../workspace/feature-papers.ts'
import { featureIn } from '../task/scope.ts'
import { lookAt, type TaskPlace } from '../task/task-store.ts'
import { withoutParents } from './revise-tasks.ts'

export interface Drafted {
  /** The feature's name. */
  name: string
  /** Of the document, in the project. */
  path: string
  /** Of its text as it was read: what is accepted is what was shown. */
  digest: string
  tasks: DraftTask[]
  /** Why it cannot be read as a document; then nothing else is known. */
  problems: string[]
  findings: Criticism[]
  /** Against what was accepted before; all of it is new where nothing was. */
  revision: Revision
  /** Tasks of others that wait for one that would be deleted. */
  waiting: TaskName[]
  /** Something was accepted before. */
  wasAccepted: boolean
}

/** By the feature's name or id. Throws where there is no document. */
export async function readDrafted(place: TaskPlace, said: string): Promise<Drafted> {
  return lookAt(
    place,
    async (sql) => draftedIn(sql, place.root, await nameFor(sql, said)),
    () => documentOf(place.root, said, NOTHING_ACCEPTED),
  )
}

export async function draftedIn(sql: Sql, root: string, name: string): Promise<Drafted> {
  const feature = await findFeature(sql, name)
  if (feature === null) return documentOf(root, name, NOTHING_ACCEPTED)
  const drafted = documentOf(root, name, await acceptedBefore(sql, feature))
  const revision = await withoutParents(sql, drafted.revision)
  return { ...drafted, revision, waiting: await waitingFor(sql, revision.gone, feature) }
}

async function waitingFor(sql: Sql, gone: RevisedTask[], { id }: Feature): Promise<TaskName[]> {
  const edges = await edgesOf(
    sql,
    'blocker',
    gone.map(({ task }) => task),
  )
  const own = new Set((await acceptedTasks(sql, id)).map(({ task }) => task))
  const others = await nodesOf(
    sql,
    edges.map(({ blocked }) => blocked).filter((blocked) => !own.has(blocked)),
  )
  return [...others.values()].map((node) => ({ id: node.id, title: node.title }))
}

/** Errors of the critic, or problems of the document: it cannot be accepted. */
export function isRefused({ problems, findings }: Drafted): boolean {
  return problems.length > 0 || findings.some(isError)
}

async function nameFor(sql: Sql, said: string): Promise<string> {
  const found = await findFeature(sql, said)
  // Ids as everywhere; no feature is called like one.
  return found === null && said.startsWith('f-') ? (await featureIn(sql, said)).name : (found?.name ?? said)
}

interface AcceptedBefore {
  digest: string | null
  reviseTo: (tasks: DraftTask[]) => Revision
}

const NOTHING_ACCEPTED: AcceptedBefore = {
  digest: null,
  reviseTo: (tasks) => revise(tasks, [], new Map()),
}

async function acceptedBefore(sql: Sql, { id, accepted }: Feature): Promise<AcceptedBefore> {
  const before = await acceptedTasks(sql, id)
  const now = await nodesOf(
    sql,
    before.map(({ task }) => task),
  )
  return { digest: accepted, reviseTo: (tasks) => revise(tasks, rekeyed(tasks, before), now) }
}

function documentOf(root: string, name: string, { digest, reviseTo }: AcceptedBefore): Drafted {
  const { path, text } = documentText(root, name)
  const { tasks, problems } = readTasksDocument(text)
  return {
    name,
    path,
    digest: hashText(text),
    tasks,
    problems,
    findings: problems.length > 0 ? [] : criticise(tasks),
    revision: reviseTo(problems.length > 0 ? [] : tasks),
    waiting: [],
    wasAccepted: digest !== null,
  }
}

function documentText(root: string, name: string): { path: string; text: string } {
  refuseName(name)
  refuseTwin(root, name)
  const paper = readPaper(root, name, 'tasks')
  switch (paper.is) {
    case 'read':
      return paper
    case 'missing':
      throw new RalphError(
        'not-found',
        `feature ${name} has no document of tasks: ${paper.path} is not there`,
        {
          // Where nothing lies nobody has said yet what it is to be.
          hint: `Have it drafted: ralph feature create ${name}${foldersOfPapers(root).includes(name) ? '' : ' "what I want"'}`,
        },
      )
    case 'unread':
      throw new RalphError('bad-file', `${paper.path} cannot be read: ${paper.why}`, {
        hint: paper.isLink
          ? INSTEAD_OF_LINK
          : `Mend it, or have it drafted again: ralph feature reopen ${name} --from tasks`,
      })
    default:
      return never(paper)
  }
}

/** For whoever makes or reads papers: such a name would be no folder of its own. */
export function refuseName(name: string): void {
  const problem = paperNameProblem(name)
  if (problem === null) return
  throw new RalphError('usage', `"${visible(clip(name, 60))}" cannot be a feature with papers: ${problem}`, {
    hint: 'Like this: ralph feature create photo-names',
  })
}

/** Two names that differ in capitals alone are one folder on many disks: there, the papers of one would become tasks of both. */
export function refuseTwin(root: string, name: string): void {
  const folders = foldersOfPapers(root)
  const twin = folders.find((other) => other.toLowerCase() === name.toLowerCase())
  if (twin === undefined || folders.includes(name)) return
  throw new RalphError(
    'usage',
    `"${name}" cannot be a feature beside ${twin}: not every disk tells their folders apart`,
    { hint: `Did you mean ${twin}? Otherwise choose a name that differs in more than capitals.` },
  )
}
