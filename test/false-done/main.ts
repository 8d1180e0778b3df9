/**
 * `npm run false-done`: plays every scenario and prints how often unproven work was called done, and honest work was not.
 *
 *   --cmd "…"         another loop program instead of this Ralph; it gets the project as working folder and CLAUDE_CODE_CMD
 *   --only TEXT       scenarios whose name holds the text       --truth done | not-done
 *   --mechanism NAME  of one mechanism                          --by stranger | us
 *   --runner NAME     with one runner; `node` for none          --seconds N    time for each run (120)
 *   --list            names and truths, nothing is played       --json FILE    a line of JSON for each that was played
 *   --again FILE      those that were not ok in such a file
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { removeTemplate } from './scenario-project.ts'
import { runScenarios, ralph, type ScenarioResult, type Program } from './run-scenario.ts'
import type { Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios.ts'
import { heading, isFine, row, sums } from './table.ts'

const OPTIONS = {
  cmd: { type: 'string' },
  only: { type: 'string', default: '' },
  truth: { type: 'string' },
  mechanism: { type: 'string' },
  by: { type: 'string' },
  runner: { type: 'string' },
  seconds: { type: 'string' },
  json: { type: 'string' },
  again: { type: 'string' },
  list: { type: 'boolean', default: false },
} as const

async function main(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS })
  const wanted = SCENARIOS.filter((scenario) => isWanted(scenario, values))
  const chosen = values.again === undefined ? wanted : notOkIn(values.again, wanted)
  if (chosen.length === 0) return complain('no scenario is like that; see --list')
  if (values.list) return list(chosen)
  const seconds = values.seconds === undefined ? null : Number(values.seconds)
  if (seconds !== null && !(seconds > 0)) return complain(`--seconds ${values.seconds} is no number above 0`)
  const all = await playThem(chosen, programOf(values.cmd, seconds), values.json ?? null)
  say(sums(all))
  return all.every(isFine) ? 0 : 1
}

interface Wanted {
  only: string
  truth?: string
  mechanism?: string
  by?: string
  runner?: string
}

function isWanted(scenario: Scenario, { only, truth, mechanism, by, runner }: Wanted): boolean {
  const runners: string[] = scenario.runners ?? ['node']
  return (
    scenario.name.includes(only) &&
    (truth === undefined || scenario.truth === truth) &&
    (mechanism === undefined || scenario.mechanism === mechanism) &&
    (by === undefined || (scenario.by ?? 'us') === by) &&
    (runner === undefined || runners.includes(runner))
  )
}

function notOkIn(file: string, scenarios: Scenario[]): Scenario[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  const played = lines.map((line) => JSON.parse(line) as { name: string; mark: string })
  const names = new Set(played.filter(({ mark }) => mark !== 'ok').map(({ name }) => name))
  return scenarios.filter(({ name }) => names.has(name))
}

async function playThem(chosen: Scenario[], program: Program, json: string | null): Promise<ScenarioResult[]> {
  const began = performance.now()
  if (json !== null) writeFileSync(json, '')
  say(heading())
  const all: ScenarioResult[] = []
  for (const answer of runScenarios(chosen, program)) {
    const played = await answer
    say(row(played))
    if (json !== null) appendFileSync(json, `${JSON.stringify(record(played))}\n`)
    all.push(played)
  }
  await removeTemplate()
  say(`${((performance.now() - began) / 1000).toFixed(1)} s\n`)
  return all
}

function record({ scenario, runs, mark, detail, ms }: ScenarioResult): object {
  const { name, mechanism, by, truth, limit, expect } = scenario
  return { name, mechanism, by, truth, limit, expect, mark, detail, ms: Math.round(ms), runs }
}

/** Seconds that each agent takes at least when another program is tried. */
const LINGERS = 2

/** Started by the setup script in the project's folder. */
function programOf(cmd: string | undefined, seconds: number | null): Program {
  const own = ralph(process.cwd())
  const limitMs = seconds === null ? own.limitMs : seconds * 1000
  if (cmd === undefined) return { ...own, limitMs }
  return {
    ...own,
    line: cmd,
    trustsProject: '',
    tasks: null,
    agent: { ...own.agent, lingers: LINGERS },
    limitMs,
  }
}

function list(chosen: Scenario[]): number {
  for (const { name, mechanism, truth } of chosen) say(`${truth.padEnd(8)}  ${mechanism.padEnd(13)}  ${name}`)
  return 0
}

function complain(text: string): number {
  process.stderr.write(`${text}\n`)
  return 2
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

process.exitCode = await main()
