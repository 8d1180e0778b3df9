/** `ralph agents`: a table of the agents, which ones are installed here and what each can do. */
import { probeAllAgents, type AgentFacts } from '../../../../app/doctor/agents.ts'
import type { SupportLevel, Capabilities } from '../../../../core/calls/agent-io.ts'
import { stripControl, escapeInvisible } from '../../../../core/text/sanitize.ts'
import type { Paint } from '../../../plain/colours.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { AGENTS } from '../../command-table/setup-commands.ts'
import { createPrintCommand } from '../../framework/print-result.ts'
import { openProjectOrFolder } from '../../framework/open-project.ts'

export const run: CommandHandler<typeof AGENTS> = createPrintCommand(
  async (input, io) => {
    const { root, settings } = await openProjectOrFolder(input, io)
    // An object, so that fields can be added without breaking programs that read the JSON.
    return { agents: await probeAllAgents(settings, { root, env: io.env }) }
  },
  // Names and paths may come from the project's own files.
  ({ agents }, { p }) => screen(agents.map(shown), p),
)

function shown(agent: AgentFacts): AgentFacts {
  const path = agent.path === null ? null : escapeInvisible(agent.path)
  return { ...agent, name: escapeInvisible(agent.name), program: escapeInvisible(agent.program), path }
}

const COLUMNS: [keyof Capabilities, string][] = [
  ['tools', 'tools'],
  ['resume', 'resume'],
  ['streaming', 'stream'],
  ['tokens', 'tokens'],
  ['cost', 'cost'],
  ['readOnly', 'r/o'],
  ['model', 'model'],
  ['effort', 'effort'],
  ['system', 'system'],
  ['maxTurns', 'turns'],
  ['mcp', 'mcp'],
]

function screen(agents: AgentFacts[], p: Paint): string {
  const names = Math.max(...agents.map((agent) => agent.name.length), 5) + 2
  const versions = Math.max(...agents.map((agent) => versionOf(agent).length), 7) + 2
  const titles = COLUMNS.map(([, title]) => title.padEnd(8)).join('')
  return [
    p.dim(`  ${'agent'.padEnd(names)}${'version'.padEnd(versions)}${'oldest'.padEnd(9)}${titles}`.trimEnd()),
    ...agents.map((agent) => {
      const mark = agent.installed ? (agent.tooOld ? p.warn('!') : p.good('✓')) : p.dim('·')
      const cells = COLUMNS.map(([key]) => cell(agent.capabilities[key], p)).join('')
      const words = `${agent.name.padEnd(names)}${versionOf(agent).padEnd(versions)}${(agent.minVersion ?? '').padEnd(9)}`
      return `${mark} ${words}${cells}`.trimEnd()
    }),
    '',
    p.dim('  ✓ installed, or yes   ~ partly   - no   · not installed   ! too old for Ralph'),
    ...notes(agents).map((note) => `  ${note}`),
    '',
  ].join('\n')
}

const SIGNS: Record<SupportLevel, string> = { yes: '✓', partly: '~', no: '-' }

function cell(can: SupportLevel, p: Paint): string {
  const text = SIGNS[can].padEnd(8)
  return can === 'yes' ? p.good(text) : p.dim(text)
}

function versionOf(agent: AgentFacts): string {
  if (!agent.installed) return '-'
  if (agent.unasked !== null) return 'not checked'
  return agent.version === null ? 'unknown' : stripControl(agent.version)
}

/** Lists the chosen agents first, then notes about each. */
function notes(agents: AgentFacts[]): string[] {
  const order = agents
    .filter((agent) => agent.chosen !== null)
    .toSorted((a, b) => (a.chosen ?? 0) - (b.chosen ?? 0))
    .map((agent) => agent.name)
  const how = 'change it: --agent NAME, or ralph config set agent.order NAME'
  const chosen = order.length === 0 ? [] : [`chosen here: ${order.join(', then ')}  (${how})`]
  return [...chosen, ...agents.flatMap((agent) => noteOf(agent).map((note) => `${agent.name}: ${note}`))]
}

function noteOf(agent: AgentFacts): string[] {
  const notes = agent.tested === 'tables' ? ['tested with sample output only, never with the real program'] : []
  if (agent.own) notes.push(`your own agent: ${agent.path ?? `${agent.program} was not found`}`)
  else if (agent.unasked === 'own') notes.push(`started as ${agent.path ?? agent.program} (your own command)`)
  else if (agent.unasked === 'inside')
    notes.push(`${agent.path ?? agent.program} is inside the repository, so Ralph did not run it to get its version`)
  else if (agent.program === '')
    notes.push('any program that reads a prompt on stdin and answers in text; set agent.command')
  else if (!agent.installed) notes.push(`not installed. ${agent.install}`)
  else if (agent.tooOld) notes.push(`${agent.version ?? ''} is too old. Update it: ${agent.install}`)
  return notes
}
