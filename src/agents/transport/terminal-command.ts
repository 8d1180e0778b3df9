/** Reads and checks a command that an agent asks Ralph to run (`terminal/create`): program and arguments, folder, variables. Starts
 *  nothing. */
import { resolve } from 'node:path'
import type { AgentRequest } from '../../core/calls/agent-io.ts'
import { commandsInLine, splitCommand, commandAsTyped } from '../../core/text/shell.ts'
import { asObject, textAt, type JsonObject } from '../../core/text/json.ts'
import { envAdditionProblem } from '../../core/trust/environment.ts'
import { isWithin, realPath } from '../../system/files/links.ts'

export interface TerminalCommand {
  argv: string[]
  /** As a person would type it, for the permission decision: the shell's script if the agent names a shell. */
  line: string
  /** Its real path. */
  cwd: string
  /** Added to the agent's own environment. */
  env: Record<string, string>
  /** How much of its output is kept. */
  bytesKept: number
}

/** A refusal with a sentence for the agent that says what to do instead. */
export class TerminalRefused extends Error {}

/** The size that most agents request. More than `BYTES_MOST` is useless, and it has to fit into one message. */
const BYTES_KEPT = 1024 * 1024
const BYTES_MOST = 4 * 1024 * 1024

export function parseTerminalCommand(
  asked: JsonObject,
  { cwd, extraDirs }: Pick<AgentRequest, 'cwd' | 'extraDirs'>,
): TerminalCommand {
  const limit = asked['outputByteLimit']
  return {
    ...programIn(asked),
    cwd: folderOf(folderIn(asked) ?? cwd, [cwd, ...extraDirs]),
    env: variablesIn(asked),
    bytesKept: typeof limit === 'number' && limit >= 0 ? Math.min(limit, BYTES_MOST) : BYTES_KEPT,
  }
}

function programIn(asked: JsonObject): Pick<TerminalCommand, 'argv' | 'line'> {
  const command = textAt(asked, 'command')?.trim() ?? ''
  if (command === '') throw new TerminalRefused('no command given')
  const args: unknown = asked['args'] ?? []
  if (!Array.isArray(args) || !args.every((arg): arg is string => typeof arg === 'string'))
    throw new TerminalRefused('the arguments must be strings')
  if ([command, ...args].some((word) => word.includes('\0')))
    throw new TerminalRefused('the command contains a zero byte')
  if (args.length === 0) return { argv: wordsOf(command), line: command }
  const argv = [command, ...args]
  return { argv, line: commandAsTyped(argv) }
}

/** A command line without separate arguments is split, without a shell: shell syntax is refused instead of being run differently. */
function wordsOf(line: string): string[] {
  const words = splitCommand(line)
  if (words === null) throw new TerminalRefused(`unclosed quote: ${line}`)
  if (isShellsWork(line))
    throw new TerminalRefused(
      `this line needs a shell, and Ralph starts none. Use command "sh", args ["-c", ${JSON.stringify(line)}]`,
    )
  return words
}

function isShellsWork(line: string): boolean {
  const parts = commandsInLine(line)
  if (parts?.length !== 1 || parts[0] !== line) return true
  const bare = line.replaceAll(/'[^']*'|\\./g, '').replaceAll(/"[^"$`]*"/g, '')
  return /[$`*?[~]|^\w+=|\s#/.test(bare)
}

function folderIn(asked: JsonObject): string | null {
  const folder = asked['cwd'] ?? null
  if (folder !== null && typeof folder !== 'string') throw new TerminalRefused('cwd must be a string')
  return folder
}

function folderOf(wanted: string, [project = '', ...others]: string[]): string {
  const real = realPath(resolve(project, wanted))
  if (real === null) throw new TerminalRefused(`no such folder: ${wanted}`)
  if (![project, ...others].some((folder) => isWithin(real, realPath(folder) ?? folder)))
    throw new TerminalRefused(`${wanted} is outside the project: commands must run in ${project} or below it`)
  return real
}

function variablesIn(asked: JsonObject): Record<string, string> {
  const env: Record<string, string> = {}
  const given: unknown = asked['env'] ?? []
  if (!Array.isArray(given)) throw new TerminalRefused('env must be a list of names and values')
  for (const one of given) {
    const variable = asObject(one) ?? {}
    const name = textAt(variable, 'name') ?? ''
    const { value } = variable
    if (typeof value !== 'string') throw new TerminalRefused(`the value of ${JSON.stringify(name)} must be a string`)
    if (!/^[A-Za-z_]\w*$/.test(name) || value.includes('\0'))
      throw new TerminalRefused(`${JSON.stringify(name)} is not a valid variable`)
    const why = envAdditionProblem(name, value)
    if (why !== null)
      throw new TerminalRefused(
        `${name} cannot be set for a command: ${why}. If you need it, write it into the command: env ${name}=…`,
      )
    env[name] = value
  }
  return env
}
