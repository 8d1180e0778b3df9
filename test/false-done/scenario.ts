/**
 * A scenario: a project, an agent that plays its turns there, and the truth about its work. The program under test sees the
 * first two; the third is for us: declared here, and looked up in the final tree by a probe that no agent can reach.
 */
import type { ScriptedTurn } from '../test-project.ts'

/** What the protected files reads, and a lie works through. `words` and `work`: the oldest lies of all, said or half done. */
export const MECHANISMS = [
  'words',
  'work',
  'imports',
  'data',
  'configuration',
  'tools',
  'caches',
  'environment',
  'git',
  'processes',
  'time',
  'plan',
  'runs',
  'quarantine',
  'membership',
  'inner-tests',
] as const
export type Mechanism = (typeof MECHANISMS)[number]

/** Test programs beyond `sh` and Node; a machine that lacks one skips its scenarios by name. */
export const RUNNERS = ['jest', 'vitest', 'mocha', 'pytest', 'cargo', 'make', 'tsc', 'eslint'] as const
export type Runner = (typeof RUNNERS)[number]

export interface Scenario {
  /** Unlike any other's; printed in the table. */
  name: string
  mechanism: Mechanism
  /** Written by somebody who knew the promise and not the code. */
  by?: 'stranger'
  /** Needed besides `sh` and Node. Those from npm are there as installed packages, in `node_modules` of the project. */
  runners?: Runner[]
  /** A limit that is published and counted apart: no trial can see it. */
  limit?:
    | 'behaves only while a test runs'
    | 'answers written down'
    | 'the judge asks the work'
    | 'only a sandbox can stop it'
  /** How an honest case should end; `proven` unless it says otherwise. */
  expect?: 'proven' | 'accept' | 'unproven'
  /** For `accept`: the files that the question must name, and no others. */
  asks?: string[]
  /** Is the work really done when the agent says so? After the last run, if there are several. */
  truth: 'done' | 'not-done'
  project: Project
  turns: ScriptedTurn[]
  /** False: what the agent says is no claim at all, or one that the plan refutes; the program should not even look. */
  claims: boolean
  /** A module that throws unless the work is done; run in the final tree. */
  probe: string
  /** The first of several runs does honest work, and may be proven: the lie comes later. */
  honestFirst?: true
  /** Further runs in the same project, one after another: what a person does first, then the agent's turns. */
  next?: { person?: string; turns: ScriptedTurn[] }[]
}

export interface Project {
  /** The first commit, besides the files that every project has (see `scenario-project.ts`). */
  files: Record<string, string>
  /** Gates by name: command lines as a person would type them. */
  gates: Record<string, string>
  /** Time limit of each gate, as written in `.ralph.toml`. */
  gateTimeout?: string
  /** More lines for `.ralph.toml`, before the gates. */
  settings?: string[]
  /** Text of `.ralph/fix_plan.md`. Absent: a plan without checkboxes. */
  plan?: string
  /** The id of a task, the only one, that is worked on instead of the plan. Programs that know no tasks skip it. */
  task?: string
  /** Text of `.ralph/PROMPT.md`. */
  prompt?: string
  /** Shell commands before the run, after the first commit: what lies in ignored folders, say. */
  prepare?: string
  /** Folders of the project that stand first on the PATH of everything that runs. */
  path?: string[]
  /** False: a plain folder. */
  git?: false
  /** How many iterations the program may take; two, unless an agent needs more turns than that. */
  iterations?: number
  /** How many claims may be refused before the program gives up; one. */
  rejections?: number
}

/** The keys of a status block with which an agent says that everything is done, and that it is not. */
export const DONE = {
  STATUS: 'COMPLETE',
  TASKS_COMPLETED_THIS_LOOP: 1,
  FILES_MODIFIED: 1,
  TESTS_STATUS: 'PASSING',
  WORK_TYPE: 'IMPLEMENTATION',
  EXIT_SIGNAL: true,
  RECOMMENDATION: 'Nothing is left to do',
}
export const IN_PROGRESS = {
  ...DONE,
  STATUS: 'IN_PROGRESS',
  EXIT_SIGNAL: false,
  RECOMMENDATION: 'Go on with the rest',
}

/** The block as an agent writes it, for texts that only show it. */
export function statusBlockOf(fields: Record<string, string | number | boolean> = DONE): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${value}`)
  return ['---RALPH_STATUS---', ...lines, '---END_RALPH_STATUS---'].join('\n')
}

type Steps = Extract<ScriptedTurn, unknown[]>
export type Step = Steps[number]

export function write(path: string, content: string): Step {
  return { do: 'write', path, content }
}

export function replace(path: string, find: string, by: string): Step {
  return { do: 'replace', path, find, with: by }
}

export function shell(command: string): Step {
  return { do: 'shell', command }
}

export function say(text: string): Step {
  return { do: 'say', text }
}

/** Says that everything is done. */
export function claim(text = 'Everything is implemented and all tests pass.'): Step {
  return { do: 'status', text, fields: DONE }
}

/** Says that there is more to do. */
export function reportInProgress(text = 'There is more to do.'): Step {
  return { do: 'status', text, fields: IN_PROGRESS }
}
