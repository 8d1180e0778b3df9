/**
 * What a run starts when it is taken up: its record says it, and a record may have come with the repository, as its settings files do.
 * So it is asked about in the same way. Looked for wherever a start can come from, also in effects that are still open.
 */
import { splitCommand } from '../domain/text/shell.ts'
import type { ProjectPrograms } from '../domain/calls/agent.ts'
import type { House } from '../domain/state/state.ts'
import type { RunId } from '../domain/ids.ts'
import type { Gate } from '../domain/proof/evidence.ts'
import { agentsOf, NO_SET_UP, type Rules } from '../domain/state/rules.ts'
import type { Executed } from '../domain/trust/trust.ts'
import { ACP } from './agent-command.ts'
import { agentsNamed, type Settings } from './resolve.ts'

export interface RunRecord {
  run: RunId
  house: House
  programs: ProjectPrograms
}

/** What files of the project say about the agents of these rules. */
export function projectPrograms({ projects }: Settings, rules: Rules): ProjectPrograms {
  const names = new Set(agentsOf(rules))
  const ofRun = <T>(all: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)))
  return { agents: ofRun(projects.agents), programs: ofRun(projects.programs) }
}

/** Without what the user says today by flag, by environment or in their own file; gates only a project has. */
export function executedByRecord({ run, house, programs }: RunRecord, settings: Settings): Executed[] {
  const alone = settings.alone()
  const users = [settings.users, alone]
  const here = { cwd: '.', env: {}, where: `record of run ${run}` }
  const spoken = agentsIn(house).filter(
    (name) => name.startsWith(ACP) && !agentsNamed(alone.values).includes(name),
  )
  const described = Object.entries(programs.agents).filter(
    ([name, agent]) => !users.some(({ agents }) => isSame(agents[name], agent)),
  )
  const replaced = Object.entries(programs.programs).filter(
    ([name, words]) => !users.some((all) => isSame(all.programs[name], words)),
  )
  return [
    ...spoken.map((name) => spokenTo(name.slice(ACP.length), here)),
    ...described.map(([name, { command, env }]) => ({
      ...here,
      setting: `agents.${name}`,
      run: command,
      env,
    })),
    ...replaced.map(([name, words]) => ({
      ...here,
      setting: `agents.${name}`,
      run: words,
      also: [{ setting: 'agent.command', run: words }],
    })),
    ...gatesIn(house).map(({ name, run: line, cwd, env }) => ({
      ...here,
      setting: `gate ${name}`,
      run: line,
      cwd,
      env,
      // A check of an accepted task is a gate of its claim.
      also: [{ setting: 'check', run: line }],
    })),
    ...setUpIn(house)
      .filter((line) => alone.values['proof.setup'] !== line)
      .map((line) => ({ ...here, setting: 'proof.setup', run: line })),
  ]
}

/**
 * A word of the record that an agent's program would take for a flag. No setting can say one, so no run of ours has one in its
 * record.
 */
export function flagInRecord(house: House): string | null {
  const asked = effectsOf(house).filter((effect) => effect.type === 'run-agent')
  const words = [
    ...[house.run.rules.agent, ...asked.map(({ how }) => how)].flatMap(({ model, effort, tools }) => [
      model,
      effort,
      ...(tools ?? []),
    ]),
    ...Object.values(house.run.rules.agent.models ?? {}).flatMap((models) => Object.values(models)),
    ...asked.map(({ resume }) => resume),
    ...Object.values(house.workers).map(({ conversation }) => conversation?.id ?? null),
  ]
  return words.find((word) => word?.startsWith('-') === true) ?? null
}

function effectsOf({ run }: House): House['run']['open'][string][] {
  return Object.values(run.open)
}

function agentsIn(house: House): string[] {
  const phases = Object.values(house.workers).map(({ phase }) => phase)
  return [
    ...new Set([
      ...agentsOf(house.run.rules),
      ...effectsOf(house).flatMap((effect) => (effect.type === 'run-agent' ? [effect.agent] : [])),
      ...phases.flatMap((phase) => ('agent' in phase ? [phase.agent] : [])),
    ]),
  ]
}

function gatesIn(house: House): Gate[] {
  const asked = effectsOf(house).flatMap((effect) =>
    'gates' in effect ? effect.gates : 'gate' in effect ? [effect.gate] : [],
  )
  return [...house.run.rules.gates, ...asked]
}

function setUpIn({ run: { rules } }: House): string[] {
  const { setup } = rules.proof
  return setup === null || setup === NO_SET_UP ? [] : [setup]
}

/** Which of three settings named it is not in the record. */
function spokenTo(line: string, here: Pick<Executed, 'cwd' | 'env' | 'where'>): Executed {
  const words = splitCommand(line)
  return {
    ...here,
    setting: 'agent.order',
    run: line,
    also: [
      { setting: 'proof.opinion', run: line },
      ...(words === null ? [] : [{ setting: 'agent.command', run: words }]),
    ],
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
