/** The files of a project that a prompt about a task is made of. */
import { join } from 'node:path'
import type { RolePrompt, DocumentText } from '../core/prompt/task-texts.ts'
import { assetPath, readIfExists, readText } from '../system/files/files.ts'
import { readInsideFolder } from '../system/files/read-inside.ts'

/** A hundred times what a prompt has room for; whatever stands behind it is not looked at. */
const DOCUMENT_MAX = 1024 * 1024

/** A feature's spec or plan. One that cannot be read says why: a prompt without it is better than none. */
export function readPromptDocument(root: string, path: string): DocumentText {
  return { path, ...readInsideFolder(root, path, { max: DOCUMENT_MAX }) }
}

/** Ralph's own words, which a user may override by a file of the same name. */
export function readRolePrompt(root: string, name: string): RolePrompt {
  const file = `.ralph/prompts/${name}.md`
  const text = readIfExists(join(root, file))
  if (text !== null) return { text: text.trim(), from: file }
  return { text: readText(assetPath(`prompts/${name}.md`)).trim(), from: `assets/prompts/${name}.md` }
}
