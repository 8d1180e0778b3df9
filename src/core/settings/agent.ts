/** Which agent works, what it may do, and when Ralph stops it. */
import { HOUR, MINUTE, SECOND } from '../text/value-kind.ts'
import { defineRule } from './rule.ts'

export const AGENT_SETTINGS = {
  order: defineRule({
    name: 'agent.order',
    kind: { is: 'list' },
    default: ['claude'],
    help: 'The agent to use; further ones take over in this order when it hits a limit. `acp:COMMAND` for any ACP agent',
  }),
  model: defineRule({
    name: 'agent.model',
    kind: { is: 'text', or: 'default' },
    default: null,
    help: "The model, in the agent's own words",
    argument: true,
    changes: 'live',
  }),
  effort: defineRule({
    name: 'agent.effort',
    kind: { is: 'text', or: 'default' },
    default: null,
    help: "How hard the model thinks, in the agent's own words",
    argument: true,
    changes: 'live',
  }),
  /** As configured; the default list is determined at the start. */
  tools: defineRule({
    name: 'agent.tools',
    kind: { is: 'list', or: 'default' },
    default: null,
    help: 'Tools to use without asking, where `!` takes one away; default: a safe list for the project (see the guide on agents)',
    argument: true,
  }),
  permission: defineRule({
    name: 'agent.permission',
    kind: { is: 'text' },
    default: 'list',
    help: "How far it may go: list (its tools), edits (files too), bypass (everything), ask (you decide), or a vendor's own mode",
  }),
  resume: defineRule({
    name: 'agent.continue',
    kind: { is: 'boolean' },
    default: true,
    help: "Go on with the agent's conversation from iteration to iteration",
  }),
  conversationMaxAgeMs: defineRule({
    name: 'agent.conversation_hours',
    kind: { is: 'duration', unit: 'h', min: 1, max: 10_000 * HOUR },
    default: 24 * HOUR,
    help: 'A conversation that was not used for this long is not resumed',
  }),
  maxTurns: defineRule({
    name: 'agent.max_turns',
    kind: { is: 'integer', min: 1, or: 'none' },
    default: null,
    help: 'Turns the agent may take in one iteration, where it can count them',
  }),
  limits: {
    idleMs: defineRule({
      name: 'agent.idle',
      kind: { is: 'duration', unit: 'm', min: 0 },
      default: 10 * MINUTE,
      help: 'An agent that says nothing at all for this long is ended; 0: never',
      changes: 'live',
    }),
    wallMs: defineRule({
      name: 'agent.timeout',
      kind: { is: 'duration', unit: 'm', min: 0, max: 168 * HOUR },
      default: 15 * MINUTE,
      help: 'The longest one iteration may take; 0: no limit',
      changes: 'live',
    }),
    completionGraceMs: defineRule({
      name: 'agent.completion_grace',
      kind: { is: 'duration', unit: 's', min: 0 },
      default: 60 * SECOND,
      help: 'How long an agent may linger after it said that it is done; 0: for ever',
    }),
    stopGraceMs: defineRule({
      name: 'agent.stop_grace',
      kind: { is: 'duration', unit: 's', min: 0 },
      default: 3 * SECOND,
      help: 'Time between asking an agent to stop and killing it',
    }),
    handshakeMs: defineRule({
      name: 'agent.handshake',
      kind: { is: 'duration', unit: 's', min: 0 },
      default: 60 * SECOND,
      help: 'How long an agent that speaks ACP may take to open its session; 0: no limit of its own',
    }),
  },
} as const
