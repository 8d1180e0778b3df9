/** The tool descriptions for agents, in the format of the Model Context Protocol. `agent-report-calls.ts` parses the arguments. */
import { AGENT_REPORT_TOOLS, type AgentReportTool } from '../core/agent-output/calls/agent-report-calls.ts'
import type { JsonObject } from '../core/text/json.ts'

/** For the agent: what Ralph does with its reports. */
export const MCP_INSTRUCTIONS =
  'Ralph started you and nobody is watching. Tell it here what became of your task and what the next agent should know. What you tell is a hint: the gates of the project decide whether the work is done.'

interface ToolText {
  title: string
  description: string
  properties: Record<string, JsonObject>
  required: string[]
}

const text = (description: string): JsonObject => ({ type: 'string', description })
const TASK = text('The id of the task, as the prompt gives it')

const TOOL_TEXTS: Record<AgentReportTool, ToolText> = {
  task_done: {
    title: 'Task done',
    description:
      'Say that your task is done. Call it once, at the end, when all of it is finished and checked. The gates are run after you ended.',
    properties: { task: TASK },
    required: ['task'],
  },
  task_failed: {
    title: 'Task failed',
    description: 'Say that your task cannot be done, and why. Look for another way first.',
    properties: { task: TASK, why: text('What stands in the way, at most 1000 characters') },
    required: ['task'],
  },
  note: {
    title: 'Note',
    description:
      'Write into the journal what whoever works next must know: what was tried, what was decided, what is left.',
    properties: { text: text('At most 4000 characters') },
    required: ['text'],
  },
  knowledge: {
    title: 'Knowledge',
    description:
      'Keep something that stays true about this project: how a thing works, a trap, a convention. One subject each.',
    properties: {
      title: text('One line'),
      tags: { type: 'array', items: { type: 'string' }, description: '1 to 20 words by which it is found' },
      body: text('At most 500 words; [[title]] refers to another entry'),
    },
    required: ['title', 'tags', 'body'],
  },
  ask: {
    title: 'Ask',
    description:
      'Ask a person something. Nobody is there now: the question is kept, an answer comes with a later prompt, and you go on without it.',
    properties: { question: text('At most 1000 characters') },
    required: ['question'],
  },
  progress: {
    title: 'Progress',
    description: 'Say in one line what you are doing. Only the last one is kept.',
    properties: { text: text('One line, at most 200 characters') },
    required: ['text'],
  },
  finding: {
    title: 'Finding',
    description: 'Report something that is wrong or worth doing and is not part of your task.',
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
