/** Which agent works, what it may do, and when Ralph stops it. */
import { HOUR, MINUTE, SECOND } from '../text/value-kind.ts'
import { defineRule } from './rule.ts'

export const AGENT_SETTINGS = {
  order: defineRule({
    name: 'agent.order',
    kind: { is: 'list' },
    default: ['claude'],
    help: 'Agent, followed by its fallbacks on a usage limit or outage (`acp:COMMAND`: any ACP agent)',
  }),
  model: defineRule({
    name: 'agent.model',
    kind: { is: 'text', or: 'default' },
    default: null,
    help: "Model name, as the agent's CLI expects it",
    argument: true,
    changes: 'live',
  }),
  effort: defineRule({
    name: 'agent.effort',
    kind: { is: 'text', or: 'default' },
    default: null,
    help: 'Reasoning effort (values depend on the agent)',
    argument: true,
    changes: 'live',
  }),
  /** As configured; the default list is determined at the start. */
  tools: defineRule({
    name: 'agent.tools',
    kind: { is: 'list', or: 'default' },
    default: null,
    help: 'Allowed tools; `!TOOL` removes one. default: a safe list for this project (see `ralph help agents`)',
    argument: true,
  }),
  permission: defineRule({
    name: 'agent.permission',
    kind: { is: 'text' },
    default: 'list',
    help: 'list (allowed tools), edits (files too), bypass (everything), ask (prompt you), or a mode of the agent',
  }),
  resume: defineRule({
    name: 'agent.continue',
    kind: { is: 'boolean' },
    default: true,
    help: 'Resume the agent session in each iteration',
  }),
  conversationMaxAgeMs: defineRule({
    name: 'agent.conversation_hours',
    kind: { is: 'duration', unit: 'h', min: 1, max: 10_000 * HOUR },
    default: 24 * HOUR,
    help: 'Start a new agent session if the last one is older than this',
  }),
  maxTurns: defineRule({
    name: 'agent.max_turns',
    kind: { is: 'integer', min: 1, or: 'none' },
    default: null,
    help: 'Turns per iteration, for agents that can limit them',
  }),
  limits: {
    idleMs: defineRule({
      name: 'agent.idle',
      kind: { is: 'duration', unit: 'm', min: 0 },
      default: 10 * MINUTE,
      help: 'Stop an agent that prints nothing for this long (0: never)',
      changes: 'live',
    }),
    wallMs: defineRule({
      name: 'agent.timeout',
      kind: { is: 'duration', unit: 'm', min: 0, max: 168 * HOUR },
      default: 15 * MINUTE,
      help: 'Time limit per iteration (0: no limit)',
      changes: 'live',
    }),
    completionGraceMs: defineRule({
      name: 'agent.completion_grace',
      kind: { is: 'duration', unit: 's', min: 0 },
      default: 60 * SECOND,
      help: "How long an agent may keep running after it says it's done (0: no limit)",
    }),
    stopGraceMs: defineRule({
      name: 'agent.stop_grace',
      kind: { is: 'duration', unit: 's', min: 0 },
      default: 3 * SECOND,
      help: 'Time an agent gets to exit before Ralph kills it',
    }),
    handshakeMs: defineRule({
      name: 'agent.handshake',
      kind: { is: 'duration', unit: 's', min: 0 },
      default: 60 * SECOND,
      help: 'How long an ACP agent may take to open its session (0: no limit)',
    }),
  },
} as const
