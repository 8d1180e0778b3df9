/** Chooses the command that installs a project's tools in the clean room: from the settings, or by the lock file. */
import { NO_SETUP, type Rules } from '../../core/state/rules.ts'
import { detectSetup } from '../../workspace/detect/detect-setup.ts'

export function rulesWithSetupCommand(rules: Rules, root: string): Rules {
  const { setup } = rules.proof
  const found = setup === NO_SETUP ? null : (setup ?? detectSetup(root)?.run ?? null)
  return { ...rules, proof: { ...rules.proof, setup: found } }
}
