/** The gates of a deno.json: its tasks, or deno's own test runner if there are tests. */
import { yamlOrNull } from '../../protection/parse-data.ts'
import { findTestFolder, type ProjectFiles, type FoundGate, type DetectedLanguage } from './project-files.ts'
import * as read from '../../core/text/json.ts'

const PURPOSES: readonly [name: string, tasks: readonly string[]][] = [
  ['test', ['test']],
  ['typecheck', ['check', 'typecheck']],
  ['lint', ['lint']],
]

export function detectDeno(files: ProjectFiles): DetectedLanguage | null {
  const config = files.first('deno.json', 'deno.jsonc')
  if (config === undefined) return null
  // It may have comments and trailing commas; without the comments, a YAML parser accepts it.
  const json = yamlOrNull(files.text(config).replace(/^\s*\/\/.*$/gm, ''))
  const tasks = read.asRecord(read.ownField(json, 'tasks'), (task) => task)
  const gates = PURPOSES.flatMap(([name, candidates]): FoundGate[] => {
    const task = candidates.find((candidate) => Object.hasOwn(tasks, candidate))
    if (task !== undefined) return [{ name, run: `deno task ${task}`, why: `${config} has the task "${task}"` }]
    const own = ownTool(files, json, name)
    return own === null ? [] : [{ name, ...own }]
  })
  return {
    type: 'typescript',
    name: read.asText(read.ownField(json, 'name')),
    manager: 'deno',
    gates,
    build: null,
    start: Object.hasOwn(tasks, 'start') ? 'deno task start' : null,
  }
}

function ownTool(files: ProjectFiles, json: unknown, name: string): { run: string; why: string } | null {
  if (name === 'test' && findTestFolder(files, /[._]test\.[jt]sx?$/) !== undefined)
    return { run: 'deno test --allow-all', why: 'there are tests for deno' }
  return name === 'lint' && read.ownField(json, 'lint') !== null
    ? { run: 'deno lint', why: 'deno.json says how to lint' }
    : null
}
