/** The files of a project that a prompt about a task is made of. */
import { join } from 'node:path'
import type { OwnWords, Paper } from '../domain/prompt/task-texts.ts'
import { asset, readIfThere, readText } from '../system/files/files.ts'
import { readInside } from '../system/files/inside.ts'

/** A hundred times what a prompt has room for; whatever stands behind it is not looked at. */
const PAPER_MAX = 1024 * 1024

/** A feature's spec or plan. One that cannot be read says why: a prompt without it is better than none. */
export function readPaper(root: string, path: string): Paper {
  return { path, ...readInside(root, path, { max: PAPER_MAX }) }
}

/** Ralph's own words, which a user may override by a file of the same name. */
export function ownWords(root: string, name: string): OwnWords {
  const file = `.ralph/prompts/${name}.md`
  const text = readIfThere(join(root, file))
  if (text !== null) return { text: text.trim(), from: file }
  return { text: readText(asset(`prompts/${name}.md`)).trim(), from: `assets/prompts/${name}.md` }
}
