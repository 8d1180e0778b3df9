/** Tasks from a requirements document in the repository. */
import { extname, join } from 'node:path'
import { parsePrdTasks } from '../compat/prd.ts'
import { parseTaskLines } from '../compat/parse-tasks.ts'
import { RalphError } from '../core/error.ts'
import { listFolder, readText, sizeOf } from '../system/files/files.ts'
import { limitTasks, type FetchedTasks } from './task-source.ts'

/** Four hundred printed pages. A longer file is no requirements document, or several. */
export const PRD_MAX_BYTES = 1024 * 1024

/** Usual folders of such documents, the likeliest first; each is searched with its subfolders. */
const FOLDERS = ['docs', 'specs', '.', 'requirements']
const NAME = /prd|requirements|specs?|specification/i
const ENDINGS = new Set(['.md', '.markdown', '.txt', '.rst'])
/** Other kinds of documents, and pip's list of packages. */
const SKIPPED = new Set([
  'node_modules',
  'vendor',
  'dist',
  'build',
  'target',
  'requirements.txt',
  'requirements-dev.txt',
])
const FOUND_MAX = 20

/** Documents that look like requirements, relative to the root. */
export function findPrds(root: string): string[] {
  const folders = FOLDERS.flatMap((folder) => [folder, ...namesIn(root, folder).map((name) => join(folder, name))])
  const found = folders.flatMap((folder) =>
    namesIn(root, folder)
      .filter((name) => NAME.test(name) && ENDINGS.has(extname(name).toLowerCase()))
      .map((name) => join(folder, name)),
  )
  return [...new Set(found)].slice(0, FOUND_MAX)
}

function namesIn(root: string, folder: string): string[] {
  try {
    return listFolder(join(root, folder)).filter((name) => !name.startsWith('.') && !SKIPPED.has(name))
  } catch {
    return [] // a file of that name, or a folder that cannot be read
  }
}

export function readPrdTasks(options: { root: string; file: string; limit: number }): FetchedTasks {
  const text = readTextDocument(join(options.root, options.file), options.file)
  const listed = parsePrdTasks(text)
  // A text file without any list marks is a list with one task a line.
  const isPlain = listed.length === 0 && extname(options.file).toLowerCase() === '.txt'
  const tasks = isPlain ? parseTaskLines(text) : listed
  const remarks = tasks.length > 0 ? [] : [`${options.file} has no list, so no tasks were found`]
  return limitTasks({ tasks, from: options.file, remarks }, options.limit)
}

const FORMATS: Record<string, string> = {
  '.pdf': 'PDF',
  '.docx': 'Word',
  '.doc': 'Word',
  '.odt': 'OpenDocument',
  '.rtf': 'RTF',
}

/** A text file of bounded size. A format that needs another program is refused by name. */
export function readTextDocument(path: string, shown: string): string {
  const format = FORMATS[extname(path).toLowerCase()]
  if (format !== undefined) {
    throw new RalphError('bad-file', `${shown} is a ${format} file, which is not supported`, {
      hint: 'Save it as Markdown or plain text first (for example: pandoc FILE -t gfm -o spec.md).',
    })
  }
  const size = sizeOf(path)
  if (size === null) throw new RalphError('not-found', `there is no file ${shown}`, { hint: 'Check the path.' })
  if (size > PRD_MAX_BYTES) {
    throw new RalphError('bad-file', `${shown} has ${size} bytes; the limit is ${PRD_MAX_BYTES}`, {
      hint: 'Split it, and import one part at a time.',
    })
  }
  const text = readText(path)
  if (text.includes('\u0000')) {
    throw new RalphError('bad-file', `${shown} is not a text file`, { hint: 'Use a Markdown or text document.' })
  }
  return text
}
