/** A drafted task file for a decision: its tree, the validator's findings, the commands it would run, and what accepting it changes. */
import type { TaskDraft } from '../../../app/feature/task-draft.ts'
import type { AcceptDraftResult } from '../../../app/feature/accept-draft.ts'
import type { TaskFileProblem } from '../../../core/features/validate-draft-tasks.ts'
import type { DraftTask } from '../../../core/features/task-file.ts'
import { draftTaskTree } from '../../../core/features/draft-tree.ts'
import {
  listCheckCommands,
  formatKeyList,
  listTestGlobs,
  type TaskMention,
} from '../../../core/features/list-check-commands.ts'
import type { RevisedTask } from '../../../core/features/task-revision.ts'
import { describeTask } from '../../../core/tasks/task-text.ts'
import { escapeInvisible } from '../../../core/text/sanitize.ts'
import { plural } from '../format-values.ts'
import type { Paint } from '../colours.ts'
import { wrapPainted } from '../wrap.ts'
import { toPrintable } from '../../tui/text-width.ts'
import { derivedChangeLines, treePrefixes, truncateText, type TerminalStyle } from './task-lines.ts'

export function taskDraftScreen(drafted: TaskDraft, style: TerminalStyle): string {
  const { p } = style
  const { tasks, path, problems } = drafted
  return `${[
    `${p.bold(toPrintable(drafted.name))}  ${tasks.length === 0 ? '' : `${plural(tasks.length, 'task')} in `}${toPrintable(path)}`,
    ...(tasks.length === 0 ? [] : ['', ...treeLines(drafted, style)]),
    ...part(
      'Invalid',
      problems.map((problem) => `${p.bad('✗')} ${escapeInvisible(problem)}`),
      style,
    ),
    ...part(
      'Warnings',
      drafted.findings.map((finding) => findingLine(finding, p)),
      style,
    ),
    ...part('Checks (Ralph runs them with your permissions)', namedLines(listCheckCommands(tasks), p), style),
    ...part('Tests these tasks may change', namedLines(listTestGlobs(tasks), p), style),
    ...(drafted.wasAccepted ? part('Changes since it was accepted', revisionLines(drafted), style) : []),
  ].join('\n')}\n`
}

function part(title: string, lines: string[], { p, width }: TerminalStyle): string[] {
  if (lines.length === 0) return []
  return ['', p.bold(title), ...lines.flatMap((line) => wrapPainted(`  ${line}`, { columns: width, indent: 4 }))]
}

function findingLine({ level, say, fix }: TaskFileProblem, p: Paint): string {
  const mark = level === 'error' ? p.bad('✗') : p.warn('!')
  return `${mark} ${escapeInvisible(say)}. ${p.dim(escapeInvisible(fix))}`
}

/** Not shortened: a person must see the complete command. */
function namedLines(named: TaskMention[], p: Paint): string[] {
  return named.map(({ what, by }) => `${escapeInvisible(what)}  ${p.dim(`(${escapeInvisible(formatKeyList(by))})`)}`)
}

function revisionLines({ revision, waiting }: TaskDraft): string[] {
  const { added, changed, gone, stays, deleted } = revision
  const titles = (tasks: RevisedTask[]): string => tasks.map(({ key }) => escapeInvisible(key)).join(', ')
  const rows: [string, string][] = [
    ['new', added.map(escapeInvisible).join(', ')],
    ['changed', titles(changed)],
    ['removed from the file; will be deleted', titles(gone)],
    [
      'tasks that will no longer wait for deleted ones',
      waiting.map(({ id, title }) => toPrintable(describeTask({ task: id, title }))).join(', '),
    ],
    ['unchanged, because they are done or have finished children', titles(stays)],
    ['deleted by a person; not created again', deleted.map(escapeInvisible).join(', ')],
  ]
  const told = rows.filter(([, keys]) => keys !== '').map(([what, keys]) => `${what}: ${keys}`)
  return told.length === 0 ? ['nothing'] : told
}

function treeLines({ tasks, revision, wasAccepted }: TaskDraft, style: TerminalStyle): string[] {
  const { p } = style
  const tree = draftTaskTree(tasks)
  const marks = new Map([
    ...(wasAccepted ? revision.added : []).map((key): [string, string] => [key, 'new']),
    ...revision.deleted.map((key): [string, string] => [key, 'deleted']),
    ...revision.changed.map(({ key }): [string, string] => [key, 'changed']),
    ...revision.stays.map(({ key }): [string, string] => [key, 'stays']),
  ])
  const branches = treePrefixes(tree.map(({ depth, last }) => ({ depth, isLast: last })))
  return tree.flatMap(({ task }, index) => {
    const { before = '', below = '' } = branches[index] ?? {}
    return [
      headLine(task, { before, mark: marks.get(task.key) ?? null }, style),
      ...detailsOf(task).map((line) => p.dim(`${below}${truncateText(line, style.width - below.length)}`)),
    ]
  })
}

function headLine(
  task: DraftTask,
  { before, mark }: { before: string; mark: string | null },
  { p, width }: TerminalStyle,
): string {
  const word = mark === null ? '' : ` [${mark}]`
  const key = escapeInvisible(task.key)
  const room = width - before.length - key.length - word.length - 2
  return `${p.dim(before)}${p.bold(key)}${p.warn(word)}  ${truncateText(toPrintable(task.title), room)}`
}

function detailsOf({ after, files, checks, criteria }: DraftTask): string[] {
  const rows: [string, string[]][] = [
    ['after', after],
    ['files', files],
    ['check', checks],
    ['criterion', criteria],
  ]
  return rows.flatMap(([name, said]) => (said.length === 0 ? [] : [`${name} ${said.map(escapeInvisible).join(' · ')}`]))
}

export function acceptedDraftScreen(accepted: AcceptDraftResult, { p }: TerminalStyle): string {
  const { feature, added, changed, gone, stays, deleted, released, changes } = accepted
  const told = [
    added.length > 0 ? `${plural(added.length, 'task')} added` : null,
    changed.length > 0 ? `${changed.length} changed` : null,
    gone.length > 0 ? `${gone.length} deleted` : null,
  ].filter((words) => words !== null)
  const head =
    told.length === 0 ? `Nothing changed: ${toPrintable(feature.name)} was already accepted.` : `${told.join(', ')}.`
  return `${[
    head,
    ...stays.map(({ task, title }) => p.dim(`  ${toPrintable(describeTask({ task, title }))} is unchanged`)),
    ...deleted.map((key) => p.dim(`  ${escapeInvisible(key)} was deleted by a person and is not created again`)),
    ...released.map(({ id, title }) =>
      p.dim(`  ${toPrintable(describeTask({ task: id, title }))} no longer waits for a deleted task`),
    ),
    ...derivedChangeLines(changes, p),
    p.dim(`See them: ralph task tree ${feature.name}. Run them: ralph run ${feature.name}`),
  ].join('\n')}\n`
}
