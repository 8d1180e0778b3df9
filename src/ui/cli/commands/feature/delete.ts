/** `ralph feature delete`: shows what goes, asks, and deletes just that. */
import { deleteFeature, type DeletedFeature } from '../../../../desk/feature/delete.ts'
import { RalphError } from '../../../../domain/error.ts'
import { removalWords } from '../../../plain/screens/feature.ts'
import { shown } from '../../../tui/width.ts'
import { answer } from '../../frame/answer.ts'
import type { Code } from '../../frame/command.ts'
import type { FEATURE_DELETE } from '../../table/feature-papers.ts'
import { askFirst } from '../task/agree.ts'
import { placeOf } from '../task/place.ts'

export const run: Code<typeof FEATURE_DELETE> = async (input, io) => {
  const { unblock, yes, json } = input.flags
  const place = placeOf(io)
  let tried = await deleteFeature(place, input.args.feature, {
    unblock,
    agreed: yes ? 'anything' : 'harmless',
  })
  if (!tried.kept) {
    const { backup: _, ...would } = tried.what
    const told = removalWords(would, 'would be')
    const end = await askFirst({ told, question: 'Delete?', line: input.typed }, { io, json })
    if (end !== null) return end
    tried = await deleteFeature(place, would.name, { unblock, agreed: { to: would } })
    if (!tried.kept)
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
    removalWords(done, 'is'),
    ...(archived.length === 0 ? [] : ['What was worked on keeps its log: ralph task list --archived']),
    ...(backup === null ? [] : [`Its papers are kept: ${shown(backup)}`]),
  ].join('\n')}\n`
}
