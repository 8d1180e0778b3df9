/**
 * `ralph complete`: called by the completion scripts. Each word has a `+` in front, so that none is parsed as a flag.
 * Prints one candidate per line, `value<tab>description`; `:files` means: complete a file name.
 */
import { findProject } from '../../../../config/find-project.ts'
import { EXIT } from '../../../../core/error.ts'
import { oneLine } from '../../../../core/text/sanitize.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { COMPLETE } from '../../command-table/setup-commands.ts'
import { completionsFor, type CompletionCandidate, type ListedIds } from '../../framework/completions.ts'
import type { Io } from '../../framework/io.ts'
import { homeOf } from '../../framework/project-root.ts'

const ABOUT_MAX = 80

export const run: CommandHandler<typeof COMPLETE> = async (input, io) => {
  const words = input.args.words.map((word) => word.replace(/^\+/, ''))
  const offered = completionsFor(words)
  if (offered.is === 'files') {
    io.out(':files\n')
    return EXIT.done
  }
  const typed = words.at(-1) ?? ''
  const candidates = offered.is === 'words' ? offered.words : await idsFrom(offered.is, typed, io)
  io.out(candidates.map(({ value, about }) => `${value}\t${oneLine(about, ABOUT_MAX)}\n`).join(''))
  return EXIT.done
}

async function idsFrom(of: ListedIds, typed: string, io: Io): Promise<CompletionCandidate[]> {
  const { root, kind } = findProject(io.cwd, { home: homeOf(io) })
  if (kind === 'none' || kind === 'flat') return []
  const found = await OFFERED[of](root)
  return found.filter(({ value }) => value.startsWith(typed))
}

const OFFERED: Record<ListedIds, (root: string) => Promise<CompletionCandidate[]>> = {
  runs: runsIn,
  tasks: (root) => tasksIn(root, 'all'),
  'open-tasks': (root) => tasksIn(root, 'open'),
  features: featuresIn,
  work: async (root) => [...(await featuresIn(root)), ...(await tasksIn(root, 'open'))],
}

async function runsIn(root: string): Promise<CompletionCandidate[]> {
  const { recentRuns } = await import('../../../../app/run/recent-runs.ts')
  return (await recentRuns(root)).map(({ id, about }) => ({ value: id, about }))
}

async function tasksIn(root: string, which: 'open' | 'all'): Promise<CompletionCandidate[]> {
  const { listTaskChoices } = await import('../../../../app/task/list-task-choices.ts')
  const tasks = await listTaskChoices({ root, notice: () => {} }, which)
  return tasks.map(({ id, title }) => ({ value: id, about: title }))
}

async function featuresIn(root: string): Promise<CompletionCandidate[]> {
  const { listFeatureFacts } = await import('../../../../app/feature/features.ts')
  return (await listFeatureFacts({ root, notice: () => {} })).map(({ name, status }) => ({
    value: name,
    about: status,
  }))
}
