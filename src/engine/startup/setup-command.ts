/** The command that brings a project's tools into the clean room, settled at the start of a run: as set, or found by the lock file. */
import { NO_SETUP, type Rules } from '../../core/state/rules.ts'
import { detectSetup } from '../../workspace/detect/detect-setup.ts'

export function withSetupCommand(rules: Rules, root: string): Rules {
  const { setup } = rules.proof
  const found = setup === NO_SETUP ? null : (setup ?? detectSetup(root)?.run ?? null)
  return { ...rules, proof: { ...rules.proof, setup: found } }
}
