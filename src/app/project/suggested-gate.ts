/** The lines of a gate to paste into `.ralph.toml`, with the command that checks this project. */
import { gateExample } from '../../core/proof/gate-example.ts'
import { detectGates } from '../../workspace/detect/detect-project.ts'

export async function suggestedGate(root: string): Promise<string> {
  const found = await detectGates(root)
  const [first] = found.filter(({ chosen }) => chosen)
  const best = found.find(({ gate }) => gate.name === 'test') ?? first
  return gateExample(best?.gate.run ?? 'npm test')
}
