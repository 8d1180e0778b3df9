/** What is said before a run about a strategy that cannot do what somebody chose it for. */
import type { Driver } from '../../agents/driver.ts'
import type { ModelStrategy, TierModels } from '../../core/models/model-strategy.ts'

/** A strategy that somebody chose and that changes nothing for an agent is told while it can still be mended. */
export function modelWarnings(
  agents: readonly Driver[],
  { strategy, models, isChosen }: { strategy: ModelStrategy; models: Record<string, TierModels>; isChosen: boolean },
): string[] {
  if (strategy === 'fixed' || !isChosen) return []
  return agents.flatMap(({ name, title, capabilities }) => {
    if (capabilities.model === 'no')
      return [`${title} cannot be told its model, so model.strategy ${strategy} changes nothing for it`]
    if (models[name] !== undefined) return []
    return [
      `no models are known for ${name}, so model.strategy ${strategy} changes nothing for it: name them in [models] or ${tableOf(name)}`,
    ]
  })
}

/** As one writes it in a file: a command line wants quotes. */
function tableOf(name: string): string {
  return /^[\w-]+$/.test(name) ? `[agents.${name}]` : `[agents.${JSON.stringify(name)}]`
}
