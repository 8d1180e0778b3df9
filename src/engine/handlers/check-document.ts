/** After a turn of a draft: saves the agent's message and checks the document. After an import: checks its files. */
import { isUntouchedTemplate } from '../../core/plan/untouched-template.ts'
import type { EffectOf } from '../../core/state/effect.ts'
import type { DocumentKind } from '../../core/features/documents.ts'
import {
  checkDraftDocument,
  saveInterviewEntry,
  revertDraftFolder,
  type DocumentCheckResult,
} from '../../workspace/draft-documents.ts'
import { importProblem } from '../../workspace/imported-files.ts'
import { draftCopyFolders } from '../../workspace/log-folders.ts'
import type { Handler } from '../runtime/handler.ts'
import { type WorkerContext, transcriptMark } from '../handler-context.ts'

export function checkDocumentHandler(world: WorkerContext): Handler<EffectOf<'check-document'>> {
  const { root } = world.project
  return {
    async perform({ worker, id: effect, iteration, document, folder, said, first, cut, from = [] }, put) {
      const isHeard = first === undefined && cut === undefined
      // After an interrupted turn it is unknown who removed something.
      const { back, instead } = isHeard
        ? revertDraftFolder(root, folder, { ...draftCopyFolders(world, worker, iteration), from })
        : { back: [], instead: null }
      const text = said === '' ? '(It said nothing.)' : world.mask.text(said)
      if (isHeard) saveInterviewEntry(root, folder, { by: 'agent', mark: transcriptMark(world, iteration), text })
      const find = (one: DocumentKind): DocumentCheckResult =>
        checkDraftDocument(root, folder, one, isUntouchedTemplate)
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
    // Entries that exist are not written twice.
    recoverAnswer: async () => ({ is: 'not-begun' }),
  }
}

export const checkImportHandler: Handler<EffectOf<'check-import'>> = {
  async perform({ worker, id: effect, folder }, put) {
    put({ type: 'import-checked', worker, effect, problem: importProblem(folder) })
  },
  recoverAnswer: async () => ({ is: 'not-begun' }),
}
