/**
 * Asks before drafted tasks become tasks. A yes applies only to the document that was shown: if it changes in between, it is shown
 * again. Commands that an agent wrote are programs like those of settings files, so they need the same trust.
 */
import { join } from 'node:path'
import { acceptDraft } from '../../../app/feature/accept-draft.ts'
import { hasDraftErrors, readTaskDraft, type TaskDraft } from '../../../app/feature/task-draft.ts'
import { openEditor } from '../../../app/knowledge/editor.ts'
import type { StoreLocation } from '../../../app/task/task-store.ts'
import { INTERVIEW_ANSWER_MAX } from '../../../core/features/interview.ts'
import { EXIT, RalphError, type ExitCode } from '../../../core/error.ts'
import { listCheckPrograms } from '../../../core/features/list-check-commands.ts'
import { isEmptyRevision } from '../../../core/features/task-revision.ts'
import { assertNever } from '../../../core/assert-never.ts'
import type { ProjectProgram } from '../../../core/trust/trust.ts'
import { acceptedDraftScreen, taskDraftScreen } from '../../plain/screens/feature-draft.ts'
import { wrapOutputLine } from '../../plain/wrap.ts'
import { printResult, styleOf } from '../framework/print-result.ts'
import type { CommonInput } from '../framework/command.ts'
import type { Io } from '../framework/io.ts'
import { settingsOf } from '../framework/open-project.ts'
import { askText, loadPromptLibrary } from './terminal-prompts.ts'
import { askTrust } from './trust.ts'

export interface AskToAcceptDraftOptions {
  location: StoreLocation
  /** The name of the feature. */
  name: string
  input: Pick<CommonInput, 'settings'> & {
    flags: { yes: boolean; json: boolean; trust: boolean }
  }
  /** The caller can have an agent revise the draft. */
  canRevise: boolean
}

/** `mend`: the user said what to change. */
export type AcceptDraftAnswer =
  | { is: 'accepted' | 'left'; exit: ExitCode }
  | { is: 'mend'; words: string; exit: ExitCode }

export async function askToAcceptDraft(asked: AskToAcceptDraftOptions, io: Io): Promise<AcceptDraftAnswer> {
  const { location, name, input } = asked
  const { yes, json } = input.flags
  if (!yes && !json && io.asks) return askOnTerminal(asked, io)
  const drafted = await readTaskDraft(location, name)
  if (!json && (hasDraftErrors(drafted) || !isEmptyRevision(drafted.revision)))
    io.out(taskDraftScreen(drafted, styleOf(io)))
  if (!yes && !isEmptyRevision(drafted.revision) && !hasDraftErrors(drafted))
    throw new RalphError('usage', `nothing was accepted: reviewing ${drafted.path} needs a terminal`, {
      hint: `To accept it without a review: ralph feature accept ${drafted.name}${input.flags.trust ? ' --trust' : ''} --yes`,
    })
  return acceptAfterTrust(asked, drafted, io)
}

/** Repeats the question until the draft is accepted, left or sent back for revision. */
async function askOnTerminal(asked: AskToAcceptDraftOptions, io: Io): Promise<AcceptDraftAnswer> {
  const { location, name } = asked
  const { select, isCancel } = await loadPromptLibrary()
  // Print the result of the last answer right above the question: a tree may be longer than the screen.
  for (let note = ''; ;) {
    const drafted = await readTaskDraft(location, name)
    const isOver = isEmptyRevision(drafted.revision) && !hasDraftErrors(drafted)
    if (!isOver) io.out(taskDraftScreen(drafted, styleOf(io)))
    if (note !== '') io.err(`${isOver ? '' : '\n'}${wrapOutputLine(note, io.columns()).join('\n')}\n`)
    if (isOver) return acceptAfterTrust(asked, drafted, io)
    const chosen = await select({ message: 'What next?', options: optionsFor(asked, drafted) })
    if (isCancel(chosen)) return leaveUnaccepted(drafted, EXIT.interrupted, io)
    switch (chosen) {
      case 'accept': {
        const end = await unlessChanged(() => acceptAfterTrust(asked, drafted, io))
        if (typeof end !== 'string') return end
        note = end
        break
      }
      case 'edit':
        note = await edit(location.root, drafted, io)
        break
      case 'mend': {
        const words = await askWhatToRevise(drafted)
        if (words !== null) return { is: 'mend', words, exit: EXIT.done }
        note = ''
        break
      }
      case 'leave':
        return leaveUnaccepted(drafted, EXIT.done, io)
      default:
        return assertNever(chosen)
    }
  }
}

