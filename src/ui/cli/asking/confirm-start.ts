/** The one question before a run spends money. Without an answer in a minute, severe warnings prevent the start and others do not. */
import { openAnsweredWarnings, type AnsweredWarnings } from '../../../app/steer/answered-warnings.ts'
import type { StartupWarning } from '../../../engine/startup/startup-warnings.ts'
import { EXIT, type ExitCode } from '../../../core/error.ts'
import type { Io } from '../framework/io.ts'
import { homeOf } from '../framework/project.ts'
import { loadPrompts } from './questions.ts'

const ANSWER_MS = 60_000

/** Thrown on a no, with the exit code. */
export class StartDeclined extends Error {
  readonly exit: ExitCode
  constructor(exit: ExitCode) {
    super('not begun')
    this.exit = exit
  }
}

/** The flags that skip the question. */
interface Unasked {
  json: boolean
  yes?: boolean
}

export interface StartQuestion {
  /** Throws `StartDeclined` unless the user says yes or has said so before, or no warning is severe and nobody answers. */
  promptUser(startWarnings: readonly StartupWarning[]): Promise<void>
  /** The user has not said yes to this cause yet. */
  isOpen(cause: string): boolean
}

/** Null: no question may be asked. */
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
