/** A drafted document as a person judges it: its tree, what the critic finds, what would be run, and what accepting it would change. */
import type { Drafted } from '../../../desk/feature/drafted.ts'
import type { Accepted } from '../../../desk/feature/accept.ts'
import type { Criticism } from '../../../domain/feature/critic.ts'
import type { DraftTask } from '../../../domain/feature/document.ts'
import { draftTree, type TreeDraft } from '../../../domain/feature/draft-tree.ts'
import { checksIn, keyWords, testsIn, type NamedBy } from '../../../domain/feature/programs.ts'
import type { RevisedTask } from '../../../domain/feature/revise.ts'
import { nameTask } from '../../../domain/task/words.ts'
import { visible } from '../../../domain/text/text.ts'
import { count } from '../format.ts'
import type { Paint } from '../paint.ts'
import { hangingPainted } from '../wrap.ts'
import { shown } from '../../tui/width.ts'
import { changeLines, cut, type Wide } from './task-lines.ts'

export function draftedScreen(drafted: Drafted, look: Wide): string {
  const { p } = look
  const { tasks, path, problems } = drafted
  return `${[
    `${p.bold(shown(drafted.name))}  ${tasks.length === 0 ? '' : `${count(tasks.length, 'task')} in `}${shown(path)}`,
    ...(tasks.length === 0 ? [] : ['', ...treeLines(drafted, look)]),
    ...part(
      'Cannot be read as it is',
      problems.map((problem) => `${p.bad('✗')} ${visible(problem)}`),
      look,
    ),
    ...part(
      'The critic says',
      drafted.findings.map((finding) => findingLine(finding, p)),
      look,
    ),
    ...part('Would be run as checks, with your rights', namedLines(checksIn(tasks), p), look),
    ...part('Tests that they may change', namedLines(testsIn(tasks), p), look),
    ...(drafted.wasAccepted ? part('Since it was accepted', revisionLines(drafted), look) : []),
  ].join('\n')}\n`
}

function part(title: string, lines: string[], { p, width }: Wide): string[] {
  if (lines.length === 0) return []
  return [
    '',
    p.bold(title),
    ...lines.flatMap((line) => hangingPainted(`  ${line}`, { columns: width, indent: 4 })),
  ]
}

function findingLine({ level, say, cure }: Criticism, p: Paint): string {
  const mark = level === 'error' ? p.bad('✗') : p.warn('!')
  return `${mark} ${visible(say)}. ${p.dim(visible(cure))}`
}

/** Whole: a command that is judged must be seen to its end. */
function namedLines(named: NamedBy[], p: Paint): string[] {
  return named.map(({ what, by }) => `${visible(what)}  ${p.dim(`(${visible(keyWords(by))})`)}`)
}

function revisionLines({ revision, waiting }: Drafted): string[] {
  const { added, changed, gone, stays, deleted } = revision
  const titles = (tasks: RevisedTask[]): string => tasks.map(({ key }) => visible(key)).join(', ')
  const rows: [string, string][] = [
    ['new', added.map(visible).join(', ')],
    ['changed', titles(changed)],
    ['no longer there, would be deleted', titles(gone)],
    [
      'would wait for these no longer',
      waiting.map(({ id, title }) => shown(nameTask({ task: id, title }))).join(', '),
    ],
    ['done, or with such below it, stays as it is', titles(stays)],
    ['deleted by somebody, not made again', deleted.map(visible).join(', ')],
  ]
  const told = rows.filter(([, keys]) => keys !== '').map(([what, keys]) => `${what}: ${keys}`)
  return told.length === 0 ? ['nothing'] : told
}

/** Only from the second level on there are branches: the first one has no trunk. */
function treeLines({ tasks, revision, wasAccepted }: Drafted, look: Wide): string[] {
  const { p } = look
  const tree = draftTree(tasks)
  const marks = new Map([
    ...(wasAccepted ? revision.added : []).map((key): [string, string] => [key, 'new']),
    ...revision.deleted.map((key): [string, string] => [key, 'deleted']),
    ...revision.changed.map(({ key }): [string, string] => [key, 'changed']),
    ...revision.stays.map(({ key }): [string, string] => [key, 'stays']),
  ])
  /** By level: whether more comes below it. */
  const open: boolean[] = []
  return tree.flatMap(({ task, depth, last }, i) => {
    const trunk = open.slice(1, depth).map((more) => (more ? '│  ' : '   '))
    const branch = depth === 0 ? '' : last ? '└─ ' : '├─ '
    open[depth] = !last
    const under = depth === 0 ? '' : last ? '   ' : '│  '
    const hasBelow = (tree[i + 1]?.depth ?? 0) > depth
    const below = `${trunk.join('')}${under}${hasBelow ? '│  ' : '   '}`
    const before = `${trunk.join('')}${branch}`
    return [
      headLine({ task, depth, last }, { before, mark: marks.get(task.key) ?? null }, look),
      ...detailsOf(task).map((line) => p.dim(`${below}${cut(line, look.width - below.length)}`)),
    ]
  })
}

function headLine(
  { task }: TreeDraft,
  { before, mark }: { before: string; mark: string | null },
  { p, width }: Wide,
): string {
  const word = mark === null ? '' : ` [${mark}]`
  const key = visible(task.key)
  const room = width - before.length - key.length - word.length - 2
  return `${p.dim(before)}${p.bold(key)}${p.warn(word)}  ${cut(shown(task.title), room)}`
}

function detailsOf({ after, files, checks, criteria }: DraftTask): string[] {
  const rows: [string, string[]][] = [
    ['after', after],
    ['files', files],
    ['check', checks],
    ['criterion', criteria],
  ]
  return rows.flatMap(([name, said]) =>
    said.length === 0 ? [] : [`${name} ${said.map(visible).join(' · ')}`],
  )
}

export function acceptedScreen(accepted: Accepted, { p }: Wide): string {
  const { feature, added, changed, gone, stays, deleted, released, changes } = accepted
  const told = [
    added.length > 0 ? `${count(added.length, 'task')} added` : null,
    changed.length > 0 ? `${changed.length} changed` : null,
    gone.length > 0 ? `${gone.length} deleted` : null,
  ].filter((words) => words !== null)
  const head =
    told.length === 0 ? `Nothing is new: ${shown(feature.name)} was accepted before.` : `${told.join(', ')}.`
  return `${[
    head,
    ...stays.map(({ task, title }) => p.dim(`  ${shown(nameTask({ task, title }))} stays as it is`)),
    ...deleted.map((key) => p.dim(`  ${visible(key)} was deleted by somebody, and is not made again`)),
    ...released.map(({ id, title }) =>
      p.dim(`  ${shown(nameTask({ task: id, title }))} waits for it no longer`),
    ),
    ...changeLines(changes, p),
    p.dim(`See them: ralph task tree ${feature.name}. Have them done: ralph run ${feature.name}`),
  ].join('\n')}\n`
}
