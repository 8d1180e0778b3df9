/** The one question before money is spent. Nobody has to answer: after a minute what is grave does not begin, and anything else does. */
import { openAnswered, type Answered } from '../../../desk/steer/answered.ts'
import type { Concern } from '../../../domain/tell/concern.ts'
import { EXIT, type ExitCode } from '../../../domain/error.ts'
import type { Io } from '../frame/io.ts'
import { homeOf } from '../frame/project.ts'
import { questions } from './questions.ts'

const ANSWER_MS = 60_000

/** A no is thrown, with how the command ends. */
export class NotBegun extends Error {
  readonly exit: ExitCode
  constructor(exit: ExitCode) {
    super('not begun')
    this.exit = exit
  }
}

/** The flags by which nobody is asked. */
interface Unasked {
  json: boolean
  yes?: boolean
}

export interface Question {
  /** Throws `NotBegun` unless somebody says yes, or has said so before, or it is not grave and nobody is there. */
  settle(concerns: readonly Concern[]): Promise<void>
  /** Nobody has said yes to this cause yet. */
  isOpen(cause: string): boolean
}

/** Null: nobody is to be asked. */
export function questionFor(root: string, { yes, json }: Unasked, io: Io): Question | null {
  if (!io.asks || yes === true || json) return null
  const answered = openAnswered({ root, env: io.env, home: homeOf(io) })
  return {
    settle: (concerns) => settle(concerns, answered, io),
    isOpen: (cause) => !answered.has(cause),
  }
}

async function settle(concerns: readonly Concern[], answered: Answered, io: Io): Promise<void> {
  const open = concerns.filter(({ cause }) => !answered.has(cause))
  if (open.length === 0) return
  const isGrave = open.some(({ grave }) => grave)
  const { confirm, isCancel } = await questions()
  const late = AbortSignal.timeout(ANSWER_MS)
  const unanswered = isGrave ? 'no answer within a minute: it does not' : 'no answer within a minute: it does'
  const answer = await confirm({
    message: `Begin all the same? (${unanswered})`,
    initialValue: !isGrave,
    signal: late,
  })
  if (late.aborted && isGrave) {
    io.out('No answer: nothing was started. Without the question: ralph loop --yes\n')
    throw new NotBegun(EXIT.usage)
  }
  if (late.aborted) return
  if (isCancel(answer)) throw new NotBegun(EXIT.interrupted)
  if (!answer) {
    io.out('Nothing was started.\n')
    throw new NotBegun(EXIT.usage)
  }
  answered.remember(open.map(({ cause }) => cause))
}
