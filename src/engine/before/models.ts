/** What the tiers are called for each agent of a run, found out once at its start: what its own table says, then the settings, then its driver. */
import type { Driver } from '../../agents/driver.ts'
import type { Settings } from '../../config/resolve.ts'
import { TIERS, type Strategy, type TierModels } from '../../domain/memory/strategy.ts'

type NamedModels = Pick<Settings, 'models' | 'values'>

/** Who has no name for any is not in it. */
export function modelsOf(
  agents: readonly Driver[],
  { models, values }: NamedModels,
): Record<string, TierModels> {
  const all = agents.map(({ name, models: own }): [string, TierModels] => {
    const nameOf = (tier: keyof TierModels): string | null =>
      models[name]?.[tier] ?? values[`models.${tier}`] ?? own?.[tier] ?? null
    return [name, { light: nameOf('light'), medium: nameOf('medium'), strong: nameOf('strong') }]
  })
  return Object.fromEntries(all.filter(([, named]) => TIERS.some((tier) => named[tier] !== null)))
}

/** A strategy that somebody chose and that changes nothing for an agent is told while it can still be mended. */
export function modelRemarks(
  agents: readonly Driver[],
  {
    strategy,
    models,
    isChosen,
  }: { strategy: Strategy; models: Record<string, TierModels>; isChosen: boolean },
): string[] {
  if (strategy === 'fixed' || !isChosen) return []
  return agents.flatMap(({ name, title, capabilities }) => {
    if (capabilities.model === 'no')
      return [`${title} cannot be told its model, so model.strategy ${strategy} changes nothing for it`]
    if (models[name] !== undefined) return []
    return [
      `no models are known for ${name}, so model.strategy ${strategy} changes nothing for it: name them in [models] or [agents.NAME]`,
    ]
  })
}
