/** Warnings before a run about a model strategy that has no effect. */
import type { Driver } from '../../agents/driver.ts'
import type { ModelStrategy, TierModels } from '../../core/models/model-strategy.ts'

/** Warns for each agent on which the chosen strategy has no effect. */
export function modelWarnings(
  agents: readonly Driver[],
  { strategy, models, isChosen }: { strategy: ModelStrategy; models: Record<string, TierModels>; isChosen: boolean },
): string[] {
  if (strategy === 'fixed' || !isChosen) return []
  return agents.flatMap(({ name, title, capabilities }) => {
    if (capabilities.model === 'no')
      return [`${title} has no model option, so model.strategy ${strategy} has no effect on it`]
    if (models[name] !== undefined) return []
    return [
      `no models are known for ${name}, so model.strategy ${strategy} has no effect on it: list them in [models] or ${tableOf(name)}`,
    ]
  })
}

/** The TOML table of an agent: a command line needs quotes. */
function tableOf(name: string): string {
  return /^[\w-]+$/.test(name) ? `[agents.${name}]` : `[agents.${JSON.stringify(name)}]`
}
