/** After a turn of a draft: what the agent said is written down, and the paper it was to write is looked at. */
import { isUntouchedTemplate } from '../../domain/plan/untouched-template.ts'
import type { EffectOf } from '../../domain/state/effect.ts'
import type { PaperKind } from '../../domain/feature/paper.ts'
import { findPaper, keepSaid, putBackFolder, type PaperFound } from '../../workspace/draft-files.ts'
import { papersOf } from '../../workspace/log-folders.ts'
import type { Handler } from '../circle/handler.ts'
import { type Here, saidMark } from '../world.ts'

export function takePaperHandler(world: Here): Handler<EffectOf<'take-paper'>> {
  const { root } = world.project
  return {
    async perform({ worker, id: effect, iteration, paper, folder, said, first, cut, from = [] }, put) {
      const isHeard = first === undefined && cut === undefined
      // Of a turn whose end nobody heard it is not known who took something away.
      const { back, instead } = isHeard
        ? putBackFolder(root, folder, { ...papersOf(world, worker, iteration), from })
        : { back: [], instead: null }
      const text = said === '' ? '(It said nothing.)' : world.mask.text(said)
      if (isHeard) keepSaid(root, folder, { by: 'agent', mark: saidMark(world, iteration), text })
      const find = (one: PaperKind): PaperFound => findPaper(root, folder, one, isUntouchedTemplate)
      const { there, bytes, problems } = find(paper)
      const gone = from.find((one) => !find(one).there)
      put({
        type: 'paper-taken',
        worker,
        effect,
        paper,
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
    inquire: async () => ({ is: 'not-begun' }),
  }
}
