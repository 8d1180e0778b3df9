/** Every text that a person or an agent can read, with its place: literals in the code, pages, templates and prompts. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { codeTexts } from './code-texts.ts'
import { markdownTexts } from './markdown-texts.ts'
import type { ReadableText } from './readable-text.ts'

const CODE = ['src', 'scripted-agent']
const PAGES = ['README.md', 'CHANGELOG.md', 'docs/guide', 'assets']

/** These files have patterns, names and other tools' formats, which nobody reads as sentences. */
const WITHOUT_TEXTS = [
  /\.test\.ts$/,
  /^src\/agents\/error-text\//,
  /^src\/workspace\/detect\/detect-(?!project|setup)/,
  /^src\/compat\/bash\/(?!unsupported)/,
  /^src\/system\/mask\//,
  /^src\/protection\/(?:file-kinds|language-family|project-layout|shadowing-files|imports)/,
  /^src\/core\/trust\/(?:code-loading-variables|variable-rules)/,
  /^src\/core\/calls\/tool-list/,
  /^scripted-agent\/(?!main|scenario)/,
  /^src\/core\/agent-output\/(?:questions|status|done-words)/,
  /^src\/index\.ts$/,
]

/** `root`: the project's folder; `below`: only files whose path begins with it. */
export function collectTexts(root: string, below = ''): ReadableText[] {
  const code = CODE.flatMap((folder) => filesIn(root, folder)).filter((file) => file.endsWith('.ts'))
  const pages = PAGES.flatMap((folder) => filesIn(root, folder)).filter((file) => /\.(?:md|toml|txt)$/.test(file))
  return [...pages, ...code]
    .filter((file) => file.startsWith(below) && !WITHOUT_TEXTS.some((pattern) => pattern.test(file)))
    .flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8')
      return file.endsWith('.ts') ? codeTexts(file, source) : markdownTexts(file, source)
    })
}

function filesIn(root: string, path: string): string[] {
  if (/\.\w+$/.test(path)) return [path]
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .toSorted()
}
