/** Decides whether the model or the strategy counts if both are set. */
import type { ModelStrategy } from '../core/models/model-strategy.ts'
import { invalidSettingError, originText, type Origin } from './origin.ts'
import type { Settings } from './resolve.ts'

interface StrategyChoice {
  model: string | null
  strategy: ModelStrategy | null
  /** The layer of the model is stronger than that of the strategy. */
  modelFirst: boolean
  origin: (key: 'agent.model' | 'model.strategy') => Origin
}

/** A model alone is used for everything, even if a weaker layer sets a strategy. Null: `auto`. */
export function chooseModelStrategy({ model, strategy, modelFirst, origin }: StrategyChoice): {
  value: ModelStrategy | null
  remarks: string[]
} {
  if (model === null || strategy === 'fixed') return { value: strategy, remarks: [] }
  if (strategy === null) return { value: 'fixed', remarks: [] }
  const [chosen, followed] = [originText(origin('agent.model')), originText(origin('model.strategy'))]
  if (modelFirst)
    return {
      value: 'fixed',
      remarks: [`${chosen} sets the model ${model}, so Ralph ignores the model strategy ${strategy} (${followed})`],
    }
  return {
    value: strategy,
    remarks: [`${followed} sets the model strategy ${strategy}, so Ralph ignores the model ${model} (${chosen})`],
  }
}

/** A flag or variable `fixed` needs a model. In a file it may mean the vendor's default. */
export function checkModelStrategy({ values, origin }: Pick<Settings, 'values' | 'origin'>): void {
  const said = origin('model.strategy')
  if (values['model.strategy'] !== 'fixed' || values['agent.model'] !== null) return
  if (said.from === 'flag' || said.from === 'environment')
    throw invalidSettingError(said, 'found "fixed", which needs a model: --model NAME')
}
