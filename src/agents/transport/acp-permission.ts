/** Decides what an agent may do when it asks: everything, what the tool list allows, what a person allows, or only reading. Pure. */
import type { AgentRequest } from '../../core/calls/agent-io.ts'
import { MCP_SERVER_NAME, AGENT_REPORT_TOOLS } from '../../core/agent-output/calls/agent-report-calls.ts'
import { commandsInLine, commandAsTyped } from '../../core/text/shell.ts'
import { matchesCommand, parseToolEntry, type ToolRule } from '../../core/calls/tool-list.ts'
import { objectAt, objectsAt, textAt, type JsonObject } from '../../core/text/json.ts'
import { usesToolList, resolvePermissionMode } from '../tool-permission.ts'

export interface ToolRequest {
  /** The tool's own name if the agent reports it, else its kind or title. */
  name: string
  kind: string
  command: string | undefined
  /** The folder to run the command in, if the agent names one. */
  cwd?: string
  /** The files that the agent names. */
  paths: string[]
  /** Without a command or a file: the title and the tool's input. */
  about?: string[]
}

/** `ask`: a person decides. */
export type PermissionDecision = 'yes' | 'no' | 'ask'

export type PermissionRules = Pick<AgentRequest, 'readOnly' | 'tools' | 'permission' | 'mcp'>

/** The tools of Ralph's own server, by the names that agents use; the second is the title of Gemini's request, which has no name. */
const OURS: ReadonlySet<string> = new Set(
  AGENT_REPORT_TOOLS.flatMap((tool) => [`mcp__${MCP_SERVER_NAME}__${tool}`, `${tool} (${MCP_SERVER_NAME} MCP Server)`]),
)

/** Kinds of tools that change nothing. */
const LOOKING = ['read', 'search', 'think', 'fetch']

/** Names that people write in a tool list → the protocol's kinds. */
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

export function decidePermission(asked: ToolRequest, asking: PermissionRules): PermissionDecision {
  if (asking.readOnly === true) return LOOKING.includes(asked.kind) && !isLine(asked) ? 'yes' : 'no'
  if (!usesToolList(asking) || (asked.kind === 'think' && !isLine(asked))) return 'yes'
  if (asking.mcp !== undefined && OURS.has(asked.name) && asked.command === undefined) return 'yes'
  const how = resolvePermissionMode(asking, 'any')
  if (how === 'edits' && asked.kind === 'edit') return 'yes'
  const tools = (asking.tools ?? []).map(parseToolEntry).filter((tool) => speaksOf(tool, asked))
  const ruling = byList(asked, tools)
  return ruling === 'unsaid' ? (how === 'ask' ? 'ask' : 'no') : ruling
}

/** A shell line runs something, whatever the agent calls it. A single word is what editing tools call their own action (`view`). */
function isLine({ command }: ToolRequest): boolean {
  return command !== undefined && /\s/.test(command)
}

/** The decision of the entries that match. */
function byList(asked: ToolRequest, tools: ToolRule[]): 'yes' | 'no' | 'unsaid' {
  if (tools.some(({ pattern, never }) => never && pattern === null)) return 'no'
  const whole = tools.some(({ pattern, never }) => !never && (pattern === null || pattern === '*'))
  if (asked.command === undefined) return whole ? 'yes' : 'unsaid'
  return byCommands(asked.command, { whole, tools })
}

/** Each command of a joined line must be allowed separately. If they cannot be separated, only the whole shell is enough. */
function byCommands(line: string, { whole, tools }: { whole: boolean; tools: ToolRule[] }): 'yes' | 'no' | 'unsaid' {
  const given = tools.filter(({ never }) => !never)
  const taken = tools.filter(({ never }) => never)
  const parts = commandsInLine(line)
  if (parts === null) return whole && taken.length === 0 ? 'yes' : 'unsaid'
  const matches = (among: ToolRule[], part: string) => among.some(({ pattern }) => matchesCommand(part, pattern ?? '*'))
  if (parts.some((part) => matches(taken, part))) return 'no'
  return parts.every((part) => whole || matches(given, part)) ? 'yes' : 'unsaid'
}

/** Matches by the tool's own name, or by the protocol's kind for the name in the list. Permission to read includes searching. */
function speaksOf({ name }: ToolRule, asked: ToolRequest): boolean {
  const word = name.toLowerCase()
  if (word === asked.name.toLowerCase() || word === asked.kind || KINDS[word] === asked.kind) return true
  return word === 'read' && asked.kind === 'search'
}

export function toolRequestOf(call: JsonObject): ToolRequest {
  const meta = objectAt(call, '_meta')
  const own = textAt(objectAt(meta, 'claudeCode'), 'toolName') ?? textAt(meta, 'toolName') ?? textAt(call, 'name')
  const kind = textAt(call, 'kind') ?? 'other'
  const input = objectAt(call, 'rawInput')
  const title = textAt(call, 'title')
  const command = commandIn(input, kind) ?? (kind === 'execute' ? title : undefined)
  const paths = objectsAt(call, 'locations').flatMap((location) => textAt(location, 'path') ?? [])
  const name = own ?? (kind === 'other' ? (title ?? kind) : kind)
  const cwd = textAt(input, 'cwd')
  if (command !== undefined) return { name, kind, command, ...(cwd === undefined ? {} : { cwd }), paths }
  const said = [title ?? '', Object.keys(input).length === 0 ? '' : JSON.stringify(input)]
  const about = paths.length > 0 ? [] : said.filter((text) => text !== '' && text !== name)
  return { name, kind, command, paths, ...(about.length === 0 ? {} : { about }) }
}

/** Other keys that agents use for the command of a tool. */
const COMMANDS = ['command', 'cmd', 'commandLine', 'command_line', 'script']

/** A line, its words, or a program and its arguments. The title is not reliable. */
function commandIn(input: JsonObject, kind: string): string | undefined {
  const names = kind === 'execute' ? COMMANDS : ['command']
  const given = names.map((name) => input[name]).find((one) => typeof one === 'string' || isWords(one))
  const words = [given ?? [], isWords(input['args']) ? input['args'] : []].flat()
  if (given === undefined || (words.length === 1 && typeof given === 'string')) return given
  return commandAsTyped(words.map((word) => (typeof word === 'string' ? word : JSON.stringify(word))))
}

function isWords(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 0
}

/** The answer in the protocol's form: one of the offered options, or `cancelled` if none fits. */
export function permissionOutcome(
  request: JsonObject,
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
