/** What an agent may do when it asks: everything, what a tool list names, or only look. Pure. */
import type { AgentRequest } from '../domain/agent.ts'
import { objectAt, objectsAt, textAt, type Json } from './json.ts'

export interface Asked {
  /** The tool's own name where the agent tells it, else its kind or title. */
  name: string
  kind: string
  command: string | undefined
}

export type Permission = Pick<AgentRequest, 'readOnly' | 'tools'>

/** Kinds of tools that change nothing. */
const LOOKING = ['read', 'search', 'think', 'fetch']

/** What people write in a tool list → the protocol's kinds. */
const KINDS: Record<string, string> = {
  bash: 'execute',
  edit: 'edit',
  fetch: 'fetch',
  glob: 'search',
  grep: 'search',
  multiedit: 'edit',
  notebookedit: 'edit',
  read: 'read',
  search: 'search',
  shell: 'execute',
  webfetch: 'fetch',
  websearch: 'fetch',
  write: 'edit',
}

export function mayUse(asked: Asked, permission: Permission): boolean {
  if (permission.readOnly === true) return LOOKING.includes(asked.kind)
  if (permission.tools === undefined || asked.kind === 'think') return true
  return permission.tools.some((tool) => covers(tool, asked))
}

/** `Write`, `Bash`, `Bash(git add *)`, `Bash(npm test:*)`, or a kind of the protocol. */
function covers(tool: string, asked: Asked): boolean {
  const [, name = '', pattern] = /^([^(]*)(?:\((.*)\))?$/s.exec(tool.trim()) ?? []
  const word = name.toLowerCase()
  if (word !== asked.name.toLowerCase() && word !== asked.kind && KINDS[word] !== asked.kind) return false
  return (
    pattern === undefined ||
    pattern === '*' ||
    (asked.command !== undefined && matches(asked.command, pattern))
  )
}

/** A command joined to another one is no longer the command that was allowed. */
const JOINED = /[;&|`<>\n]|\$\(/

function matches(command: string, pattern: string): boolean {
  if (JOINED.test(command)) return false
  if (pattern.endsWith(':*'))
    return command === pattern.slice(0, -2) || command.startsWith(`${pattern.slice(0, -2)} `)
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`).test(command)
}

export function askedFor(call: Json): Asked {
  const own = textAt(objectAt(objectAt(call, '_meta'), 'claudeCode'), 'toolName') ?? textAt(call, 'name')
  const kind = textAt(call, 'kind') ?? 'other'
  const input = objectAt(call, 'rawInput')
  const command = textAt(input, 'command') ?? (kind === 'execute' ? textAt(call, 'title') : undefined)
  return { name: own ?? (kind === 'other' ? (textAt(call, 'title') ?? kind) : kind), kind, command }
}

/** The answer the protocol wants: one of the options offered, or `cancelled` where none fits. */
export function outcomeOf(
  request: Json,
  allow: boolean,
): { outcome: 'cancelled' } | { outcome: 'selected'; optionId: string } {
  const wanted = allow ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always']
  for (const kind of wanted) {
    const option = objectsAt(request, 'options').find((offered) => offered['kind'] === kind)
    const optionId = option === undefined ? undefined : textAt(option, 'optionId')
    if (optionId !== undefined) return { outcome: 'selected', optionId }
  }
  return { outcome: 'cancelled' }
}
