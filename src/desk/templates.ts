/** The files that set-up writes into a project, as text: templates with what was found out about the project put in. */
import type { FoundTask } from '../compat/tasks.ts'
import { planSections } from '../compat/tasks.ts'
import { BOX_TO_WRITE, PROMPT_TO_WRITE } from '../compat/untouched-template.ts'
import { NO_SET_UP } from '../domain/rules.ts'
import { oneLine } from '../domain/text.ts'
import { asset, readText } from '../system/files.ts'
import type { DetectedGate, DetectedProject } from '../workspace/detect.ts'
import type { DetectedSetUp } from '../workspace/detect-set-up.ts'

export function promptText(name: string): string {
  return fill('PROMPT.md', { name: oneLine(name, 100), wanted: PROMPT_TO_WRITE })
}

export function importedPromptText({ title, summary }: { title: string; summary: string }): string {
  return fill('imported-prompt.md', { title: oneLine(title, 200), summary })
}

const FIRST_BOX = `## To do\n\n- [ ] ${BOX_TO_WRITE}`

export function planText(tasks: readonly FoundTask[]): string {
  return fill('fix_plan.md', { tasks: tasks.length === 0 ? FIRST_BOX : planSections(tasks).trimEnd() })
}

export function readmeText(name: string): string {
  return fill('README.md', { name: oneLine(name, 100) })
}

export function gitignoreText(): string {
  return readText(asset('templates/gitignore'))
}

export function agentText(project: DetectedProject): string {
  const rows: [string, string | null][] = [
    ['Test', project.testCommand],
    ['Build', project.buildCommand],
    ['Run', project.runCommand],
  ]
  const known = rows.filter((row): row is [string, string] => row[1] !== null)
  const commands = known.map(([what, command]) => `- ${what}: \`${oneLine(command, 300)}\``)
  return fill('AGENT.md', { commands: commands.join('\n') || '- (nothing was detected)' })
}

/** Limits that the user chose at set-up; null: none was named. */
export interface ChosenLimits {
  usd: number | null
  minutes: number | null
  iterations: number | null
  callsPerHour: number | null
}

export const NO_LIMITS: ChosenLimits = { usd: null, minutes: null, iterations: null, callsPerHour: null }

export function settingsText(chosen: {
  agents: string[]
  limits: ChosenLimits
  gates: DetectedGate[]
  /** Null: nothing was found, and nothing is said. */
  setUp: DetectedSetUp | typeof NO_SET_UP | null
}): string {
  return fill('ralph.toml', {
    agents: JSON.stringify(chosen.agents),
    limits: limitsText(chosen.limits),
    proof: proofText(chosen.setUp),
    gates: gatesText(chosen.gates),
  })
}

function limitsText({ usd, minutes, iterations, callsPerHour }: ChosenLimits): string {
  const budget = [
    usd === null ? '# usd = 10                    # what a run may cost' : `usd = ${usd}`,
    minutes === null ? '# minutes = 480' : `minutes = ${minutes}`,
  ]
  const named = usd !== null || minutes !== null
  return [
    `${named ? '' : '# '}[budget]\n${budget.join('\n')}`,
    ...(iterations === null ? [] : [`[loop]\nmax_iterations = ${iterations}`]),
    ...(callsPerHour === null ? [] : [`[quota]\ncalls_per_hour = ${callsPerHour}`]),
  ].join('\n\n')
}

function proofText(setUp: DetectedSetUp | typeof NO_SET_UP | null): string {
  if (setUp === null) return ''
  const { run, why } = setUp === NO_SET_UP ? { run: setUp, why: null } : setUp
  const brings =
    why === null
      ? 'the clean room takes the tools of the working tree'
      : `brings the tools into the clean room: ${why}`
  return `[proof]\nsetup = ${JSON.stringify(run)} # ${oneLine(brings, 200)}\n\n`
}

function gatesText(gates: DetectedGate[]): string {
  if (gates.length === 0) {
    return '# No gate was detected. Without one, outcomes are unproven:\n# [[gate]]\n# name = "test"\n# run = "make test"'
  }
  return gates
    .map(
      ({ gate, why }) =>
        `[[gate]]                      # ${oneLine(why, 200)}\nname = ${JSON.stringify(gate.name)}\nrun = ${JSON.stringify(gate.run)}`,
    )
    .join('\n\n')
}

function fill(template: string, slots: Record<string, string>): string {
  return readText(asset(`templates/${template}`)).replace(
    /\{\{(\w+)\}\}/g,
    (whole, slot: string) => slots[slot] ?? whole,
  )
}
