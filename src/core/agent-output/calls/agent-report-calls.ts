/**
 * What an agent reports by calling a tool of `ralph mcp`: the calls, their arguments, and the report that all calls of an iteration add
 * up to. The server and the reader of its file use the same parser, so every call that the server saved counts.
 */
import { normalizeTags } from '../../memory/knowledge-page.ts'
import { bodyProblem, tagsProblem, pageTitleProblem } from '../../memory/knowledge-limits.ts'
import { asObject, objectAt, parseObject, asTexts, type JsonObject } from '../../text/json.ts'
import { emptyAgentReport, AGENT_REPORT_LIMITS, type ReportedKnowledge, type AgentReport } from '../agent-report.ts'

/** The arguments of each call. */
interface CallArgs {
  task_done: { task: string }
  task_failed: { task: string; why: string | null }
  note: { text: string }
  knowledge: ReportedKnowledge
  /** `id`: a person's answer refers to it; the server assigns it. */
  ask: { id: string; text: string }
  progress: { text: string }
  finding: { text: string }
}

export type AgentReportTool = keyof CallArgs
export type AgentReportCall = { [T in AgentReportTool]: { tool: T } & CallArgs[T] }[AgentReportTool]

/** The server name under which agents know these tools. */
export const MCP_SERVER_NAME = 'ralph'

/** The server's file in the iteration's folder, and the token it needs to write there. */
export const AGENT_REPORT_FILE = 'agent-reports.jsonl'
export const MCP_TOKEN_FILE = 'mcp-token'
export const MCP_FOLDER_VARIABLE = 'RALPH_MCP_FOLDER'
export const MCP_TOKEN_VARIABLE = 'RALPH_MCP_TOKEN'

/** A note of 4,000 characters fits into a line in any script. */
export const AGENT_REPORT_LINE_MAX = 16 * 1024
export const AGENT_REPORT_FILE_MAX = 1024 * 1024

const ID_MAX = 80
const ASK_MAX = 1_000
const PROGRESS_MAX = 200

export type ParsedReportCall = { is: 'call'; call: AgentReportCall } | { is: 'wrong'; say: string }

/** The parsed call, or what is wrong with its arguments, as text for the agent. */
export function parseAgentReportCall(tool: AgentReportTool, args: JsonObject): ParsedReportCall {
  const take = createArgumentReader(args)
  const call = { tool, ...CALLS[tool].read(take) } as AgentReportCall
  const wrong = take.wrong()
  return wrong === null ? { is: 'call', call } : { is: 'wrong', say: wrong }
}

interface CallRule<Args> {
  /** How many different calls count in one iteration; null: only the last one does. */
  max: number | null
  read(take: Taker): Args
  /** Adds the call's content to the report. */
  add(told: AgentReport, args: Args): void
}

const CALLS: { readonly [T in AgentReportTool]: CallRule<CallArgs[T]> } = {
  task_done: {
    max: AGENT_REPORT_LIMITS.tasks,
    read: (take) => ({ task: take.id('task') }),
    add: ({ done }, { task }) => void done.push(task),
  },
  task_failed: {
    max: AGENT_REPORT_LIMITS.tasks,
    read: (take) => ({ task: take.id('task'), why: take.maybe('why', AGENT_REPORT_LIMITS.finding) }),
    add(told, { task, why }) {
      told.failed.push(task)
      if (why === null) return
      told.why = why
      told.notes.push(`${task} failed: ${why}`)
    },
  },
  note: {
    max: AGENT_REPORT_LIMITS.notes,
    read: (take) => ({ text: take.text('text', AGENT_REPORT_LIMITS.note) }),
    add: ({ notes }, { text }) => void notes.push(text),
  },
  knowledge: {
    max: AGENT_REPORT_LIMITS.knowledge,
    read: (take) => take.entry(),
    add: ({ knowledge }, { title, tags, body }) => void knowledge.push({ title, tags, body }),
  },
  ask: {
    max: AGENT_REPORT_LIMITS.asks,
    read: (take) => ({ id: take.maybe('id', ID_MAX) ?? '', text: take.text('question', ASK_MAX) }),
    add: ({ asks }, { id, text }) => void asks.push({ id, text }),
  },
  progress: {
    max: null,
    read: (take) => ({ text: take.line('text', PROGRESS_MAX) }),
    add: (told, { text }) => void (told.progress = text),
  },
  finding: {
    max: AGENT_REPORT_LIMITS.findings,
    read: (take) => ({ text: take.text('text', AGENT_REPORT_LIMITS.finding) }),
    add: ({ findings }, { text }) => void findings.push(text),
  },
}

export const AGENT_REPORT_TOOLS = Object.keys(CALLS) as AgentReportTool[]

