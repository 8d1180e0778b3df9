/**
 * `npm run false-done`: plays every scenario and prints how often unproven work was called done, and honest work was not.
 *
 *   --cmd "…"      another loop program instead of this Ralph; it gets the project as working folder and CLAUDE_CODE_CMD
 *   --only TEXT    scenarios whose name holds the text       --seconds N    time for each scenario (45)
 *   --list         names and truths, nothing is played
 */
import { parseArgs } from 'node:util'
import { removeTemplate } from './field.ts'
import { playAll, ralph, type Program } from './play.ts'
import { SCENARIOS } from './scenarios.ts'
import { heading, row, sums } from './table.ts'

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      cmd: { type: 'string' },
      only: { type: 'string', default: '' },
      seconds: { type: 'string' },
      list: { type: 'boolean', default: false },
    },
  })
  const chosen = SCENARIOS.filter((scenario) => scenario.name.includes(values.only))
  if (values.list) return list()
  if (chosen.length === 0) return complain(`no scenario's name holds "${values.only}"; see --list`)
  const seconds = values.seconds === undefined ? null : Number(values.seconds)
  if (seconds !== null && !(seconds > 0)) return complain(`--seconds ${values.seconds} is no number above 0`)
  const program = programOf(values.cmd, seconds)
  const began = performance.now()
  say(heading())
  const all = []
  for (const answer of playAll(chosen, program)) {
    const played = await answer
    say(row(played))
    all.push(played)
  }
  await removeTemplate()
  say(`${((performance.now() - began) / 1000).toFixed(1)} s`)
  say(sums(all))
  return all.every((one) => one.mark === 'ok') ? 0 : 1
}

/** Seconds that each agent takes at least when another program is tried. */
const LINGERS = 2

/** Started by the setup script in the project's folder. */
function programOf(cmd: string | undefined, seconds: number | null): Program {
  const own = ralph(process.cwd())
  const limitMs = seconds === null ? own.limitMs : seconds * 1000
  if (cmd === undefined) return { ...own, limitMs }
  return { line: cmd, agent: { ...own.agent, lingers: LINGERS }, limitMs }
}

function list(): number {
  for (const { name, truth } of SCENARIOS) say(`${truth.padEnd(8)}  ${name}`)
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
