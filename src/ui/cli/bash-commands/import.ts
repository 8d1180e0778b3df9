/** `ralph-import FILE [NAME]`: a new project folder from a document or an issue. */
import { basename, resolve } from 'node:path'
import { readFileToImport } from '../../../app/import/import.ts'
import type { ImportDocument } from '../../../app/import/draft-project-files.ts'
import { folderNameFromTitle } from '../../../app/import/import-issue.ts'
import { createProject } from '../../../app/project/new-project.ts'
import { EXIT, RalphError } from '../../../core/error.ts'
import { quoteShellWord } from '../../../core/text/shell.ts'
import { importDocumentInto } from '../commands/import/import.ts'
import { findIssueDocument, isIssueRequested, type IssueFlags } from '../commands/import/issue.ts'
import type { Io } from '../framework/io.ts'
import { IMPORT } from '../command-table/plan-commands.ts'
import { LEGACY_EXIT_CODES, defineLegacyCommand } from './legacy-command.ts'

/** The flags of `ralph import` that `ralph-import` had. */
const { force: _force, json: _json, trust: _trust, ...FLAGS } = IMPORT.flags

export const program = defineLegacyCommand({
  usage: `Usage: ralph-import FILE [NAME]          (now: ralph import FILE)
       ralph-import --github-issue N [NAME]
       ralph-import FILTERS [NAME]

  --no-agent                 Convert the document without an agent
  --agent NAME               Agent that reads it (default: the first installed)
  --github-issue N           Import this issue
  --github-search WORDS, --github-label A,B, --github-title PATTERN, --github-assignee WHO,
  --github-milestone TITLE, --github-state open|closed|all, --exclude-label A,B
  --select first|interactive|priority
  --repo OWNER/NAME  --include-comments  --dry-run
  -h, --help  -v, --version`,
  flags: FLAGS,
  args: 2,
  exits: { usage: LEGACY_EXIT_CODES.error, error: LEGACY_EXIT_CODES.error },
  async run({ args, flags: said }, io) {
    const flags = { ...said, force: false, json: false, trust: false }
    const found = await documentOf(args, flags, io)
    if (found === null) return LEGACY_EXIT_CODES.done
    const root = resolve(io.cwd, found.folder)
    const typed = ['ralph-import', ...args.map(quoteShellWord)].join(' ')
    const input = { command: 'import', words: args, typed, flags }
    const code = await importDocumentInto({ root, document: found.document, input, old: true }, io)
    if (code !== EXIT.done) return code
    const { remarks } = await createProject(root, io.env)
    io.out(`The project is in ${found.folder}.\n${remarks.map((remark) => `Note: ${remark}\n`).join('')}`)
    return LEGACY_EXIT_CODES.done
  },
})

async function documentOf(
  args: string[],
  flags: IssueFlags,
  io: Io,
): Promise<{ document: ImportDocument; folder: string } | null> {
  if (isIssueRequested(flags)) {
    const document = await findIssueDocument({ flags, root: io.cwd }, io)
    return document === null
      ? null
      : { document, folder: args[0] ?? folderNameFromTitle(document.title, document.name.replace(/\.md$/, '')) }
  }
  const [file, name] = args
  if (file === undefined) throw new RalphError('usage', 'ralph-import needs a FILE or an issue')
  const document = { name: basename(file), text: readFileToImport(resolve(io.cwd, file), file) }
  return { document, folder: name ?? basename(file).replace(/\.[^.]+$/, '') }
}
