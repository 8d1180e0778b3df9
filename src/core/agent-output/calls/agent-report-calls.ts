/**
 * What an agent tells by calling a tool of `ralph mcp`: which calls there are, what each may say, and what all calls of an iteration
 * amount to. The server and whoever reads its file ask the same function, so a call that was noted is a call that counts.
 */
import { never } from '../../assert-never.ts'
import { cleanTags } from '../../memory/knowledge-page.ts'
import { bodyProblem, tagsProblem, pageTitleProblem } from '../../memory/limits.ts'
import { asObject, objectAt, parseObject, texts, type Json } from '../../text/json.ts'
import {
  emptyAgentReport,
  AGENT_REPORT_MAX,
  type ReportedKnowledge,
  type AgentReport,
} from '../agent-report.ts'

export type AgentReportCall =
  | { tool: 'task_done'; task: string }
  | { tool: 'task_failed'; task: string; why: string | null }
  | { tool: 'note'; text: string }
  | { tool: 'knowledge'; title: string; tags: string[]; body: string }
  /** `id`: by which a person answers it; the server gives it. */
  | { tool: 'ask'; id: string; text: string }
  | { tool: 'progress'; text: string }
  | { tool: 'finding'; text: string }

export type AgentReportTool = AgentReportCall['tool']

export const AGENT_REPORT_TOOLS = [
  'task_done',
  'task_failed',
  'note',
  'knowledge',
  'ask',
  'progress',
  'finding',
] as const satisfies readonly AgentReportTool[]

/** By what these tools are known to agents. */
export const MCP_SERVER = 'ralph'

/** The server's file in the iteration's folder, and the token that it must know to write there. */
export const AGENT_REPORT_FILE = 'told.jsonl'
export const TOKEN_FILE = 'mcp-token'
export const MCP_FOLDER = 'RALPH_MCP_FOLDER'
export const MCP_TOKEN = 'RALPH_MCP_TOKEN'

/** A note of 4,000 characters fits into a line whatever it is written in. */
export const AGENT_REPORT_LINE_MAX = 16 * 1024
export const AGENT_REPORT_FILE_MAX = 1024 * 1024

const ID_MAX = 80
const ASK_MAX = 1_000
const PROGRESS_MAX = 200

export type ParsedCall = { is: 'call'; call: AgentReportCall } | { is: 'wrong'; say: string }

/** The call that these arguments make, or what is wrong with them, in words to the agent. */
export function readAgentReportCall(tool: AgentReportTool, args: Json): ParsedCall {
  const take = taker(args)
  const call = callOf(tool, take)
  return take.wrong() === null ? { is: 'call', call } : { is: 'wrong', say: take.wrong() ?? '' }
}

function callOf(tool: AgentReportTool, take: Taker): AgentReportCall {
  switch (tool) {
    case 'task_done':
      return { tool, task: take.id('task') }
    case 'task_failed':
      return { tool, task: take.id('task'), why: take.maybe('why', AGENT_REPORT_MAX.finding) }
    case 'note':
      return { tool, text: take.text('text', AGENT_REPORT_MAX.note) }
    case 'knowledge':
      return { tool, ...take.entry() }
    case 'ask':
      return { tool, id: take.maybe('id', ID_MAX) ?? '', text: take.text('question', ASK_MAX) }
    case 'progress':
      return { tool, text: take.line('text', PROGRESS_MAX) }
    case 'finding':
      return { tool, text: take.text('text', AGENT_REPORT_MAX.finding) }
    default:
      return never(tool)
  }
}

type Taker = ReturnType<typeof taker>

/** Takes arguments by name and remembers the first that was wrong. */
function taker(args: Json) {
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
    return length <= max
      ? said
      : refuse(`"${name}" has ${length} characters, and ${max} are allowed: say it shorter.`)
  }
  const line = (name: string, max: number): string => text(name, max).replaceAll(/\s+/g, ' ')
  return {
    text,
    line,
    maybe: (name: string, max: number): string | null =>
      Object.hasOwn(args, name) && args[name] !== null && args[name] !== '' ? text(name, max) : null,
    id(name: string): string {
      const said = text(name, ID_MAX)
      return /^[^<>\s\p{C}]*$/u.test(said)
        ? said
        : refuse(`"${name}" must be the id of a task, without spaces.`)
    },
    /** By the rules of whoever keeps it: what they would not take is not noted. */
    entry(): ReportedKnowledge {
      const entry = {
        title: line('title', AGENT_REPORT_LINE_MAX),
        tags: tagsIn(args['tags']),
        body: text('body', AGENT_REPORT_LINE_MAX),
      }
      const problem = pageTitleProblem(entry.title) ?? tagsProblem(entry.tags) ?? bodyProblem(entry.body)
      if (problem !== null) refuse(`It would not be kept: ${problem}.`)
      return entry
    },
    wrong: (): string | null => wrong,
  }
}

