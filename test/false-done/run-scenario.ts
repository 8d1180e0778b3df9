/** Plays scenarios against a loop program and says of each whether the program was right about it. */
import { join } from 'node:path'
import { makeScenarioProject, missingHere, type Agent, type ScenarioProject } from './scenario-project.ts'
import { findWrongEnd, type Grade } from './grade.ts'
import type { Scenario } from './scenario.ts'
import { readReportedEnd, type ReportedEnd } from './reported-end.ts'

export interface Program {
  /** A shell command line, started in each project. */
  line: string
  /** What a person adds the first time, because they trust the project as it is, and not what becomes of it. */
  trustsProject: string
  /** How it is given a task, and started to work on it; null: it knows no tasks. */
  tasks: { add: (id: string) => string; line: string } | null
  agent: Agent
  /** Time for each run. A program that still runs then has not called the work done. */
  limitMs: number
  /** Where the runners from npm are installed. */
  stock: string
}

/** One run of the program in the field, and the truth after it. */
export interface Run extends ReportedEnd {
  iterations: number
  /** Is the work done, by the probe? */
  really: boolean
}

export interface ScenarioResult {
  scenario: Scenario
  runs: Run[]
  mark: Grade
  /** For a mark that is not ok: why, and what the program said. */
  detail: string
  ms: number
}

/** The program of this project, to be tried as it is installed. */
export function ralph(root: string): Program {
  const program = `'${process.execPath}' '${join(root, 'bin', 'ralph.cjs')}'`
  return {
    line: `${program} loop --json`,
    tasks: { add: (id) => `${program} task add 'Write add' --id ${id}`, line: `${program} run --json` },
    trustsProject: '--trust',
    agent: { script: join(root, 'bin', 'ralph-scripted-agent.mjs'), lingers: 0 },
    limitMs: 120_000,
    stock: join(root, 'test', 'false-done', 'runners'),
  }
}

/** Two at a time: each is mostly one busy process, and gates have time limits that a crowded machine would pass. */
const TOGETHER = 2

/** Plays all of them; each answer comes as soon as it is there. */
export function runScenarios(scenarios: Scenario[], program: Program): Promise<ScenarioResult>[] {
  const inTurn = takingTurns(TOGETHER)
  return scenarios.map((scenario) => inTurn(() => play(scenario, program)))
}

function takingTurns(together: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = together
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((go) => waiting.push(go))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}

async function play(scenario: Scenario, program: Program): Promise<ScenarioResult> {
  const began = performance.now()
  const missing = await missingHere(scenario.runners ?? [], program.stock)
  if (missing.length > 0)
    return { scenario, runs: [], mark: 'SKIPPED', detail: `not here: ${missing.join(', ')}`, ms: 0 }
  const { task } = scenario.project
  if (task !== undefined && program.tasks === null)
    return { scenario, runs: [], mark: 'SKIPPED', detail: 'it knows no tasks', ms: 0 }
  const field = await makeScenarioProject(scenario, program.agent, program.stock)
  try {
    const line = task === undefined ? program.line : await withTask(field, program, task)
    const runs = [await once(field, { ...program, line: `${line} ${program.trustsProject}` })]
    for (const next of scenario.next ?? []) {
      await field.goOn(next)
      runs.push(await once(field, { ...program, line }))
    }
    const wrong = findWrongEnd(scenario, runs)
    return {
      scenario,
      runs,
      mark: wrong?.mark ?? 'ok',
      detail: wrong === null ? '' : [wrong.why, ...runs.flatMap(linesOf)].join('\n'),
      ms: performance.now() - began,
    }
  } finally {
    await field.remove()
  }
}

/** Adds it, and gives the line that works on it. */
async function withTask(field: ScenarioProject, { tasks, line, limitMs }: Program, task: string): Promise<string> {
  if (tasks === null) return line
  const { code, stderr } = await field.run({ line: tasks.add(task), limitMs })
  if (code !== 0) throw new Error(`the task could not be added: ${stderr}`)
  return tasks.line
}

async function once(field: ScenarioProject, program: Program): Promise<Run> {
  const ran = await field.run({ line: program.line, limitMs: program.limitMs })
  const told = await readReportedEnd(field, ran)
  return { ...told, iterations: field.starts(), really: await field.probe() }
}

/** What a run said, for those who want to know why. */
function linesOf({ outcome, verdict, reason, said }: Run, index: number): string[] {
  return [
    `run ${index + 1}: ${[outcome, verdict].filter((word) => word !== '').join(', ')}: ${reason}`,
    ...said.map((line) => `  ${line.slice(0, 300)}`),
  ]
}
