/** How a completion is proven, and what the clean room needs. */
import { ruleSetting, type Setting } from './setting.ts'

export const PROOF_SETTINGS = {
  ...ruleSetting('proof.required'),
  ...ruleSetting('proof.rejections'),
  ...ruleSetting('proof.baseline'),
  ...ruleSetting('proof.reruns'),
  ...ruleSetting('proof.level'),
  ...ruleSetting('proof.source'),
  ...ruleSetting('proof.protect'),
  ...ruleSetting('proof.allow_tests'),
  ...ruleSetting('proof.allow_protected'),
  ...ruleSetting('proof.trials'),
  ...ruleSetting('proof.quarantine'),
  ...ruleSetting('proof.setup', { executed: true }),
  ...ruleSetting('proof.reviewer', { executed: true }),

  ...ruleSetting('workspace.copy'),
} satisfies Record<string, Setting>
