/** What an agent may do when it asks: everything, what a tool list names, or only look. Pure. */
import type { AgentRequest } from '../../domain/call/agent.ts'
import { MCP_SERVER, TOLD_TOOLS } from '../../domain/reply/calls/told-calls.ts'
import { partsOf } from '../../domain/text/shell.ts'
import { matchesCommand, toolOf, type Tool } from '../../domain/call/tool-list.ts'
import { objectAt, objectsAt, textAt, type Json } from '../../domain/text/json.ts'
import { isListed, permissionOf } from '../permission.ts'

export interface PermissionAsked {
  /** The tool's own name where the agent tells it, else its kind or title. */
  name: string
  kind: string
  command: string | undefined
}

export type Asking = Pick<AgentRequest, 'readOnly' | 'tools' | 'permission' | 'mcp'>

/** The tools of our own server, by the names that agents give them; the second is the title of Gemini's question, which tells no name. */
const OURS: ReadonlySet<string> = new Set(
  TOLD_TOOLS.flatMap((tool) => [`mcp__${MCP_SERVER}__${tool}`, `${tool} (${MCP_SERVER} MCP Server)`]),
)

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

export function mayUse(asked: PermissionAsked, asking: Asking): boolean {
  if (asking.readOnly === true) return LOOKING.includes(asked.kind)
  if (!isListed(asking) || asked.kind === 'think') return true
  if (asking.mcp !== undefined && OURS.has(asked.name) && asked.command === undefined) return true
  if (permissionOf(asking, 'any') === 'edits' && asked.kind === 'edit') return true
  const tools = (asking.tools ?? []).map(toolOf).filter((tool) => speaksOf(tool, asked))
  if (tools.some(({ pattern, never }) => never && pattern === null)) return false
  const whole = tools.some(({ pattern, never }) => !never && (pattern === null || pattern === '*'))
  if (asked.command === undefined) return whole
  return mayRun(asked.command, { whole, tools })
}

/** Each command of a joined line must be allowed by itself. Where they cannot be told apart, only the whole shell will do. */
function mayRun(line: string, { whole, tools }: { whole: boolean; tools: Tool[] }): boolean {
  const given = tools.filter(({ never }) => !never)
  const taken = tools.filter(({ never }) => never)
  const parts = partsOf(line)
  if (parts === null) return whole && taken.length === 0
  return parts.every(
    (part) =>
      (whole || given.some(({ pattern }) => matchesCommand(part, pattern ?? '*'))) &&
      !taken.some(({ pattern }) => matchesCommand(part, pattern ?? '*')),
  )
}

/** By the tool's own name, or by the kind of the protocol that people's word for it belongs to. Who may read may search. */
function speaksOf({ name }: Tool, asked: PermissionAsked): boolean {
  const word = name.toLowerCase()
  if (word === asked.name.toLowerCase() || word === asked.kind || KINDS[word] === asked.kind) return true
  return word === 'read' && asked.kind === 'search'
}

export function askedFor(call: Json): PermissionAsked {
  const meta = objectAt(call, '_meta')
  const own =
    textAt(objectAt(meta, 'claudeCode'), 'toolName') ?? textAt(meta, 'toolName') ?? textAt(call, 'name')
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