/** A list of texts, or one text with commas: agents write both. */
function tagsIn(value: unknown): string[] {
  return cleanTags(typeof value === 'string' ? value.split(',') : (texts(value) ?? []))
}

/** How many different calls of a tool count in one iteration; null: only the last one does. */
export function maxCallsOf(tool: AgentReportTool): number | null {
  switch (tool) {
    case 'task_done':
    case 'task_failed':
      return AGENT_REPORT_MAX.tasks
    case 'note':
      return AGENT_REPORT_MAX.notes
    case 'knowledge':
      return AGENT_REPORT_MAX.knowledge
    case 'ask':
      return AGENT_REPORT_MAX.asks
    case 'finding':
      return AGENT_REPORT_MAX.findings
    case 'progress':
      return null
    default:
      return never(tool)
  }
}

/** A line of the server's file, as it was signed. */
export function callLine(call: AgentReportCall): string {
  const { tool, ...args } = call
  // Read back by the name that the tool has for it.
  return JSON.stringify({ tool, args: tool === 'ask' ? { id: call.id, question: call.text } : args })
}

/** What all calls of an iteration amount to, from lines whose signatures were right. */
export function reportFromCalls(lines: readonly string[]): AgentReport {
  const told = emptyAgentReport()
  for (const line of lines) {
    const call = callIn(line)
    if (call !== null) takeCall(told, call)
  }
  return told
}

/** Null: written by a version that knows more calls than this one. */
function callIn(line: string): AgentReportCall | null {
  const json = asObject(parseObject(line)) ?? {}
  const tool = AGENT_REPORT_TOOLS.find((name) => name === json['tool'])
  if (tool === undefined) return null
  const read = readAgentReportCall(tool, objectAt(json, 'args'))
  return read.is === 'call' ? read.call : null
}

function takeCall(told: AgentReport, call: AgentReportCall): void {
  switch (call.tool) {
    case 'task_done':
      told.done.push(call.task)
      return
    case 'task_failed':
      told.failed.push(call.task)
      if (call.why === null) return
      told.why = call.why
      told.notes.push(`${call.task} failed: ${call.why}`)
      return
    case 'note':
      told.notes.push(call.text)
      return
    case 'knowledge':
      told.knowledge.push({ title: call.title, tags: call.tags, body: call.body })
      return
    case 'ask':
      told.asks.push({ id: call.id, text: call.text })
      return
    case 'progress':
      told.progress = call.text
      return
    case 'finding':
      told.findings.push(call.text)
      return
    default:
      never(call)
  }
}

/** What was said by tags, and what by calls: the same thing said both ways is said once. */
export function mergeAgentReports(tags: AgentReport, calls: AgentReport): AgentReport {
  const problems = [...tags.problems, ...calls.problems]
  function upTo<T>(what: string, max: number, said: T[]): T[] {
    const once = unique(said)
    if (once.length > max)
      problems.push(
        `You gave ${once.length} ${what} in one iteration, and ${max} are taken: the rest was dropped.`,
      )
    return once.slice(0, max)
  }
  const joined: AgentReport = {
    ...tags,
    done: upTo('tasks as done', AGENT_REPORT_MAX.tasks, [...tags.done, ...calls.done]),
    failed: upTo('tasks as failed', AGENT_REPORT_MAX.tasks, [...tags.failed, ...calls.failed]),
    ...(calls.why === undefined ? {} : { why: calls.why }),
    notes: upTo('notes', AGENT_REPORT_MAX.notes, [...tags.notes, ...calls.notes]),
    knowledge: upTo('knowledge entries', AGENT_REPORT_MAX.knowledge, [...tags.knowledge, ...calls.knowledge]),
    asks: upTo('questions', AGENT_REPORT_MAX.asks, [...tags.asks, ...calls.asks]),
    progress: calls.progress ?? tags.progress,
    findings: upTo('findings', AGENT_REPORT_MAX.findings, [...tags.findings, ...calls.findings]),
    problems,
  }
  return { ...joined, problems: unique(problems).slice(0, AGENT_REPORT_MAX.problems) }
}

function unique<T>(values: T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}
