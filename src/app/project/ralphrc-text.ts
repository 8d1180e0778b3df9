/** The text of `.ralphrc` as the bash tool's set-up wrote it, with every setting that its loop reads: valid bash that runs nothing. */
import { gateProgram } from '../../core/text/gate-program.ts'
import { BASH_RALPH_TOOLS, PUSH } from '../../core/calls/tool-list.ts'
import { NO_SETUP } from '../../core/state/rules.ts'
import { oneLine } from '../../core/text/sanitize.ts'
import type { DetectedProject } from '../../workspace/detect/detect-project.ts'
import { fillTemplate, type ChosenSettings } from './templates.ts'

export function ralphrcText(
  project: DetectedProject,
  { source, ...chosen }: ChosenSettings & { source: string | null },
): string {
  return fillTemplate('ralphrc', {
    name: quoted(oneLine(project.name, 100)),
    type: quoted(project.type),
    sources: quoted(source === 'github' || source === 'beads' ? `${source},local` : 'local'),
    calls: String(chosen.limits.callsPerHour ?? 100),
    tools: quoted(toolsFor(project, chosen).join(',')),
    own: ownLines(chosen).join('\n'),
  })
}

/** The list of bash Ralph plus the programs that build and test this project; without them a Rust project could not run its own tests. */
function toolsFor(project: DetectedProject, { gates, mayPush }: ChosenSettings): string[] {
  const lines = [
    ...gates.map(({ gate }) => gate.run),
    project.testCommand,
    project.buildCommand,
    project.runCommand,
  ].filter((line) => line !== null)
  const programs = lines.map(gateProgram).filter((program) => program !== null && /^[\w./+-]+$/.test(program))
  const common = BASH_RALPH_TOOLS.filter((entry) => entry !== PUSH || mayPush !== false)
  return [...new Set([...common, ...programs.map((program) => `Bash(${program} *)`)])]
}

const SECONDS = 60

/** Settings that the bash tool does not have. Without a choice an example is written. */
function ownLines({ agents, bypass, limits, gates, setUp }: ChosenSettings): string[] {
  const [test, ...others] = gates.map(({ gate }) => gate)
  const together = others.filter(({ run }) => !run.includes(';'))
  return [
    ...(test === undefined
      ? ['#TEST_COMMAND="make test"      # a gate: must pass before work counts as done']
      : [`TEST_COMMAND=${quoted(test.run)}`]),
    ...(together.length === 0 ? [] : [`QUALITY_GATES=${quoted(together.map(({ run }) => run).join('; '))}`]),
    ...(test === undefined
      ? []
      : [`QUALITY_GATE_TIMEOUT=${Math.max(...gates.map(({ gate }) => gate.minutes)) * SECONDS}`]),
    ...(setUp === null ? [] : [`RALPH_PROOF_SETUP=${quoted(setUp === NO_SETUP ? NO_SETUP : setUp.run)}`]),
    ...(agents.length === 1 && agents[0] === 'claude' ? [] : [`RALPH_AGENT_ORDER=${quoted(agents.join(','))}`]),
    ...(bypass ? ['RALPH_AGENT_PERMISSION="bypass"'] : []),
    limits.usd === null ? '#RALPH_BUDGET_USD=10' : `RALPH_BUDGET_USD=${limits.usd}`,
    limits.minutes === null ? '#RALPH_BUDGET_MINUTES=480' : `RALPH_BUDGET_MINUTES=${limits.minutes}`,
    limits.iterations === null ? '#RALPH_LOOP_MAX_ITERATIONS=20' : `RALPH_LOOP_MAX_ITERATIONS=${limits.iterations}`,
  ]
}

/** Quotes for bash, which runs this file, so that nothing in it is expanded. */
function quoted(text: string): string {
  return `"${text.replaceAll(/[\\"$`]/g, String.raw`\$&`)}"`
}
