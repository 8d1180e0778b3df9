/** The withheld environment variables: name, reason, and the line that passes each on. */
import type { WithheldEnvFacts } from '../../../app/doctor/withheld-env.ts'
import { oneLine } from '../../../core/text/sanitize.ts'
import { plural } from '../format-values.ts'
import type { Paint } from '../colours.ts'

const NAME_MAX = 80

export function withheldEnvScreen({ mode, withheld }: WithheldEnvFacts, p: Paint): string {
  const head = mode === 'listed' ? 'Agents and gates only get the listed variables (env.mode = "listed").' : null
  if (withheld.length === 0) return `${head === null ? '' : `${head}\n`}No variable is withheld.\n`
  const summary = `${plural(withheld.length, 'variable')} withheld. To pass one on, add the line below it to .ralph.toml.`
  const rows = withheld.flatMap(({ name, from, why, line }) => [
    `  ${p.bold(oneLine(name, NAME_MAX))}  ${p.dim(`from ${from.join(', ')}:`)} ${why}`,
    `      ${oneLine(line, 400)}`,
  ])
  return [...(head === null ? [] : [head]), summary, '', ...rows, ''].join('\n')
}
