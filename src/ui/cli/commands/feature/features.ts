/** `ralph feature list`, `show`, `accept`, `delete` and `reopen`: manage features and their documents. */
import { deleteFeature, type DeletedFeature } from '../../../../app/feature/delete.ts'
import { loadFeatureFacts, listFeatureFacts, type FeatureFacts } from '../../../../app/feature/features.ts'
import { reopenFeature, type ReopenResult } from '../../../../app/feature/reopen.ts'
import { readTaskDraft, type TaskDraft } from '../../../../app/feature/task-draft.ts'
import type { StoreLocation } from '../../../../app/task/task-store.ts'
import { RalphError } from '../../../../core/error.ts'
import { plural } from '../../../plain/format-values.ts'
import { taskDraftScreen } from '../../../plain/screens/feature-draft.ts'
import { featureLines, featureScreen, NO_FEATURES_TEXT, featureRemovalText } from '../../../plain/screens/feature.ts'
import { toPrintable } from '../../../tui/text-width.ts'
import { askToAcceptDraft } from '../../asking/accept-draft.ts'
import type { CommandHandler } from '../../framework/command.ts'
import { printResult, createPrintCommand } from '../../framework/print-result.ts'
import type {
  FEATURE_ACCEPT,
  FEATURE_DELETE,
  FEATURE_LIST,
  FEATURE_REOPEN,
  FEATURE_SHOW,
} from '../../command-table/feature-verbs.ts'
import { confirmDeletion } from '../confirm-deletion.ts'
import { storeLocationOf } from '../../framework/project-root.ts'

export const list: CommandHandler<typeof FEATURE_LIST> = createPrintCommand(
  (_input, io) => listFeatureFacts(storeLocationOf(io)),
  (features, style) => (features.length === 0 ? NO_FEATURES_TEXT : featureLines(features, style)),
)

/** Shows one feature in detail, with its draft if that is not accepted yet. */
export const show: CommandHandler<typeof FEATURE_SHOW> = createPrintCommand(
  async ({ args }, io) => {
    const location = storeLocationOf(io)
    const feature = await loadFeatureFacts(location, args.feature)
    return { ...feature, draft: await draftOf(location, feature) }
  },
  ({ draft, ...feature }, style) =>
    `${featureScreen(feature, style)}${draft === null ? '' : `\n${taskDraftScreen(draft, style)}`}`,
)

/** Null: there is no readable draft, or it is already accepted. */
async function draftOf(
  location: StoreLocation,
  { name, documents, accepted }: FeatureFacts,
): Promise<TaskDraft | null> {
  const document = documents.find(({ document }) => document === 'tasks')
  const isRead = document?.is === 'whole' || document?.is === 'unfinished'
  return isRead && !accepted ? readTaskDraft(location, name) : null
}

/** Reviews the drafted tasks and adds them. */
export const accept: CommandHandler<typeof FEATURE_ACCEPT> = async (input, io) => {
  const end = await askToAcceptDraft(
    { location: storeLocationOf(io), name: input.args.feature, input, canRevise: false },
    io,
  )
  return end.exit
}

/** Shows what will be deleted, asks, and deletes exactly that. */
export const remove: CommandHandler<typeof FEATURE_DELETE> = async (input, io) => {
  const { unblock, yes, json } = input.flags
  const location = storeLocationOf(io)
  let tried = await deleteFeature(location, input.args.feature, { unblock, confirmed: yes ? 'anything' : 'harmless' })
  if (!tried.applied) {
    const { backup: _, ...would } = tried.what
    const told = featureRemovalText(would, 'would be')
    const end = await confirmDeletion({ told, question: 'Delete?', line: input.typed }, { io, json })
    if (end !== null) return end
    tried = await deleteFeature(location, would.name, { unblock, confirmed: { to: would } })
    if (!tried.applied)
      throw new RalphError('changed-meanwhile', `${would.name} changed before you confirmed; nothing was deleted`, {
        hint: `See what changed: ralph feature show ${would.name}`,
      })
  }
  const done = tried.what
  return printResult(done, () => deletedText(done), { json, io })
}

function deletedText(done: DeletedFeature): string {
  const { backup, archived } = done
  return `${[
    featureRemovalText(done, 'is'),
    ...(archived.length === 0 ? [] : ['Tasks with a history are archived: ralph task list --archived']),
    ...(backup === null ? [] : [`Its documents were moved to ${toPrintable(backup)}`]),
  ].join('\n')}\n`
}

/** Makes the feature a draft again. */
export const reopen: CommandHandler<typeof FEATURE_REOPEN> = createPrintCommand(
  ({ args, flags }, io) => reopenFeature(storeLocationOf(io), args.feature, flags.from),
  reopenedText,
)

function reopenedText({ name, set_aside, tasks, done }: ReopenResult): string {
  const stay =
    tasks === 0
      ? []
      : [`Its ${plural(tasks, 'task')} (${done} done) ${tasks === 1 ? 'stays' : 'stay'} until you accept a new draft.`]
  return `${[
    `Feature ${toPrintable(name)} is a draft again.`,
    ...set_aside.map(({ from, to }) => `  ${toPrintable(from)} was saved as ${toPrintable(to)}`),
    ...stay,
    `Next: ralph feature create ${toPrintable(name)}`,
  ].join('\n')}\n`
}
