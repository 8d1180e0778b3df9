/** Checks the text of a settings file before it is saved: throws the error that a start would throw. */
import { chooseValue } from './choose-value.ts'
import { readAgents, readGates } from './gate-agent-tables.ts'
import { parseTomlLayer } from './toml-layer.ts'

/** `name`: of the file, as errors show it. */
export function checkSettingsText(text: string, { name, from }: { name: string; from: 'project' | 'user' }): void {
  const layer = parseTomlLayer(name, text, from)
  for (const key of layer.said.keys()) chooseValue(key, [layer])
  readGates(layer)
  readAgents(layer)
}