type Choice = 'accept' | 'edit' | 'mend' | 'leave'

function optionsFor(
  { canRevise }: AskToAcceptDraftOptions,
  drafted: TaskDraft,
): { value: Choice; label: string; hint?: string }[] {
  const refused = hasDraftErrors(drafted)
  return [
    ...(refused ? [] : [{ value: 'accept' as const, label: 'Accept it', hint: 'adds its tasks' }]),
    { value: 'edit', label: 'Edit it', hint: `opens ${drafted.path} in your editor` },
    ...(canRevise
      ? [{ value: 'mend' as const, label: 'Have the agent revise it', hint: 'asks you what to change' }]
      : []),
    { value: 'leave', label: 'Decide later' },
  ]
}

/** A text: the draft changed meanwhile and is shown again. */
async function unlessChanged(take: () => Promise<AcceptDraftAnswer>): Promise<AcceptDraftAnswer | string> {
  try {
    return await take()
  } catch (error) {
    if (!(error instanceof RalphError) || error.code !== 'changed-meanwhile') throw error
    return `${error.message}. Here is the new version.`
  }
}

async function acceptAfterTrust(
  asked: AskToAcceptDraftOptions,
  drafted: TaskDraft,
  io: Io,
): Promise<AcceptDraftAnswer> {
  const { location, input } = asked
  if (!hasDraftErrors(drafted)) {
    const programs = await programsOf(asked, drafted, io)
    // The calling command may be longer: the hint names only the command for the rest of the work.
    const words = [drafted.name, ...(input.flags.yes ? ['--yes'] : [])]
    const asking = { ...input, command: 'feature accept', words }
    const document = drafted.path
    const refused = await askTrust({ root: location.root, programs, document, input: asking }, io)
    if (refused !== null) return leaveUnaccepted(drafted, refused, io)
  }
  const accepted = await acceptDraft(location, drafted)
  const facts = { ...accepted, warnings: drafted.findings }
  printResult(facts, () => acceptedDraftScreen(accepted, styleOf(io)), { json: input.flags.json, io })
  return { is: 'accepted', exit: EXIT.done }
}

/** The check commands of new and changed tasks; those of the other tasks were accepted before. */
async function programsOf(
  { location, input }: AskToAcceptDraftOptions,
  drafted: TaskDraft,
  io: Io,
): Promise<ProjectProgram[]> {
  const { added, changed } = drafted.revision
  const keys = new Set([...added, ...changed.map(({ key }) => key)])
  const tasks = drafted.tasks.filter(({ key }) => keys.has(key))
  if (tasks.every(({ checks }) => checks.length === 0)) return []
  const settings = await settingsOf(location.root, input, io)
  const gates = settings.rules().gates.filter(({ cwd, env }) => cwd === '.' && Object.keys(env).length === 0)
  return listCheckPrograms(tasks, { path: drafted.path, gates })
}

/** Returns what went wrong with the editor, to be shown above the next question. */
async function edit(root: string, { path }: TaskDraft, io: Io): Promise<string> {
  try {
    await openEditor(join(root, path), path, io.env)
    return ''
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
    return `${error.message}. ${error.hint ?? ''}`
  }
}

/** Null: the user cancelled, or there is nothing to revise, so a call would be wasted. */
async function askWhatToRevise({ problems, findings }: TaskDraft): Promise<string | null> {
  const found = [...problems, ...findings.map(({ say, fix }) => `${say}. ${fix}`)]
  const said = await askText({
    message: `What should change? (Enter: ${found.length === 0 ? 'nothing' : 'fix what the validator found'})`,
    defaultValue: '',
    max: INTERVIEW_ANSWER_MAX,
  })
  if (said === null) return null
  const words = said.trim() === '' ? found.join('\n') : said.trim()
  return words === '' ? null : words
}

function leaveUnaccepted({ name, path }: TaskDraft, exit: ExitCode, io: Io): AcceptDraftAnswer {
  io.out(`Nothing was accepted. The draft is in ${path}.\nAccept it later: ralph feature accept ${name}\n`)
  return { is: 'left', exit }
}
