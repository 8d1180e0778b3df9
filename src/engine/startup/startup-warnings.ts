/** Warnings before the first call about problems that are likely to waste a run: an untouched template, no gates, a missing agent, no
 *  budget. */
import { join } from 'node:path'
import { failureFixesOf, type Driver } from '../../agents/driver.ts'
import type { AgentProbeResult } from '../../agents/registry.ts'
import { gateProgram } from '../../core/text/gate-program.ts'
import { isUntouchedTemplate } from '../../core/plan/untouched-template.ts'
import { RalphError } from '../../core/error.ts'
import { hasGates } from '../../core/presentation/outcome-text.ts'
import { gateExample } from '../../core/proof/gate-example.ts'
import type { Rules } from '../../core/state/rules.ts'
import type { RunKind } from '../../core/state/run-kind.ts'
import { exists, readIfExists } from '../../system/files/files.ts'
import { findProgram } from '../../system/process/process.ts'

/** Each has a fix, and the user confirms it once per project and cause. */
export interface StartupWarning {
  /** The key under which the confirmation is saved: `prompt`, `agent codex`. */
  cause: string
  say: string
  /** How to fix it; text to paste is on lines of its own. */
  fix: string
  /** The run does not start without an answer: it would pay an agent for nothing. */
  isSevere: boolean
}

export interface ProbedAgent {
  driver: Driver
  found: AgentProbeResult
}

/** `probed`: every agent of the order. Only a loop has a prompt and a plan; a draft has no gates and only a few turns; a simulated agent
 *  needs neither a login nor a budget. */
export function startupWarningsOf(
  root: string,
  rules: Rules,
  { probed, kind, simulated = false }: { probed: ProbedAgent[]; kind: RunKind; simulated?: boolean },
): StartupWarning[] {
  if (simulated) return gates(root, rules)
  if (kind === 'feature') return agents(probed)
  const texts = kind === 'loop' ? templates(root, rules) : []
  return [...texts, ...gates(root, rules), ...agents(probed), ...budgets(rules)]
}

function templates(root: string, { loop }: Rules): StartupWarning[] {
  const files = [
    { cause: 'prompt', file: loop.prompt, fix: 'Describe what you want in it, then start again.' },
    { cause: 'plan', file: loop.plan, fix: 'Add the first items: - [ ] what to do' },
  ]
  return files.flatMap(({ cause, file, fix }): StartupWarning[] => {
    const text = file === null ? null : readIfExists(join(root, file))
    if (file === null || text === null || !isUntouchedTemplate(text)) return []
    const say = `${file} is still the template, so the agent has nothing to do.`
    return [{ cause, say, fix, isSevere: true }]
  })
}

function gates(root: string, rules: Rules): StartupWarning[] {
  if (hasGates(rules)) return []
  const say = 'No gate is configured, so nothing can be proven.'
  return [{ cause: 'gates', say, fix: gateCure(root), isSevere: false }]
}

function gateCure(root: string): string {
  const isSetUp = exists(join(root, '.ralph.toml'))
  if (!isSetUp && exists(join(root, '.ralphrc')))
    return 'Add the command that runs your tests to .ralphrc: TEST_COMMAND="npm test"'
  // `ralph init` has already looked for gates and found none.
  const begin = isSetUp ? 'Paste' : 'Run ralph init to find gates, or paste'
  return `${begin} this into .ralph.toml, with the command that runs your tests:\n${gateExample('npm test')}`
}

/** Checks all agents of the order: when a fallback is needed at night, it is too late to find out that it is missing. */
function agents(probed: ProbedAgent[]): StartupWarning[] {
  const begins = probed.findIndex(({ found }) => found.installed)
  return probed.flatMap(({ driver, found }, at): StartupWarning[] => {
    const { title, name, program } = driver
    const fixes = failureFixesOf(driver)
    const cause = `agent ${name}`
    if (!found.installed) {
      const so = at < begins ? `so ${probed[begins]?.driver.name ?? ''} starts instead` : 'so it cannot be a fallback'
      const say = `${title} is not installed (${program} is not on the PATH), ${so}.`
      return [{ cause, say, fix: sentence(fixes.missing?.say ?? 'Install it.'), isSevere: false }]
    }
    if (found.login !== 'no') return []
    const fix = sentence(fixes.authentication?.say ?? 'Log in, or give it a key.')
    return [{ cause, say: `${title} is not logged in.`, fix, isSevere: false }]
  })
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`
}

/** A single iteration needs no budget. */
function budgets({ budget, loop }: Rules): StartupWarning[] {
  if (loop.iterationsMax === 1 || budget.usd !== null || budget.tokens !== null || budget.minutes !== null) return []
  const fix = 'Set one: --budget-usd 5 or --minutes 480.'
  return [{ cause: 'budget', say: 'No spending limit is set.', fix, isSevere: false }]
}

/** Throws if the program of a gate is missing: the gate could never pass. A program inside the project may still be written. */
export function refuseMissingGatePrograms({ gates: all }: Rules, env: Record<string, string | undefined>): void {
  for (const { name, run, env: own } of all) {
    const program = gateProgram(run)
    if (program === null || program.includes('/') || findProgram(program, { ...env, ...own }) !== null) continue
    throw new RalphError('program-missing', `gate ${name} (${run}) needs ${program}, which is not on the PATH`, {
      hint: `Install ${program}, or fix gate ${name} in the settings: ralph config`,
    })
  }
}
