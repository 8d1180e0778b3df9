/** How a completion is judged, and what the clean room needs. */
import { decides, type Setting } from './setting.ts'

export const PROOF_SETTINGS = {
  ...decides('proof.required'),
  ...decides('proof.refusals'),
  ...decides('proof.baseline'),
  ...decides('proof.reruns'),
  ...decides('proof.level'),
  ...decides('proof.work'),
  ...decides('proof.protect'),
  ...decides('proof.allow_tests'),
  ...decides('proof.allow_judge'),
  ...decides('proof.trials'),
  ...decides('proof.quarantine'),
  ...decides('proof.setup', { executed: true }),
  ...decides('proof.opinion', { executed: true }),

  ...decides('workspace.copy'),
} satisfies Record<string, Setting>
