/** `ralph verify`: verifies the current working tree like a completion, in a run with only the stage *prove*. */
import { RalphError } from '../../../../core/error.ts'
import type { AcceptanceRequest } from '../../../../core/proof/acceptance.ts'
import type { Evidence, Verdict } from '../../../../core/proof/evidence.ts'
import { RALPHRC_GATE_HINT } from '../../../../core/proof/gate-example.ts'
import type { ProofStepResult } from '../../../../core/proof/proof-types.ts'
import { PURPOSE_TITLES } from '../../../../core/proof/trial.ts'
import { hasPassed } from '../../../../core/proof/verdict.ts'
import { gateResultText, PROOF_STEP_MARKS, proofStepParts } from '../../../../core/presentation/gate-result.ts'
import type { Effect } from '../../../../core/state/effect.ts'
import type { Row } from '../../../../core/state/row.ts'
import { runEngine } from '../../../../engine/run-engine.ts'
import type { RunResult, RunWatcher } from '../../../../engine/run/run-options.ts'
import { formatSpan } from '../../../plain/format-values.ts'
import { createPaint, type Paint } from '../../../plain/colours.ts'
import { VERSION } from '../../../version.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { Io } from '../../framework/io.ts'
import type { VERIFY } from '../../command-table/run-commands.ts'
import { printResult } from '../../framework/print-result.ts'
import { openProject } from '../../framework/open-project.ts'
import { askTrust } from '../../asking/trust.ts'

export const run: CommandHandler<typeof VERIFY> = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const { gate, since, quick, json } = input.flags
  const gates = gate !== null ? [gate] : settings.gates.map(({ name }) => name)
  const programs = settings.executed({ agents: [], gates })
  const refused = await askTrust({ root, programs, input }, io)
  if (refused !== null) return refused
  const screen = verifyScreen(io, { silent: json })
  const result = await runEngine({
    root,
    settings,
    rules: settings.rules(),
    command: input.typed,
    version: VERSION,
    fresh: false,
    resume: null,
    verify: { gate, since, quick },
    watcher: screen.watcher,
  })
  const done = screen.verified(result)
  const paste = settings.gates.length === 0 && !json ? await gateToPaste(root) : ''
  const print = (): string => `\n${verdictLine(done, createPaint(io.colour))}\n${paste}`
  return printResult(done, print, { json, io, exit: result.exit })
}

async function gateToPaste(root: string): Promise<string> {
  const { suggestedGate } = await import('../../../../app/project/suggested-gate.ts')
  return `\nPaste this into .ralph.toml (${RALPHRC_GATE_HINT}):\n${await suggestedGate(root)}\n\nNext: ralph verify\n`
}

/** The JSON of `ralph verify --json`. */
interface VerifyResult {
  verdict: Verdict
  why: string
  /** The last result of each gate. */
  evidence: Evidence[]
  /** The result of each proof step. */
  stepResults: ProofStepResult[]
  acceptance: AcceptanceRequest | null
}

interface VerifyScreen {
  watcher: RunWatcher
  /** Throws if the run has no verdict. */
  verified(result: RunResult): VerifyResult
}

/** Prints a verification while it runs. `silent`: only notices. */
function verifyScreen(io: Io, { silent }: { silent: boolean }): VerifyScreen {
  const p = createPaint(io.colour)
  const evidence = new Map<string, Evidence>()
  const stepResults: ProofStepResult[] = []
  let signal: string | null = null
  const say = (text: string): void => {
    if (!silent) io.out(`${text}\n`)
  }
  const notice = (text: string): void => io.err(`${text}\n`)

  function row({ event, decisions, effects }: Row): void {
    if (event.type === 'gate-ended') {
      evidence.set(event.evidence.gate, event.evidence)
      say(gateLines(event.evidence, p))
    }
    for (const { by, what, why, ...told } of decisions) {
      if (by !== 'proof') continue
      if ('step' in told && told.step !== undefined) {
        stepResults.push(told.step)
        say(stepLine(told.step, p))
      }
      if (what === 'again') say(p.dim(why))
      if (what === 'try' || (what === 'note' && event.type === 'base-resolved')) notice(why)
    }
    for (const line of effects.flatMap(startPosition)) say(p.dim(line))
  }

  return {
    watcher: { rows: (rows) => rows.forEach(row), notice, stopping: (heard) => void (signal ??= heard) },
    verified({ outcome }) {
      if (signal !== null) throw stoppedBy(signal)
      if (outcome.is !== 'verified') throw new RalphError('io', outcome.reason)
      const { verdict, reason: why, acceptance = null } = outcome
      return { verdict, why, evidence: [...evidence.values()], stepResults, acceptance }
    },
  }
}

function startPosition(effect: Effect): string[] {
  if (effect.type === 'run-gate') return [`running ${effect.gate.name}: ${effect.gate.run}`]
  if (effect.type !== 'run-trial') return []
  return [
    effect.purpose === 'clean-room-check' ? 'clean-room check, without the changes' : PURPOSE_TITLES[effect.purpose],
  ]
}

function gateLines(evidence: Evidence, p: Paint): string {
  const ok = hasPassed(evidence)
  const line = `${ok ? p.good('✓') : p.bad('✗')} ${gateResultText(evidence)}${p.dim(` · ${formatSpan(evidence.durationMs)}`)}`
  if (ok || evidence.summary === '') return line
  return `${line}\n${evidence.summary.replaceAll(/^/gm, '    ')}`
}

function stepLine(step: ProofStepResult, p: Paint): string {
  const { glyph, tone } = PROOF_STEP_MARKS[step.mark]
  const parts = proofStepParts(step).map((part) => (part.tone === undefined ? part.text : p[part.tone](part.text)))
  return `${p[tone](glyph)} ${parts.join('')}`
}

function stoppedBy(signal: string): RalphError {
  const code = signal === 'SIGINT' ? 'interrupted' : 'terminated'
  return new RalphError(code, `the gates were stopped by ${signal}; nothing is proven`)
}

function verdictLine({ verdict, why, acceptance }: VerifyResult, p: Paint): string {
  if (verdict === 'proven') return `${p.good('proven')}: ${why}`
  if (verdict === 'gates-passed') return `${p.warn('gates passed')}: ${why}`
  if (verdict !== 'needs-review') return `${p.warn(verdict)}: ${why}`
  const red = acceptance?.red ?? null
  const without =
    red === null
      ? ''
      : `
With the original files: ${red.why}
${red.lines}`
  return `${p.warn('needs review')}: ${why}${without}

Review the changes: ralph accept`
}
