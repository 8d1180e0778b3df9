/**
 * The benches: ratios measured in one interleaved run, because absolute times on a busy machine say little. Printed, never
 * asserted. CPU is user + system time of the children, as the kernel counts it (Linux; elsewhere wall time is printed instead).
 *
 *   npm run bench [-- --rounds N] [-- start | screens | tasks | iteration | stream [--streams N] | proof | dashboard [--minutes N]]
 */
import { dashboardBench } from './dashboard.ts'
import { iterationBench } from './iteration.ts'
import { proofBench } from './proof.ts'
import { screensBench } from './screens.ts'
import { startBench } from './start.ts'
import { streamBench } from './stream.ts'
import { tasksBench } from './tasks.ts'

const BENCHES = {
  start: startBench,
  screens: screensBench,
  tasks: tasksBench,
  iteration: iterationBench,
  stream: streamBench,
  proof: proofBench,
  dashboard: dashboardBench,
}

const words = process.argv.slice(2)
const numberAfter = (flag: string): number | null =>
  words.includes(flag) ? Number(words[words.indexOf(flag) + 1]) || null : null
const rounds = numberAfter('--rounds') ?? 11
const streams = numberAfter('--streams')
const minutes = numberAfter('--minutes')
const wanted = Object.keys(BENCHES).filter((name) => words.includes(name))
// This variable makes Node 20 read a file at every start, which would be counted as ours.
delete process.env['NODE_EXTRA_CA_CERTS']

for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.log(`\n${name}`)
  await bench({ rounds, streams, minutes })
}
