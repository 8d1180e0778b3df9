/** `ralph feature delete`: shows what goes, asks, and deletes just that. */
import { deleteFeature, type DeletedFeature } from '../../../../app/feature/delete.ts'
import { RalphError } from '../../../../core/error.ts'
import { removalText } from '../../../plain/screens/feature.ts'
import { shown } from '../../../tui/text-width.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { FEATURE_DELETE } from '../../table/feature-documents.ts'
import { confirmLoss } from '../task/confirm.ts'
import { storeLocationOf } from '../task/task-io.ts'

export const run: CommandCode<typeof FEATURE_DELETE> = async (input, io) => {
  const { unblock, yes, json } = input.flags
  const location = storeLocationOf(io)
  let tried = await deleteFeature(location, input.args.feature, {
    unblock,
    confirmed: yes ? 'anything' : 'harmless',
  })
  if (!tried.applied) {
    const { backup: _, ...would } = tried.what
    const told = removalText(would, 'would be')
    const end = await confirmLoss({ told, question: 'Delete?', line: input.typed }, { io, json })
    if (end !== null) return end
    tried = await deleteFeature(location, would.name, { unblock, confirmed: { to: would } })
    if (!tried.applied)
      throw new RalphError('changed-meanwhile', `${would.name} changed meanwhile; nothing was deleted`, {
        hint: `Look again: ralph feature show ${would.name}`,
      })
  }
  const done = tried.what
  return answer(done, () => screen(done), { json, io })
}

function screen(done: DeletedFeature): string {
  const { backup, archived } = done
  return `${[
    removalText(done, 'is'),
    ...(archived.length === 0 ? [] : ['What was worked on keeps its log: ralph task list --archived']),
    ...(backup === null ? [] : [`Its papers are kept: ${shown(backup)}`]),
  ].join('\n')}\n`
}
