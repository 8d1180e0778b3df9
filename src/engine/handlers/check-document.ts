/** After a turn of a draft: what the agent said is written down, and the document, or all files of an import, that it was to write are checked. */
import { isUntouchedTemplate } from '../../core/plan/untouched-template.ts'
import type { EffectOf } from '../../core/state/effect.ts'
import type { DocumentKind } from '../../core/features/documents.ts'
import { findDocument, saveEntry, revertDraftFolder, type FoundDocument } from '../../workspace/draft-documents.ts'
import { importProblem } from '../../workspace/imported-files.ts'
import { draftCopyFolders } from '../../workspace/log-folders.ts'
import type { Handler } from '../runtime/handler.ts'
import { type WorkerWorld, transcriptMark } from '../handler-world.ts'

export function checkDocumentHandler(world: WorkerWorld): Handler<EffectOf<'check-document'>> {
  const { root } = world.project
  return {
    async perform({ worker, id: effect, iteration, document, folder, said, first, cut, from = [] }, put) {
      const isHeard = first === undefined && cut === undefined
      // Of a turn whose end nobody heard it is not known who took something away.
      const { back, instead } = isHeard
        ? revertDraftFolder(root, folder, { ...draftCopyFolders(world, worker, iteration), from })
        : { back: [], instead: null }
      const text = said === '' ? '(It said nothing.)' : world.mask.text(said)
      if (isHeard) saveEntry(root, folder, { by: 'agent', mark: transcriptMark(world, iteration), text })
      const find = (one: DocumentKind): FoundDocument => findDocument(root, folder, one, isUntouchedTemplate)
      const { there, bytes, problems } = find(document)
      const gone = from.find((one) => !find(one).there)
      put({
        type: 'document-checked',
        worker,
        effect,
        document,
        ...(first === undefined ? {} : { first }),
        there,
        bytes,
        problems: problems.map((problem) => world.mask.text(problem)),
        ...(back.length === 0 ? {} : { back }),
        ...(instead === null ? {} : { instead }),
        ...(gone === undefined ? {} : { gone }),
      })
    },
    // What stands there already is not written twice.
    recoverAnswer: async () => ({ is: 'not-begun' }),
  }
}

export const checkImportHandler: Handler<EffectOf<'check-import'>> = {
  async perform({ worker, id: effect, folder }, put) {
    put({ type: 'import-checked', worker, effect, problem: importProblem(folder) })
  },
  recoverAnswer: async () => ({ is: 'not-begun' }),
}
