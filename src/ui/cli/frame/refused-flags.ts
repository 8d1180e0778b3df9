/**
 * Flags of the bash tool's programs for what is not offered. To ignore one would do something else than what was asked for, so it is
 * refused by its name, with the reason, wherever it is typed.
 */
import { MISSING } from '../../../config/not-offered.ts'
import { RalphError } from '../../../domain/error.ts'

const REFUSED: Readonly<Record<keyof typeof MISSING, readonly string[]>> = {
  queue: [
    'queue-status',
    'process-queue',
    'halt-on-failure',
    'resume-queue',
    'queue-next',
    'queue-clear',
    'queue-remove',
    'github-issues',
  ],
  issues: [
    'github-issue',
    'comment-progress',
    'comment-interval',
    'auto-close',
    'close-summary',
    'create-pr',
    'link-issue',
    'draft-pr',
    'create-followups',
    'followup-label',
    'add-label',
  ],
  sandbox: [
    'sandbox',
    'sandbox-image',
    'sandbox-memory',
    'sandbox-cpus',
    'sandbox-network',
    'sandbox-template',
    'sandbox-id',
    'sandbox-timeout',
    'sandbox-keep-alive',
    'sandbox-max-cost',
    'sandbox-cost-alert',
  ],
  sync: ['sync-include', 'sync-exclude'],
  generatedPlan: [
    'generate-plan',
    'no-generate-plan',
    'plan-model',
    'completeness-threshold',
    'auto-approve',
  ],
  review: ['review'],
}

/** Why a flag of the bash tool is refused; null: it never was one. */
export function refusedFlag(raw: string): RalphError | null {
  const name = raw.replace(/^-+/, '').replace(/=.*$/s, '')
  const feature = (Object.keys(REFUSED) as (keyof typeof MISSING)[]).find((one) =>
    REFUSED[one].includes(name),
  )
  if (feature === undefined) return null
  return notOffered(feature, `--${name}`)
}

/** `typed`: the flag or the command that asks for it. */
export function notOffered(feature: keyof typeof MISSING, typed: string): RalphError {
  const { why, instead } = MISSING[feature]
  return new RalphError('not-offered', `${typed} is not offered: ${why}`, {
    hint: `${typed.startsWith('-') ? 'Leave the flag out. ' : ''}${instead} Nothing was started.`,
  })
}
