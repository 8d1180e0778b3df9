/** The withheld environment variables: name, reason, and the line that passes each on. */
import type { WithheldEnvFacts } from '../../../app/doctor/withheld-env.ts'
import { oneLine } from '../../../core/text/sanitize.ts'
import { plural } from '../format-values.ts'
import type { Paint } from '../colours.ts'

const NAME_MAX = 80

export function withheldEnvScreen({ mode, withheld }: WithheldEnvFacts, p: Paint): string {
  const head = mode === 'listed' ? 'Agents and gates get a short list of names (env.mode = "listed").' : null
  if (withheld.length === 0) return `${head === null ? '' : `${head}\n`}Nothing of your environment is withheld.\n`
  const told = `${plural(withheld.length, 'variable')} of your environment ${withheld.length === 1 ? 'is' : 'are'} withheld. What hands one on stands below it, for .ralph.toml.`
  const rows = withheld.flatMap(({ name, from, why, line }) => [
    `  ${p.bold(oneLine(name, NAME_MAX))}  ${p.dim(`from ${from.join(', ')}:`)} ${why}`,
    `      ${oneLine(line, 400)}`,
  ])
  return [...(head === null ? [] : [head]), told, '', ...rows, ''].join('\n')
}