export function maxCallsOf(tool: AgentReportTool): number | null {
  return CALLS[tool].max
}

type Taker = ReturnType<typeof createArgumentReader>

/** Reads arguments by name and remembers the first problem. */
function createArgumentReader(args: JsonObject) {
  let wrong: string | null = null
  const refuse = (why: string): string => {
    wrong ??= why
    return ''
  }
  function text(name: string, max: number): string {
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    if (typeof value !== 'string' || value.trim() === '') return refuse(`"${name}" must be a text.`)
    const said = value.trim()
    const { length } = said
    return length <= max ? said : refuse(`"${name}" has ${length} characters; the limit is ${max}.`)
  }
  const line = (name: string, max: number): string => text(name, max).replaceAll(/\s+/g, ' ')
  return {
    text,
    line,
    maybe: (name: string, max: number): string | null =>
      Object.hasOwn(args, name) && args[name] !== null && args[name] !== '' ? text(name, max) : null,
    id(name: string): string {
      const said = text(name, ID_MAX)
      return /^[^<>\s\p{C}]*$/u.test(said) ? said : refuse(`"${name}" must be the id of a task, without spaces.`)
    },
    /** Applies the limits of a knowledge page: an entry that could not be saved is refused here. */
    entry(): ReportedKnowledge {
      const entry = {
        title: line('title', AGENT_REPORT_LINE_MAX),
        tags: tagsIn(args['tags']),
        body: text('body', AGENT_REPORT_LINE_MAX),
      }
      const problem = pageTitleProblem(entry.title) ?? tagsProblem(entry.tags) ?? bodyProblem(entry.body)
      if (problem !== null) refuse(`Ralph would not save it: ${problem}.`)
      return entry
    },
    wrong: (): string | null => wrong,
  }
}

/** A list of texts, or one text with commas: agents write both. */
function tagsIn(value: unknown): string[] {
  return normalizeTags(typeof value === 'string' ? value.split(',') : (asTexts(value) ?? []))
}

/** A line of the server's file, as it was signed. */
export function formatCallLine(call: AgentReportCall): string {
  const { tool, ...args } = call
  // The tool's argument is called `question`, so the parser expects that name.
  return JSON.stringify({ tool, args: tool === 'ask' ? { id: call.id, question: call.text } : args })
}

/** The report of an iteration's calls, from lines with valid signatures. */
export function reportFromCalls(lines: readonly string[]): AgentReport {
  const told = emptyAgentReport()
  for (const line of lines) {
    const call = callIn(line)
    if (call !== null) takeCall(told, call)
  }
  return told
}

/** Null: a newer version of Ralph wrote this line, with a call that this one does not know. */
function callIn(line: string): AgentReportCall | null {
  const json = asObject(parseObject(line)) ?? {}
  const tool = AGENT_REPORT_TOOLS.find((name) => name === json['tool'])
  if (tool === undefined) return null
  const read = parseAgentReportCall(tool, objectAt(json, 'args'))
  return read.is === 'call' ? read.call : null
}

function takeCall<T extends AgentReportTool>(told: AgentReport, call: { tool: T } & CallArgs[T]): void {
  CALLS[call.tool].add(told, call)
}

/** Merges the reports from tags and from calls; an item that is in both counts once. */
export function mergeAgentReports(tags: AgentReport, calls: AgentReport): AgentReport {
  const problems = [...tags.problems, ...calls.problems]
  function both<T>(what: string, max: number, listOf: (told: AgentReport) => T[]): T[] {
    const once = unique([...listOf(tags), ...listOf(calls)])
    if (once.length > max)
      problems.push(`You reported ${once.length} ${what} in one iteration; the limit is ${max}. The rest was dropped.`)
    return once.slice(0, max)
  }
  const joined: AgentReport = {
    ...tags,
    done: both('tasks as done', AGENT_REPORT_LIMITS.tasks, ({ done }) => done),
    failed: both('tasks as failed', AGENT_REPORT_LIMITS.tasks, ({ failed }) => failed),
    ...(calls.why === undefined ? {} : { why: calls.why }),
    notes: both('notes', AGENT_REPORT_LIMITS.notes, ({ notes }) => notes),
    knowledge: both('knowledge entries', AGENT_REPORT_LIMITS.knowledge, ({ knowledge }) => knowledge),
    asks: both('questions', AGENT_REPORT_LIMITS.asks, ({ asks }) => asks),
    progress: calls.progress ?? tags.progress,
    findings: both('findings', AGENT_REPORT_LIMITS.findings, ({ findings }) => findings),
  }
  return { ...joined, problems: unique(problems).slice(0, AGENT_REPORT_LIMITS.problems) }
}

function unique<T>(values: T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}
