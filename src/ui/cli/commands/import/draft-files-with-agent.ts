/** Has an agent read a document, in a run with only the stage *draft*. */
import type { CheckedImport } from '../../../../app/import/import.ts'
import {
  rulesForImport,
  withImportFolder,
  readAgentWrittenFiles,
  type DraftedProjectFiles,
} from '../../../../app/import/draft-project-files.ts'
import { EXIT, type ExitCode } from '../../../../core/error.ts'
import type { Row } from '../../../../core/state/row.ts'
import { escapeInvisible, oneLine } from '../../../../core/text/sanitize.ts'
import { runEngine } from '../../../../engine/run-engine.ts'
import { formatSpan } from '../../../plain/format-values.ts'
import { VERSION } from '../../../version.ts'
import { askTrust } from '../../asking/trust.ts'
import type { Io } from '../../framework/io.ts'
import type { ImportInput } from './import.ts'

/** A number: nothing was read, and it is the exit code of the command. */
export async function draftFilesWithAgent(
  { root, document, settings, order }: CheckedImport,
  input: ImportInput,
  io: Io,
): Promise<DraftedProjectFiles | ExitCode> {
  const askAbout = (agent: string): Promise<ExitCode | null> =>
    askTrust({ root, programs: settings.executed({ agents: [agent], gates: [] }), input }, io)
  // The project stays unchanged until the first program is trusted. Ralph asks about the next agent when that takes over.
  const [first = ''] = order
  let asked = askAbout(first)
  const refused = await asked
  if (refused !== null) return refused
  return withImportFolder<ExitCode>({ root, document }, async (request) => {
    const result = await runEngine({
      root,
      settings,
      rules: rulesForImport(settings, order),
      command: input.typed,
      version: VERSION,
      fresh: false,
      resume: null,
      import: request,
      async mayStartAgent(agent) {
        asked = askAbout(agent)
        return (await asked.catch(() => EXIT.usage)) === null
      },
      watcher: importScreen(document.name, io),
    })
    const refused = await asked
    if (refused !== null) return refused
    if (result.outcome.is !== 'stopped') return readAgentWrittenFiles(result, { request, document })
    io.err('ralph: interrupted; nothing was written\n')
    return EXIT.interrupted
  })
}

/** Prints which agent reads the document, and why another one takes over or Ralph waits. */
function importScreen(
  document: string,
  io: Io,
): { rows: (rows: readonly Row[]) => void; notice: (text: string) => void } {
  let asked = ''
  let reads = ''
  const notice = (text: string): void => io.err(`ralph: ${oneLine(text, NOTICE_MAX)}\n`)

  function row({ event, effects, decisions }: Row): void {
    if (event.type === 'agent-started' && asked !== reads) {
      reads = asked
      io.err(
        `${escapeInvisible(reads)} reads ${escapeInvisible(document)}; this takes a few minutes. Ctrl+C stops it.\n`,
      )
    }
    for (const { by, why } of decisions) if (TOLD.has(by)) notice(why)
    for (const effect of effects) {
      if (effect.type === 'run-agent') asked = effect.agent
      if (effect.type === 'wait') notice(`${effect.why}; retrying in ${formatSpan(effect.forMs ?? 0)}`)
    }
  }
  return { rows: (rows) => rows.forEach(row), notice }
}

/** The kinds of decisions that are printed. */
const TOLD: ReadonlySet<string> = new Set(['limit', 'retry', 'agent'])

/** A notice may contain a vendor's message of any length. */
const NOTICE_MAX = 500
