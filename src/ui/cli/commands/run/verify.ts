/** `ralph verify`: judges the tree as it is now, as a completion would be judged. */
import { EXIT } from '../../../../domain/error.ts'
import { PURPOSES } from '../../../../domain/proof/trial.ts'
import { describeFailure, passed } from '../../../../domain/proof/verdict.ts'
import { verify, type Verified } from '../../../../engine/verify.ts'
import { span } from '../../../plain/format.ts'
import { paint, type Paint } from '../../../plain/paint.ts'
import type { Code } from '../../frame/command.ts'
import type { VERIFY } from '../../table/work.ts'
import { openProject } from '../../frame/project.ts'
import { trustFirst } from '../../asking/trust.ts'

export const run: Code<typeof VERIFY> = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const json = input.flags.json
  const p = paint(io.colour)
  const { gate, since } = input.flags
  const gates = gate !== null ? [gate] : settings.gates.map(({ name }) => name)
  const programs = settings.executed({ agents: [], gates })
  const refused = await trustFirst({ root, programs, input }, io)
  if (refused !== null) return refused
  const say = (text: string): void => {
    if (!json) io.out(`${text}\n`)
  }
  const done = await verify({
    root,
    settings,
    rules: settings.rules(),
    gate,
    since,
    quick: input.flags.quick,
    command: input.typed,
    began: (what) => say(p.dim(what)),
    ended(evidence) {
      const ok = passed(evidence)
      const said = ok ? `gate ${evidence.gate} passed` : describeFailure(evidence)
      say(`${ok ? p.good('✓') : p.bad('✗')} ${said} (${span(evidence.durationMs)})`)
      if (!ok && evidence.summary !== '') say(evidence.summary.replaceAll(/^/gm, '    '))
    },
    climbed: ({ rung, said, durationMs }) =>
      say(`${p.dim('·')} ${PURPOSES[rung]}: ${said}${durationMs > 0 ? ` (${span(durationMs)})` : ''}`),
    notice: (text) => io.err(`${text}\n`),
  })
  if (json) io.out(`${JSON.stringify(done)}\n`)
  else say(`\n${verdictLine(done, p)}`)
  return exitOf(done)
}

function verdictLine({ verdict, why, acceptance }: Verified, p: Paint): string {
  if (verdict === 'proven') return `${p.good('proven')}: ${why}`
  if (verdict === 'gates-passed') return p.warn(why)
  if (verdict !== 'needs-acceptance') return `${p.warn(verdict)}: ${why}`
  const red = acceptance?.red ?? null
  const without =
    red === null
      ? ''
      : `
${red.why}
${red.lines}`
  return `${p.warn('done, if you accept')}: ${why}${without}

Look at them and decide: ralph accept`
}

/** As a completion would end: proven 0; unproven, or waiting for somebody, 5; otherwise incomplete. */
function exitOf({ verdict }: Verified): number {
  if (verdict === 'proven' || verdict === 'gates-passed') return EXIT.done
  return verdict === 'unproven' || verdict === 'needs-acceptance' ? EXIT.unproven : EXIT.incomplete
}
