/** The tool descriptions for agents, in the format of the Model Context Protocol. `agent-report-calls.ts` parses the arguments. */
import { AGENT_REPORT_TOOLS, type AgentReportTool } from '../core/agent-output/calls/agent-report-calls.ts'
import type { JsonObject } from '../core/text/json.ts'

/** For the agent: what Ralph does with its reports. */
export const MCP_INSTRUCTIONS =
  'Ralph started you, and nobody is watching. Use these tools to report the result of your task and what the next agent should know. Your reports are hints: the gates of the project decide whether the work is done.'

interface ToolText {
  title: string
  description: string
  properties: Record<string, JsonObject>
  required: string[]
}

const text = (description: string): JsonObject => ({ type: 'string', description })
const TASK = text('The ID of the task, from your prompt')

const TOOL_TEXTS: Record<AgentReportTool, ToolText> = {
  task_done: {
    title: 'Task done',
    description:
      'Report that your task is done. Call this once, at the end, when everything is finished and checked. Ralph runs the gates after you finish.',
    properties: { task: TASK },
    required: ['task'],
  },
  task_failed: {
    title: 'Task failed',
    description: 'Report that your task cannot be done, and why. Try another way first.',
    properties: { task: TASK, why: text('The reason, at most 1000 characters') },
    required: ['task'],
  },
  note: {
    title: 'Note',
    description: 'Write a journal entry for whoever works next: what you tried, what you decided, what is left.',
    properties: { text: text('At most 4000 characters') },
    required: ['text'],
  },
  knowledge: {
    title: 'Knowledge',
    description:
      'Save a lasting fact about this project: how something works, a pitfall, a convention. One subject per entry.',
    properties: {
      title: text('One line'),
      tags: { type: 'array', items: { type: 'string' }, description: '1 to 20 keywords to find it by' },
      body: text('At most 500 words; [[title]] refers to another entry'),
    },
    required: ['title', 'tags', 'body'],
  },
  ask: {
    title: 'Ask',
    description:
      'Ask a person a question. Nobody can answer now: continue without the answer; it comes with a later prompt.',
    properties: { question: text('At most 1000 characters') },
    required: ['question'],
  },
  progress: {
    title: 'Progress',
    description: 'Say in one line what you are doing. Ralph keeps only the last one.',
    properties: { text: text('One line, at most 200 characters') },
    required: ['text'],
  },
  finding: {
    title: 'Finding',
    description: 'Report something wrong or worth doing that is not part of your task.',
    properties: { text: text('At most 1000 characters') },
    required: ['text'],
  },
}

/** Agents that ask before a tool is used need not ask about these: they change nothing in the project or outside. */
const HARMLESS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

export function listMcpTools(): JsonObject[] {
  return AGENT_REPORT_TOOLS.map((name) => {
    const { title, description, properties, required } = TOOL_TEXTS[name]
    return {
      name,
      title,
      description,
      inputSchema: { type: 'object', properties, required, additionalProperties: false },
      annotations: { title, ...HARMLESS },
      _meta: { 'anthropic/alwaysLoad': true },
    }
  })
}
