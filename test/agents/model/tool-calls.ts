/** Which tool of the caller does what the script wants. Every program names its own tools; the first one it offers is taken. */
import { isAbsolute, join } from 'node:path'
import type { Turn } from './script.ts'

export type Call =
  | { kind: 'json'; name: string; namespace?: string; args: Record<string, unknown> }
  /** A tool that takes free text instead of JSON. */
  | { kind: 'text'; name: string; input: string }

export interface Offered {
  tools: string[]
  /** Those of them that take free text. */
  freeText: string[]
}

type File = { path: string; content: string }

const WRITERS: Record<string, (file: File) => Record<string, unknown>> = {
  Write: ({ path, content }) => ({ file_path: path, content }),
  write: ({ path, content }) => ({ filePath: path, content }),
  write_file: ({ path, content }) => ({ file_path: path, content }),
  create: ({ path, content }) => ({ path, file_text: content }),
}

const SHELLS: Record<string, (command: string) => Record<string, unknown>> = {
  exec_command: (cmd) => ({ cmd }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ['bash', '-lc', command] }),
  Bash: (command) => ({ command, description: 'scripted command' }),
  bash: (command) => ({ command, description: 'scripted command' }),
  run_shell_command: (command) => ({ command, description: 'scripted command' }),
}

/** `habits`: the tools the program has when nothing is taken from it, for calls the script insists on. */
export function callFor(
  turn: Turn,
  { offered, folder, habits }: { offered: Offered; folder: string; habits: string[] },
): Call | null {
  if (turn.call !== undefined) return { kind: 'json', ...turn.call }
  if (turn.tell !== undefined) return tellCall(turn.tell, offered)
  const within = turn.insist === true ? [...offered.tools, ...habits] : offered.tools
  if (turn.write !== undefined) {
    const path = isAbsolute(turn.write.path) ? turn.write.path : join(folder, turn.write.path)
    const writer = within.find((name) => Object.hasOwn(WRITERS, name))
    if (writer !== undefined)
      return { kind: 'json', name: writer, args: WRITERS[writer]?.({ ...turn.write, path }) ?? {} }
    if (offered.freeText.includes('apply_patch')) return { kind: 'text', name: 'apply_patch', input: patch(turn.write) }
    return shellCall(`printf %s ${quoted(turn.write.content)} > ${quoted(turn.write.path)}`, within)
  }
  return turn.shell === undefined ? null : shellCall(turn.shell, within)
}

/** Programs put the name of the server before that of the tool, each with signs of its own between. */
function tellCall({ tool, args }: NonNullable<Turn['tell']>, { tools }: Offered): Call | null {
  const name = tools.find((offered) => /ralph/.test(offered) && offered.endsWith(tool))
  if (name !== undefined) return { kind: 'json', name, args }
  // Qwen Code and Codex hold such tools back until the model looks for them; it may call them all the same.
  if (tools.includes('tool_call'))
    return { kind: 'json', name: 'tool_call', args: { name: `mcp__ralph__${tool}`, arguments: args } }
  return { kind: 'json', name: tool, namespace: 'mcp__ralph', args }
}

function shellCall(command: string, tools: string[]): Call | null {
  const name = tools.find((tool) => Object.hasOwn(SHELLS, tool))
  return name === undefined ? null : { kind: 'json', name, args: SHELLS[name]?.(command) ?? {} }
}

function patch({ path, content }: File): string {
  const lines = content.replace(/\n$/, '').split('\n')
  return ['*** Begin Patch', `*** Add File: ${path}`, ...lines.map((line) => `+${line}`), '*** End Patch', ''].join(
    '\n',
  )
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
