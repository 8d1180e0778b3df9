/** A project as the bash tool leaves it: its own files committed, its state files lying around as they were when it was killed. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { testProject, type TestProject, type TestProjectOptions } from './test-project.ts'

const FOLDER = join(import.meta.dirname, 'fakes', 'bash-project')

/** What a user wrote or committed; everything else below `.ralph/` is state. */
const OWN = new Set(['.ralph/PROMPT.md', '.ralph/fix_plan.md', '.ralph/AGENT.md', '.ralph/specs/requirements.md'])

/** By path inside the project. A `.gitignore` of that name would work here as well, on the fixture itself. */
export function bashProjectFiles(): { own: Record<string, string>; state: Record<string, string> } {
  const own: Record<string, string> = {}
  const state: Record<string, string> = {}
  for (const entry of readdirSync(FOLDER, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const path = relative(FOLDER, file) === 'gitignore.txt' ? '.gitignore' : relative(FOLDER, file)
    const group = OWN.has(path) || !path.startsWith('.ralph/') ? own : state
    group[path] = readFileSync(file, 'utf8')
  }
  return { own, state }
}

/** `state`: instead of the frozen state files; an empty text leaves one out. */
export async function bashProject(
  options: TestProjectOptions & { state?: Record<string, string> } = {},
): Promise<TestProject> {
  const { own, state } = bashProjectFiles()
  const made = await testProject({ ...options, prompt: null, files: { ...own, ...options.files } })
  for (const [path, text] of Object.entries({ ...state, ...options.state })) {
    if (text !== '') await made.write(path, text)
  }
  return made
}

/** Now, as the bash tool writes it down. */
export function stamps(at = new Date()): { utc: string; hour: string } {
  const local = [at.getFullYear(), at.getMonth() + 1, at.getDate(), at.getHours()].map((part) =>
    String(part).padStart(2, '0'),
  )
  return { utc: `${at.toISOString().slice(0, 19)}+00:00`, hour: local.join('') }
}
