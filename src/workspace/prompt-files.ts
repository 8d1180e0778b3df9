/** The project files that go into a task's prompt. */
import { join } from 'node:path'
import type { RolePrompt, DocumentText } from '../core/prompt/task-texts.ts'
import { assetPath, readIfExists, readText } from '../system/files/files.ts'
import { readInsideFolder } from '../system/files/read-inside.ts'

/** A hundred times the size that fits into a prompt; the rest is not read. */
const DOCUMENT_MAX = 1024 * 1024

/** A feature's spec or plan. If it cannot be read the result says why: a prompt without it is better than none. */
export function readPromptDocument(root: string, path: string): DocumentText {
  return { path, ...readInsideFolder(root, path, { max: DOCUMENT_MAX }) }
}

/** Ralph's own prompt, which a user may override by a file of the same name. */
export function readRolePrompt(root: string, name: string): RolePrompt {
  const file = `.ralph/prompts/${name}.md`
  const text = readIfExists(join(root, file))
  if (text !== null) return { text: text.trim(), from: file }
  return { text: readText(assetPath(`prompts/${name}.md`)).trim(), from: `assets/prompts/${name}.md` }
}
