/** The texts of the files that `init` writes: templates filled with what was detected about the project. */
import type { ParsedTask } from '../../compat/parse-tasks.ts'
import { parsePrdTasks } from '../../compat/prd.ts'
import { parseTask, renderPlanSections } from '../../compat/parse-tasks.ts'
import { CHECKBOX_PLACEHOLDER, PROMPT_PLACEHOLDER } from '../../core/plan/untouched-template.ts'
import { gateExample, tomlString } from '../../core/proof/gate-example.ts'
import { PUSH } from '../../core/calls/tool-list.ts'
import { NO_SETUP } from '../../core/state/rules.ts'
import { oneLine } from '../../core/text/sanitize.ts'
import { assetPath, readText } from '../../system/files/files.ts'
import { DEFAULT_GATE_MINUTES, type ProposedGate, type DetectedProject } from '../../workspace/detect/detect-project.ts'
import type { DetectedSetup } from '../../workspace/detect/detect-setup.ts'

/** Null: no goal was given, and the template asks for one. */
export function promptText(name: string, wanted: string | null = null): string {
  return fillTemplate('PROMPT.md', { name: oneLine(name, 100), wanted: wanted ?? PROMPT_PLACEHOLDER })
}

/** For a plan from another source. */
export const GOAL_IN_PLAN_TEXT = 'The goals are in `.ralph/fix_plan.md`, one checkbox each.'

/** The user's goal as checkboxes: one for each line of a list, else one for all of it. */
function wantedTasks(said: string): ParsedTask[] {
  const listed = parsePrdTasks(said)
  const whole = parseTask(said, { priority: 'medium' })
  return listed.length > 0 || whole === null ? listed : [whole]
}

/** Adds the status block that the bash tool needs in the prompt, unless the prompt asks for it already. */
export function addStatusBlock(prompt: string): string {
  if (prompt.includes('RALPH_STATUS')) return prompt
  return `${prompt.trimEnd()}\n${readText(assetPath('templates/reply-end.md'))}`
}

export function importedPromptText({ title, summary }: { title: string; summary: string }): string {
  return fillTemplate('imported-prompt.md', { title: oneLine(title, 200), summary })
}

const FIRST_CHECKBOX = `## To do\n\n- [ ] ${CHECKBOX_PLACEHOLDER}`

export function planText(tasks: readonly ParsedTask[]): string {
  return fillTemplate('fix_plan.md', {
    tasks: tasks.length === 0 ? FIRST_CHECKBOX : renderPlanSections(tasks).trimEnd(),
  })
}

/** The plan for a goal in the user's own words, in their order. */
export function goalPlanText(said: string): string {
  const checkboxes = wantedTasks(said).map(({ text, depth }) => `${'  '.repeat(depth)}- [ ] ${text}`)
  return fillTemplate('fix_plan.md', { tasks: ['## To do', '', ...checkboxes].join('\n') })
}

export function readmeText(name: string): string {
  return fillTemplate('README.md', { name: oneLine(name, 100) })
}

export function gitignoreText(): string {
  return readText(assetPath('templates/gitignore'))
}

export function agentNotesText(project: DetectedProject): string {
  const rows: [string, string | null][] = [
    ['Test', project.testCommand],
    ['Build', project.buildCommand],
    ['Run', project.runCommand],
  ]
  const known = rows.filter((row): row is [string, string] => row[1] !== null)
  const commands = known.map(([what, command]) => `- ${what}: \`${oneLine(command, 300)}\``)
  return fillTemplate('AGENT.md', { commands: commands.join('\n') || '- (none detected)' })
}

/** Limits that the user chose in `init`; null: none. */
export interface ChosenLimits {
  usd: number | null
  minutes: number | null
  iterations: number | null
  callsPerHour: number | null
}

export const NO_LIMITS: ChosenLimits = { usd: null, minutes: null, iterations: null, callsPerHour: null }

