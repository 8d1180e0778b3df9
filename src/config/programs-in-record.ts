/**
 * Which programs a resumed run starts: they are in its record, and a record can come with a repository like its settings files, so a
 * person is asked about them in the same way. Covers everything that can start a program, including open effects.
 */
import { splitCommand } from '../core/text/shell.ts'
import type { ProjectAgents } from '../core/calls/agent-io.ts'
import type { RunState } from '../core/state/state.ts'
import type { RunId } from '../core/ids.ts'
import type { Gate } from '../core/proof/evidence.ts'
import { agentNamesOf, NO_SETUP, type Rules } from '../core/state/rules.ts'
import type { ProjectProgram } from '../core/trust/trust.ts'
import { ACP_PREFIX } from './choose-agents.ts'
import { allAgentNames, type Settings } from './resolve.ts'

export interface RecordedRun {
  run: RunId
  state: RunState
  programs: ProjectAgents
}

/** What the project's files set for the agents of these rules. */
export function projectAgentPrograms({ projects }: Settings, rules: Rules): ProjectAgents {
  const names = new Set(agentNamesOf(rules))
  const ofRun = <T>(all: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)))
  return { agents: ofRun(projects.agents), programs: ofRun(projects.programs) }
}

/** Without what the user sets today by flag, by environment or in their own file; only projects have gates. */
export function programsFromRecord({ run, state, programs }: RecordedRun, settings: Settings): ProjectProgram[] {
  const withoutProjectFiles = settings.withoutProjectFiles()
  const users = [settings.users, withoutProjectFiles]
  const here = { cwd: '.', env: {}, where: `record of run ${run}` }
  const spoken = agentsIn(state).filter(
    (name) => name.startsWith(ACP_PREFIX) && !allAgentNames(withoutProjectFiles.values).includes(name),
  )
  const described = Object.entries(programs.agents).filter(
    ([name, agent]) => !users.some(({ agents }) => isSame(agents[name], agent)),
  )
  const replaced = Object.entries(programs.programs).filter(
    ([name, words]) => !users.some((all) => isSame(all.programs[name], words)),
  )
  return [
    ...spoken.map((name) => spokenTo(name.slice(ACP_PREFIX.length), here)),
    ...described.map(([name, { command, env }]) => ({ ...here, setting: `agents.${name}`, run: command, env })),
    ...replaced.map(([name, words]) => ({
      ...here,
      setting: `agents.${name}`,
      run: words,
      also: [{ setting: 'agent.command', run: words }],
    })),
    ...gatesIn(state).map(({ name, run: line, cwd, env }) => ({
      ...here,
      setting: `gate ${name}`,
      run: line,
      cwd,
      env,
      // A check of an accepted task is a gate of its claim.
      also: [{ setting: 'check', run: line }],
    })),
    ...setUpIn(state)
      .filter((line) => withoutProjectFiles.values['proof.setup'] !== line)
      .map((line) => ({ ...here, setting: 'proof.setup', run: line })),
  ]
}

/** A word in the record that an agent's program would take for a flag. Settings cannot contain one, so no record of a real run does. */
export function findFlagLikeValue(state: RunState): string | null {
  const asked = effectsOf(state).filter((effect) => effect.type === 'run-agent')
  const words = [
    ...[state.run.rules.agent, ...asked.map(({ how }) => how)].flatMap(({ model, effort, tools }) => [
      model,
      effort,
      ...(tools ?? []),
    ]),
    ...Object.values(state.run.rules.agent.models ?? {}).flatMap((models) => Object.values(models)),
    ...asked.map(({ resume }) => resume),
    ...Object.values(state.workers).map(({ conversation }) => conversation?.id ?? null),
  ]
  return words.find((word) => word?.startsWith('-') === true) ?? null
}

function effectsOf({ run }: RunState): RunState['run']['open'][string][] {
  return Object.values(run.open)
}

function agentsIn(state: RunState): string[] {
  const phases = Object.values(state.workers).map(({ phase }) => phase)
  return [
    ...new Set([
      ...agentNamesOf(state.run.rules),
      ...effectsOf(state).flatMap((effect) => (effect.type === 'run-agent' ? [effect.agent] : [])),
      ...phases.flatMap((phase) => ('agent' in phase ? [phase.agent] : [])),
    ]),
  ]
}

function gatesIn(state: RunState): Gate[] {
  const asked = effectsOf(state).flatMap((effect) =>
    'gates' in effect ? effect.gates : 'gate' in effect ? [effect.gate] : [],
  )
  return [...state.run.rules.gates, ...asked]
}

function setUpIn({ run: { rules } }: RunState): string[] {
  const { setup } = rules.proof
  return setup === null || setup === NO_SETUP ? [] : [setup]
}

/** The record does not say which of three settings named it. */
function spokenTo(line: string, here: Pick<ProjectProgram, 'cwd' | 'env' | 'where'>): ProjectProgram {
  const words = splitCommand(line)
  return {
    ...here,
    setting: 'agent.order',
    run: line,
    also: [
      { setting: 'proof.reviewer', run: line },
      ...(words === null ? [] : [{ setting: 'agent.command', run: words }]),
    ],
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
