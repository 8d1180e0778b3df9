/** Opens a file of the project in the user's editor, on their terminal. */
import { RalphError } from '../../core/error.ts'
import { splitCommand } from '../../core/text/shell.ts'
import { runOnTerminal } from '../../system/process/background.ts'

type Env = Record<string, string | undefined>

/** `file`: the file to edit, a copy or the original. `path`: its path in the project. Returns when the editor exits. */
export async function openEditor(file: string, path: string, env: Env): Promise<void> {
  const said = [env['VISUAL'], env['EDITOR']].find((one) => one !== undefined && one.trim() !== '')
  const words = said === undefined ? [] : splitCommand(said)
  if (words === null || words.length === 0)
    throw new RalphError('usage', said === undefined ? 'no editor is set' : `EDITOR is not a plain command: ${said}`, {
      hint: `Set one, such as EDITOR=nano, or open ${path} yourself.`,
    })
  const own = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const end = await runOnTerminal([...words, file], { env: Object.fromEntries(own) as Record<string, string> })
  if (end.code === 0) return
  if (end.problem !== null)
    throw new RalphError('usage', `the editor cannot be started: ${words[0] ?? ''} (${end.problem})`, {
      hint: `Set another, such as EDITOR=nano, or open ${path} yourself.`,
    })
  throw new RalphError(
    'io',
    `the editor failed: ${end.code === null ? 'a signal ended it' : `exit code ${end.code}`}`,
    {
      hint: `Ralph did not change the file: ${path}`,
    },
  )
}
