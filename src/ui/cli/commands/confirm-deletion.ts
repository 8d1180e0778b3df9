/** Asks before something is deleted. Without a terminal `--yes` is required. */
import { EXIT, RalphError, type ExitCode } from '../../../core/error.ts'
import type { Io } from '../framework/io.ts'
import { askYesNo } from '../asking/terminal-prompts.ts'

/** Null: yes. Otherwise the exit code of the command. */
export async function confirmDeletion(
  { told, question, line }: { told: string; question: string; line: string },
  { io, json }: { io: Io; json: boolean },
): Promise<ExitCode | null> {
  if (json || !io.asks)
    throw new RalphError('usage', `nothing was changed: ${told}`, { hint: `Confirm with: ${line} --yes` })
  io.out(`${told}\n`)
  const answer = await askYesNo(question)
  if (answer === true) return null
  io.out('Nothing was changed.\n')
  return answer === null ? EXIT.interrupted : EXIT.done
}
