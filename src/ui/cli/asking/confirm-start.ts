/** The one question before money is spent. Nobody has to answer: after a minute what is grave does not begin, and anything else does. */
import { openAnsweredWarnings, type AnsweredWarnings } from '../../../app/steer/answered-warnings.ts'
import type { StartupWarning } from '../../../engine/startup/startup-warnings.ts'
import { EXIT, type ExitCode } from '../../../core/error.ts'
import type { Io } from '../framework/io.ts'
import { homeOf } from '../framework/project.ts'
import { loadPrompts } from './questions.ts'

const ANSWER_MS = 60_000

/** A no is thrown, with how the command ends. */
export class StartDeclined extends Error {
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

export interface StartQuestion {
  /** Throws `StartDeclined` unless somebody says yes, or has said so before, or it is not grave and nobody is there. */
  promptUser(startWarnings: readonly StartupWarning[]): Promise<void>
  /** Nobody has said yes to this cause yet. */
  isOpen(cause: string): boolean
}

/** Null: nobody is to be asked. */
export function createStartQuestion(root: string, { yes, json }: Unasked, io: Io): StartQuestion | null {
  if (!io.asks || yes === true || json) return null
  const answered = openAnsweredWarnings({ root, env: io.env, home: homeOf(io) })
  return {
    promptUser: (startWarnings) => promptUser(startWarnings, answered, io),
    isOpen: (cause) => !answered.has(cause),
  }
}

async function promptUser(startWarnings: readonly StartupWarning[], answered: AnsweredWarnings, io: Io): Promise<void> {
  const open = startWarnings.filter(({ cause }) => !answered.has(cause))
  if (open.length === 0) return
  const isGrave = open.some(({ isSevere }) => isSevere)
  const { confirm, isCancel } = await loadPrompts()
  const late = AbortSignal.timeout(ANSWER_MS)
  const unanswered = isGrave ? 'no answer within a minute: it does not' : 'no answer within a minute: it does'
  const answer = await confirm({
    message: `Begin all the same? (${unanswered})`,
    initialValue: !isGrave,
    signal: late,
  })
  if (late.aborted && isGrave) {
    io.out('No answer: nothing was started. Without the question: ralph loop --yes\n')
    throw new StartDeclined(EXIT.usage)
  }
  if (late.aborted) return
  if (isCancel(answer)) throw new StartDeclined(EXIT.interrupted)
  if (!answer) {
    io.out('Nothing was started.\n')
    throw new StartDeclined(EXIT.usage)
  }
  answered.remember(open.map(({ cause }) => cause))
}
