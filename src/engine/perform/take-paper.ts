/** After a turn of a draft: what the agent said is written down, and the paper it was to write is looked at. */
import { isUntouchedTemplate } from '../../compat/bash/untouched-template.ts'
import type { EffectOf } from '../../domain/run/effect.ts'
import { findPaper, keepSaid, putBackFolder } from '../../workspace/draft-files.ts'
import { papersBefore } from '../../workspace/log-folders.ts'
import type { Handler } from '../circle/handler.ts'
import { type Here, saidMark } from '../world.ts'

export function takePaperHandler(world: Here): Handler<EffectOf<'take-paper'>> {
  const { root } = world.project
  return {
    async perform({ worker, id: effect, iteration, paper, folder, said, first }, put) {
      // Of a turn whose end nobody heard it is not known who took something away.
      const back = said === '' ? [] : putBackFolder(root, folder, papersBefore(world, worker, iteration))
      if (said !== '')
        keepSaid(root, folder, { by: 'agent', mark: saidMark(world, iteration), text: world.mask.text(said) })
      const { there, bytes, problems } = findPaper(root, folder, paper, isUntouchedTemplate)
      const told = problems.map((problem) => world.mask.text(problem))
      const which = { paper, ...(first === undefined ? {} : { first }) }
      put({
        type: 'paper-taken',
        worker,
        effect,
        ...which,
        there,
        bytes,
        problems: told,
        ...(back.length === 0 ? {} : { back }),
      })
    },
    // What stands there already is not written twice.
    inquire: async () => ({ is: 'not-begun' }),
  }
}
