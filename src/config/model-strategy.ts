/** `--model-strategy` and `RALPH_MODEL_STRATEGY` of the Rust tool: of its strategies only the one model for all means something yet. */
import { RalphError } from '../domain/error.ts'
import { badSetting, sayOrigin, type Origin } from './origin.ts'
import type { Settings } from './resolve.ts'

const LATER = ['cost-optimized', 'escalate', 'plan-then-execute']

/** Refuses what cannot be followed. `said`: the flag's value. */
export function checkModelStrategy(
  said: string | null,
  { env, settings }: { env: Record<string, string | undefined>; settings: Settings },
): void {
  const variable = env[VARIABLE] ?? ''
  const strategy = said ?? variable
  if (strategy === '') return
  const origin: Origin =
    said === null ? { from: 'environment', name: VARIABLE } : { from: 'flag', flag: 'model-strategy' }
  if (strategy === 'fixed') {
    if (settings.values['agent.model'] !== null) return
    throw badSetting(origin, 'found "fixed", which needs a model: --model NAME')
  }
  if (!LATER.includes(strategy))
    throw badSetting(origin, `found ${JSON.stringify(strategy)}, expected "fixed" (with --model)`)
  const words = `${sayOrigin(origin)}: ${strategy} is not offered: models are not chosen anew for each iteration yet`
  throw new RalphError('not-offered', words, {
    hint: 'One model for all: --model NAME (agent.model). Nothing was started.',
  })
}

const VARIABLE = 'RALPH_MODEL_STRATEGY'
