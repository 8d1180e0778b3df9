/** `ralph import`: turns a requirements document or a GitHub issue into prompt, plan and specification. */
import { basename, resolve } from 'node:path'
import { findProject } from '../../../../config/find-project.ts'
import { checkImport, readFileToImport, writeImport, type ImportResult } from '../../../../app/import/import.ts'
import { draftFilesWithoutAgent, type ImportDocument } from '../../../../app/import/draft-project-files.ts'
import { EXIT, RalphError } from '../../../../core/error.ts'
import { oneLine } from '../../../../core/text/sanitize.ts'
import type { CommandHandler, CommandInput } from '../../framework/command.ts'
import type { IMPORT } from '../../command-table/plan-commands.ts'
import type { Io } from '../../framework/io.ts'
import { plural } from '../../../plain/format-values.ts'
import { createPaint } from '../../../plain/colours.ts'
import { homeOf, settingsOf } from '../../framework/open-project.ts'
import type { TrustInput } from '../../asking/trust.ts'
import { findIssueDocument, isIssueRequested } from './issue.ts'
import { draftFilesWithAgent } from './draft-files-with-agent.ts'

export const run: CommandHandler<typeof IMPORT> = async (input, io) => {
  const fromIssue = isIssueRequested(input.flags)
  // An issue needs no file, so the first argument is the folder.
  const folder = fromIssue ? input.args.file : input.args.folder
  const root = folder === null ? rootHere(io) : resolve(io.cwd, folder)
  const found = fromIssue ? await findIssueDocument({ flags: input.flags, root }, io) : readNamed(input, io)
  if (found === null) return EXIT.done
  return importDocumentInto({ root, document: found, input }, io)
}

/** The project here, or the folder that will become one. */
function rootHere(io: Io): string {
  return findProject(io.cwd, { home: homeOf(io) }).root
}

function readNamed({ args: { file }, flags }: CommandInput<typeof IMPORT>, io: Io): ImportDocument {
  if (flags.dryRun) throw new RalphError('usage', '--dry-run shows which issues match, so it needs a --github-… flag')
  if (file === null) {
    throw new RalphError('usage', 'ralph import needs a FILE or an issue', {
      hint: 'ralph import prd.md, or: ralph import --github-issue 42',
    })
  }
  return { name: basename(file), text: readFileToImport(resolve(io.cwd, file), file) }
}

/** The part of the command line about reading a document. */
export interface ImportInput extends TrustInput {
  typed: string
  flags: Pick<CommandInput<typeof IMPORT>['flags'], 'agent' | 'noAgent' | 'force' | 'json' | 'trust'>
}

/** `old`: called as `ralph-import`, whose projects bash Ralph can open too. */
export async function importDocumentInto(
  { root, document, input, old = false }: { root: string; document: ImportDocument; input: ImportInput; old?: boolean },
  io: Io,
): Promise<number> {
  const { agent, noAgent, force, json } = input.flags
  const settings = await settingsOf(root, { settings: agent === null ? {} : { agent } }, io)
  const checked = await checkImport({
    root,
    document,
    env: io.env,
    settings,
    force,
    made: old ? 'bash' : 'ours',
    by: noAgent ? 'reader' : agent === null ? 'first' : { agent },
  })
  const read =
    checked.order.length === 0 ? draftFilesWithoutAgent(document) : await draftFilesWithAgent(checked, input, io)
  if (typeof read === 'number') return read
  const imported = await writeImport(checked, read)
  io.out(json ? `${JSON.stringify(imported)}\n` : importResultText(imported, io))
  return EXIT.done
}

function importResultText(done: ImportResult, io: Io): string {
  const p = createPaint(io.colour)
  return [
    p.bold(`Imported ${done.document}, read by ${done.by === 'reader' ? 'the built-in reader' : done.by}.`),
    ...done.created.map((name) => `  ${p.good('wrote')}  ${name}`),
    ...done.copies.map((name) => `  ${p.dim('copy')}   ${name}`),
    `  ${p.good('plan')}   ${plural(done.checkboxes, 'open item')}`,
    ...done.remarks.map((remark) => `  ${p.warn('note')}   ${oneLine(remark, 300)}`),
    '',
    `  1. Review .ralph/PROMPT.md and .ralph/fix_plan.md in ${done.root}`,
    '  2. ralph loop --once     run one iteration, to try it out',
    '',
  ].join('\n')
}
