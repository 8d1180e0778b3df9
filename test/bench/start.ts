/** Start-up: what Ralph's commands cost beside an empty Node, in CPU of the whole process tree and in time that passes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { project } from '../crash/crash-project.ts'
import { costOf, median, type Call, type Cost } from './measure.ts'

/** The kernel counts in hundredths of a second, so each round starts every variant this often. */
const STARTS = 10
const EMPTY = 'node -e 0'

export async function startBench({ rounds }: { rounds: number }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-bench-'))
  try {
    const ground = project(join(folder, 'start'))
    ground.ralph(['loop', '--quiet'])
    const call = (...args: string[]): Call => ({
      argv: [process.execPath, ...args],
      cwd: ground.root,
      env: ground.env,
    })
    const variants: Record<string, Call> = {
      [EMPTY]: call('-e', '0'),
      'ralph --version': call(ground.ralphPath, '--version'),
      'ralph --help': call(ground.ralphPath, '--help'),
      'ralph status': call(ground.ralphPath, 'status'),
      'ralph status --json': call(ground.ralphPath, 'status', '--json'),
      'ralph runs': call(ground.ralphPath, 'runs'),
    }
    table(Array.from({ length: rounds }, () => round(variants)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** One start of each after the other, again and again: what else the machine does meets all of them alike. */
function round(variants: Record<string, Call>): Map<string, Cost> {
  const sums = new Map(Object.keys(variants).map((name) => [name, { cpuMs: 0, wallMs: 0 }]))
  for (let start = 0; start < STARTS; start += 1) {
    for (const [name, variant] of Object.entries(variants)) {
      const { cpuMs, wallMs } = costOf(variant)
      const sum = sums.get(name) ?? { cpuMs: 0, wallMs: 0 }
      sums.set(name, { cpuMs: sum.cpuMs + cpuMs, wallMs: sum.wallMs + wallMs })
    }
  }
  return sums
}

function table(all: Map<string, Cost>[]): void {
  console.log(
    `  medians of ${all.length} rounds, each of ${STARTS} starts; × is the ratio to ${EMPTY} in the same round`,
  )
  console.log(`  ${''.padEnd(22)} ${'CPU'.padStart(8)} ${''.padStart(7)} ${'wall'.padStart(9)}`)
  for (const name of all[0]?.keys() ?? []) {
    const of = (pick: (cost: Cost) => number): [string, string] => {
      const own = all.map((costs) => pick(costs.get(name) ?? NOTHING))
      const ratios = own.map((value, i) => value / pick(all[i]?.get(EMPTY) ?? NOTHING))
      return [`${(median(own) / STARTS).toFixed(1)} ms`, `${median(ratios).toFixed(2)} ×`]
    }
    const [cpu, wall] = [of(({ cpuMs }) => cpuMs), of(({ wallMs }) => wallMs)]
    const cells = [...cpu, ...wall].map((text) => text.padStart(8))
    console.log(`  ${name.padEnd(22)} ${cells.join(' ')}`)
  }
}

const NOTHING: Cost = { cpuMs: Number.NaN, wallMs: Number.NaN }
