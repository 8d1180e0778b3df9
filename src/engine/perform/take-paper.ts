/** After a turn of a draft: what the agent said is written down, and the paper it was to write is looked at. */
import { isUntouchedTemplate } from '../../compat/bash/untouched-template.ts'
import type { EffectOf } from '../../domain/run/effect.ts'
import { findPaper, keepSaid } from '../../workspace/draft-files.ts'
import type { Handler } from '../circle/handler.ts'
import { type Here, saidMark } from '../world.ts'

export function takePaperHandler(world: Here): Handler<EffectOf<'take-paper'>> {
  const { root } = world.project
  return {
    async perform({ worker, id: effect, iteration, paper, folder, said, first }, put) {
      if (said !== '')
        keepSaid(root, folder, { by: 'agent', mark: saidMark(world, iteration), text: world.mask.text(said) })
      const { there, bytes, problems } = findPaper(root, folder, paper, isUntouchedTemplate)
      const told = problems.map((problem) => world.mask.text(problem))
      const which = { paper, ...(first === undefined ? {} : { first }) }
      put({ type: 'paper-taken', worker, effect, ...which, there, bytes, problems: told })
    },
    // What stands there already is not written twice.
    inquire: async () => ({ is: 'not-begun' }),
  }
}
