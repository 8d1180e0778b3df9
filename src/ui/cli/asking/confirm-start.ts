/** The one question before a run spends money. Without an answer in a minute, severe warnings prevent the start and others do not. */
import { openAnsweredWarnings, type AnsweredWarnings } from '../../../app/steer/answered-warnings.ts'
import type { StartupWarning } from '../../../engine/startup/startup-warnings.ts'
import { EXIT, type ExitCode } from '../../../core/error.ts'
import type { Io } from '../framework/io.ts'
import { homeOf } from '../framework/open-project.ts'
import { loadPromptLibrary } from './terminal-prompts.ts'

const ANSWER_MS = 60_000

/** The flags that skip the question. */
interface Unasked {
  json: boolean
  yes?: boolean
}

export interface StartQuestion {
  /** Null: the user says yes or has said so before, or no warning is severe and nobody answers. Otherwise the exit code. */
  promptUser(startWarnings: readonly StartupWarning[]): Promise<ExitCode | null>
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

async function promptUser(
  startWarnings: readonly StartupWarning[],
  answered: AnsweredWarnings,
  io: Io,
): Promise<ExitCode | null> {
  const open = startWarnings.filter(({ cause }) => !answered.has(cause))
  if (open.length === 0) return null
  const isSevere = open.some((warning) => warning.isSevere)
  const { confirm, isCancel } = await loadPromptLibrary()
  const late = AbortSignal.timeout(ANSWER_MS)
  const unanswered = isSevere ? 'cancels in 60 s' : 'starts in 60 s'
  const answer = await confirm({ message: `Start anyway? (${unanswered})`, initialValue: !isSevere, signal: late })
  if (late.aborted && isSevere) {
    io.out('No answer, so nothing was started. To start without the question: ralph loop --yes\n')
    return EXIT.usage
  }
  if (late.aborted) return null
  if (isCancel(answer)) return EXIT.interrupted
  if (!answer) {
    io.out('Nothing was started.\n')
    return EXIT.usage
  }
  answered.remember(open.map(({ cause }) => cause))
  return null
}
