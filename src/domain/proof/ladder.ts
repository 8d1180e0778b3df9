/**
 * The ladder that a completion climbs once its gates are green in the working tree. Each rung is a trial in the clean room: the completion as it
 * stands; the completion with the judge as it was, and if that is red, which changes of the judge it needs; the completion with its work made to
 * fail, and with its changed lines made wrong, which the gates must notice. A rung that cannot add anything is skipped, with its reason.
 * Pure: `climb` is told what the last trial showed and says what to try next, or what it all amounts to. Loop and `verify` both climb it.
 * What each rung tries and makes of its trial stands in `rungs/`.
 */
import { never } from '../machine.ts'
import type { Climb, Ladder, LadderMove, RungAnswer } from './rung.ts'
import { expected, looked, mistaken } from './rungs/broken-work.ts'
import { atBase, inRoom, sorted, withIgnored } from './rungs/clean-room.ts'
import { lookedAgain } from './rungs/last-look.ts'
import { searched, withOldJudge } from './rungs/judge-before.ts'
import type { Ran } from './trial.ts'

export function beginClimb(): LadderMove {
  const ladder: Ladder = {
    rung: { is: 'sort' },
    sorting: null,
    needed: null,
    telling: [],
    tookMs: {},
    testsAtBase: null,
    tests: null,
    climbed: [],
    pendingMs: 0,
  }
  return { is: 'sort', ladder, say: null }
}

export function climb(ladder: Ladder, answer: RungAnswer, by: Climb): LadderMove {
  if (answer.is === 'sorted') return sorted(ladder, answer.sorting, by)
  if (answer.is === 'looked') return lookedAgain(ladder, answer.changed)
  const { trial } = answer
  if (trial.is === 'room-failed') return { is: 'room-failed', why: trial.why, ladder, say: null }
  return tried(ladder, trial, by)
}

function tried(ladder: Ladder, trial: Ran, by: Climb): LadderMove {
  const { rung } = ladder
  switch (rung.is) {
    case 'room':
      return inRoom(ladder, { rung, trial }, by)
    case 'ignored':
      return withIgnored(ladder, { rung, trial })
    case 'base':
      return atBase(ladder, { rung, trial }, by)
    case 'old-judge':
      return withOldJudge(ladder, { rung, trial }, by)
    case 'needed':
      return searched(ladder, { rung, trial }, by)
    case 'looks':
      return looked(ladder, { rung, trial }, by)
    case 'expects':
      return expected(ladder, { rung, trial }, by)
    case 'mistake':
      return mistaken(ladder, { rung, trial }, by)
    // Nothing is tried there; an answer that comes all the same leads on from where the ladder stands.
    case 'sort':
    case 'last-look':
      return { is: 'look', ladder: { ...ladder, rung: { is: 'last-look' } }, say: null }
    default:
      return never(rung)
  }
}