export interface ChosenSettings {
  agents: string[]
  /** The agent may do everything without asking. */
  bypass: boolean
  /** Whether it may push; null: nobody was asked. */
  mayPush: boolean | null
  limits: ChosenLimits
  gates: ProposedGate[]
  /** Null: nothing was detected, and the settings do not mention it. */
  setUp: DetectedSetup | typeof NO_SETUP | null
}

/** `offered`: detected but not chosen; written as comments. */
export function settingsText(chosen: ChosenSettings & { offered: ProposedGate[] }): string {
  return fillTemplate('ralph.toml', {
    agents: JSON.stringify(chosen.agents),
    permission: chosen.bypass ? BYPASS : listText(chosen),
    limits: limitsText(chosen.limits),
    proof: proofText(chosen.setUp),
    gates: gatesText(chosen.gates, chosen.offered),
  })
}

function listText({ mayPush }: ChosenSettings): string {
  const allow =
    mayPush === true
      ? `allow = [${tomlString(PUSH)}] # further tools`
      : '# allow = ["Bash(make *)"]     # further tools; "Bash(git push *)" lets the agent push'
  return `# permission = "bypass"        # everything without asking; default: a list of tools (ralph help agents)\n${allow}`
}

const BYPASS = 'permission = "bypass"          # everything without asking; "list" for a list of tools'

function limitsText({ usd, minutes, iterations, callsPerHour }: ChosenLimits): string {
  const budget = [
    usd === null ? '# usd = 10                    # spending limit per run' : `usd = ${usd}`,
    minutes === null ? '# minutes = 480' : `minutes = ${minutes}`,
  ]
  const named = usd !== null || minutes !== null
  return [
    `${named ? '' : '# '}[budget]\n${budget.join('\n')}`,
    iterations === null
      ? '# [loop]\n# max_iterations = 20         # per run; 0: no limit'
      : `[loop]\nmax_iterations = ${iterations}`,
    ...(callsPerHour === null ? [] : [`[quota]\ncalls_per_hour = ${callsPerHour}`]),
  ].join('\n\n')
}

function proofText(setUp: DetectedSetup | typeof NO_SETUP | null): string {
  if (setUp === null) return ''
  const { run, why } = setUp === NO_SETUP ? { run: setUp, why: null } : setUp
  const brings =
    why === null ? 'the clean room uses the tools installed here' : `installs the tools in the clean room: ${why}`
  return `[proof]\nsetup = ${tomlString(run)} # ${oneLine(brings, 200)}\n\n`
}

function gatesText(gates: ProposedGate[], offered: ProposedGate[]): string {
  const none = `# No gate was found, so Ralph cannot prove anything yet. These three lines add one:\n${commented(gateExample(EXAMPLE_TEST_COMMAND))}`
  return [
    ...(gates.length === 0 ? [none] : gates.map(gateText)),
    ...offered.map(
      (one) => `# Found, but slow: ${one.slow}. Remove the # to make it a gate.\n${commented(gateText(one))}`,
    ),
  ].join('\n\n')
}

/** For an empty project, where no test command can be detected. */
export const EXAMPLE_TEST_COMMAND = 'make test'

function gateText({ gate, why, slow }: ProposedGate): string {
  const head = `[[gate]]                      # ${oneLine(why, 200)}`
  const usual = [head, `name = ${tomlString(gate.name)}`, `run = ${tomlString(gate.run)}`]
  if (gate.minutes === DEFAULT_GATE_MINUTES) return usual.join('\n')
  const because = slow === null ? '' : `: ${slow}`
  return [
    ...usual,
    `when = ${tomlString(gate.when)}`,
    `timeout = ${gate.minutes}                  # minutes${because}`,
  ].join('\n')
}

function commented(text: string): string {
  return text.replace(/^/gm, '# ')
}

export function fillTemplate(template: string, slots: Record<string, string>): string {
  return readText(assetPath(`templates/${template}`)).replace(
    /\{\{(\w+)\}\}/g,
    (whole, slot: string) => slots[slot] ?? whole,
  )
}
