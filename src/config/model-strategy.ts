/** Where a model and a strategy are both said: which of them counts. */
import type { ModelStrategy } from '../core/models/model-strategy.ts'
import { invalidSetting, originText, type Origin } from './origin.ts'
import type { Settings } from './resolve.ts'

interface Said {
  model: string | null
  strategy: ModelStrategy | null
  /** The model stands in a stronger place than the strategy. */
  modelFirst: boolean
  origin: (key: 'agent.model' | 'model.strategy') => Origin
}

/** A model alone is the model for all, also where a weaker place names a strategy. Null: what `auto` means. */
export function chooseModelStrategy({ model, strategy, modelFirst, origin }: Said): {
  value: ModelStrategy | null
  remarks: string[]
} {
  if (model === null || strategy === 'fixed') return { value: strategy, remarks: [] }
  if (strategy === null) return { value: 'fixed', remarks: [] }
  const [chosen, followed] = [originText(origin('agent.model')), originText(origin('model.strategy'))]
  if (modelFirst)
    return {
      value: 'fixed',
      remarks: [`${chosen}: ${model} works, so ${strategy} (${followed}) is not followed`],
    }
  return {
    value: strategy,
    remarks: [`${followed}: ${strategy} chooses the models, so ${model} (${chosen}) is not used`],
  }
}

/** Who types `fixed` has one in mind. In a file it may stand for the vendor's default. */
export function checkModelStrategy({ values, origin }: Pick<Settings, 'values' | 'origin'>): void {
  const said = origin('model.strategy')
  if (values['model.strategy'] !== 'fixed' || values['agent.model'] !== null) return
  if (said.from === 'flag' || said.from === 'environment')
    throw invalidSetting(said, 'found "fixed", which needs a model: --model NAME')
}
