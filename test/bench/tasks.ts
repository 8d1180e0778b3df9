/** What is ready, asked of a hundred tasks and of a hundred thousand; and what it costs to add so many. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { project } from '../crash/crash-project.ts'
import { costOf, printRatios, refuseFailing, type Call } from './measure.ts'

const SIZES = [100, 10_000, 100_000]
const SCOPES: Record<string, string[]> = {
  all: [],
  'one feature': ['--feature', 'even'],
  'a subtree': ['--under', 'top-0'],
}

export async function tasksBench({ rounds }: { rounds: number }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-bench-'))
  try {
    const variants: Record<string, Call> = {}
    for (const size of SIZES) {
      const ground = project(join(folder, String(size)))
      const call = (...args: string[]): Call => ({
        argv: [process.execPath, ...args],
        cwd: ground.root,
        env: ground.env,
      })
      const file = join(ground.root, 'tasks.jsonl')
      writeFileSync(file, graph(size))
      const { cpuMs } = costOf(call(ground.ralphPath, 'task', 'add', '--from-json', file))
      console.log(`  ${size} tasks with ${edges(size)} edges added in ${(cpuMs / 1000).toFixed(2)} s of CPU`)
      variants['node -e 0'] ??= call('-e', '0')
      for (const [scope, flags] of Object.entries(SCOPES)) {
        const asked = call(ground.ralphPath, 'task', 'list', '--ready', '--limit', '20', ...flags)
        refuseFailing(asked)
        variants[`ready of ${size}, ${scope}`] = asked
      }
    }
    printRatios(variants, rounds)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Each top has nine below it, most of which wait for the three that came before; half of all belong to one feature. */
function graph(size: number): string {
  const lines = Array.from({ length: size }, (_, n) => {
    const top = n - (n % 10)
    if (n === top) return { id: `top-${top}`, title: `Part ${top}`, feature: featureOf(top) }
    const before = n % 10 < 2 ? 0 : n % 10 < 4 ? 1 : 3
    const blockers = Array.from({ length: before }, (__, back) => `t${n - 1 - back}`)
    return { id: `t${n}`, title: `Step ${n}`, parent: `top-${top}`, blockers, feature: featureOf(top) }
  })
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

function featureOf(top: number): string {
  return top % 20 === 0 ? 'even' : 'odd'
}

function edges(size: number): number {
  return size * 2
}
