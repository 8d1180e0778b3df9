/** `ralph-import FILE [NAME]`: a new project folder from a document or an issue. */
import { basename, resolve } from 'node:path'
import { readFileToImport, type Document } from '../../../desk/import/import.ts'
import { slugOf } from '../../../desk/import/import-issue.ts'
import { newProject } from '../../../desk/project/new-project.ts'
import { EXIT, RalphError } from '../../../domain/error.ts'
import type { Input } from '../frame/row.ts'
import { importInto } from '../commands/import/import.ts'
import { findIssueDocument, namesAnIssue } from '../commands/import/issue.ts'
import type { Io } from '../frame/io.ts'
import { OLD_EXIT, type OldProgram, type Said } from './program.ts'

const FILTERS = [
  'github-search',
  'github-label',
  'github-title',
  'github-assignee',
  'github-milestone',
  'github-state',
]

export const program: OldProgram = {
  usage: `Usage: ralph-import FILE [NAME]          (now: ralph import FILE)
       ralph-import --github-issue N [NAME]
       ralph-import FILTERS [NAME]

  --no-agent                 Read the document without an agent
  --agent NAME               The agent that reads it (default: the first installed)
  --github-issue N           This issue
  --github-search WORDS, --github-label A,B, --github-title PATTERN, --github-assignee WHO,
  --github-milestone TITLE, --github-state open|closed|all, --exclude-label A,B
  --select first|interactive|priority
  --repo OWNER/NAME  --include-comments  --dry-run
  -h, --help  -v, --version`,
  values: ['agent', 'github-issue', ...FILTERS, 'exclude-label', 'select', 'repo'],
  switches: ['no-agent', 'include-comments', 'dry-run'],
  args: 2,
  exits: { usage: OLD_EXIT.error, error: OLD_EXIT.error },
  async run(said, io) {
    const input = inputOf(said)
    const found = await documentOf(said, input, io)
    if (found === null) return OLD_EXIT.done
    const root = resolve(io.cwd, found.folder)
    const code = await importInto({ root, document: found.document, input, old: true }, io)
    if (code !== EXIT.done) return code
    const { remarks } = await newProject(root, io.env)
    io.out(`The project is in ${found.folder}.\n${remarks.map((remark) => `Note: ${remark}\n`).join('')}`)
    return OLD_EXIT.done
  },
}

function inputOf({ args, flags }: Said): Input {
  return { command: 'import', args, flags, settings: {}, typed: 'ralph-import' }
}

async function documentOf(
  { args }: Said,
  input: Input,
  io: Io,
): Promise<{ document: Document; folder: string } | null> {
  if (namesAnIssue(input)) {
    const document = await findIssueDocument({ input, root: io.cwd }, io)
    return document === null
      ? null
      : { document, folder: args[0] ?? slugOf(document.title, document.name.replace(/\.md$/, '')) }
  }
  const [file, name] = args
  if (file === undefined) throw new RalphError('usage', 'a FILE or an issue is needed')
  const document = { name: basename(file), text: readFileToImport(resolve(io.cwd, file), file) }
  return { document, folder: name ?? basename(file).replace(/\.[^.]+$/, '') }
}
