/** How models are chosen. The model of each tier is resolved at the start, per agent (`AgentRules.models`). */
import { MODEL_STRATEGIES } from '../models/model-strategy.ts'
import { defineRule } from './rule.ts'

export const MODEL_SETTINGS = {
  strategy: defineRule({
    name: 'model.strategy',
    kind: { is: 'choice', of: MODEL_STRATEGIES, or: 'auto' },
    default: null,
    help: 'How Ralph picks the model (see `ralph help models`); auto: fixed, or cost-optimized in ralph-rust projects',
    auto: { ours: 'fixed', bash: 'fixed', rust: 'cost-optimized' },
    changes: 'live',
  }),
} as const
