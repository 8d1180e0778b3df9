/** Work in two halves that one gate judges together, and what looks at how it went. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DONE, NOT_YET, type TestProject } from './test-project.ts'

export const GATE = '[[gate]]\nname = "test"\nrun = "sh test.sh"\n'
export const FILES = { 'test.sh': 'test -f one.txt && test -f two.txt\n' }
export const HALF = [
  { do: 'write', path: 'one.txt', content: 'one\n' },
  { do: 'status', text: 'Half.', fields: NOT_YET },
] as const
export const REST = [
  { do: 'write', path: 'two.txt', content: 'two\n' },
  { do: 'status', text: 'All done.', fields: DONE },
] as const

export async function processesOf(fixture: TestProject): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'pid=,command='])
  return stdout.split('\n').filter((line) => line.includes(join(fixture.path, '..')) && !line.includes('ps -axww'))
}
