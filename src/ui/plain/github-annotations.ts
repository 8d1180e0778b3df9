/**
 * GitHub Actions: annotations for what a reviewer must see, and a step summary. All other output is neutralized, because the runner would
 * execute a line of an agent that looks like a workflow command.
 */
import { outcomeDetails, outcomeHeading, outcomeReason, outcomeTone } from '../../core/presentation/outcome-text.ts'
import { describeGateFailure, hasPassed } from '../../core/proof/verdict.ts'
import type { Row } from '../../core/state/row.ts'
import { stripControl } from '../../core/text/sanitize.ts'

export type AnnotationLevel = 'notice' | 'warning' | 'error'

export function isGitHubActions(env: Record<string, string | undefined>): boolean {
  return env['GITHUB_ACTIONS'] === 'true'
}

/** The annotations of one row. GitHub shows ten of a kind per step, so only important facts become one. */
export function annotationsFor({ event, decisions }: Row): string[] {
  const lines: string[] = []
  if (event.type === 'gate-ended' && event.evidence.purpose !== 'baseline' && !hasPassed(event.evidence)) {
    const { gate, summary } = event.evidence
    lines.push(formatAnnotation('error', `Gate ${gate}`, `${describeGateFailure(event.evidence)}\n${summary}`))
  }
  if (event.type === 'run-ended') {
    const text = [outcomeReason(event.outcome), ...outcomeDetails(event.outcome)].join('\n')
    lines.push(formatAnnotation(LEVELS[outcomeTone(event.outcome)], outcomeHeading(event.outcome), text))
  }
  for (const { by, what, why } of decisions) {
    if ((by === 'proof' && what === 'refuse') || (by === 'breaker' && what === 'open'))
      lines.push(formatAnnotation('warning', `Ralph: ${by}`, why))
  }
  return lines
}

const LEVELS = { good: 'notice', warn: 'warning', bad: 'error' } as const

export function formatAnnotation(level: AnnotationLevel, title: string, text: string): string {
  const data = (raw: string): string =>
    stripControl(raw).trim().replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const property = (raw: string): string => data(raw).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::${level} title=${property(title)}::${data(text)}`
}

/** A zero-width character that breaks a command. */
const BREAK = '\u200b'

/** Breaks what the runner would read as a command: `::name …` at the beginning of a line, `##[name]` anywhere. */
export function neutralizeWorkflowCommands(text: string): string {
  return text.replace(/^(\s*):(?=:)/gm, `$1:${BREAK}`).replaceAll('##[', `##${BREAK}[`)
}
