/**
 * Prints every text that a person or an agent can read, with its place, so that one reader can go over all of them.
 *
 *   npm run words [-- PATH]            all of them, or those in files whose path begins so
 *   npm run words -- --sample 60 --seed 7     a random sample
 *   npm run words -- --forbidden              those with a forbidden phrase, and what to write instead
 */
import { parseArgs } from 'node:util'
import { collectTexts } from './collect-texts.ts'
import { forbiddenIn } from './forbidden-phrases.ts'

const { values, positionals } = parseArgs({
  options: { sample: { type: 'string' }, seed: { type: 'string', default: '1' }, forbidden: { type: 'boolean' } },
  allowPositionals: true,
})
const all = collectTexts(process.cwd(), positionals[0])
const wanted = values.forbidden === true ? all.filter((one) => forbiddenIn(one).length > 0) : all
const shown = values.sample === undefined ? wanted : sample(wanted, Number(values.sample), Number(values.seed))
for (const one of shown) {
  console.log(`${one.file}:${one.line}\t${one.text.replaceAll('\n', '\\n')}`)
  if (values.forbidden !== true) continue
  for (const { phrase, instead } of forbiddenIn(one)) console.log(`    "${phrase}": ${instead}`)
}
console.error(`${shown.length} of ${all.length} texts`)

/** The same seed draws the same texts: a linear congruential generator is random enough for a reader. */
function sample<T>(from: T[], count: number, seed: number): T[] {
  let state = seed * 2_654_435_761
  const next = (): number => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32)
  return from
    .map((text) => ({ text, at: next() }))
    .toSorted((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ text }) => text)
}
