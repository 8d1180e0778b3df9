/** `ralph verify`: the gates, now. */
import { EXIT } from '../../../domain/error.ts'
import { describeFailure, passed } from '../../../domain/proof/verdict.ts'
import { verify, type Verified } from '../../../engine/verify.ts'
import { span } from '../../plain/format.ts'
import { paint } from '../../plain/paint.ts'
import type { Run } from '../command.ts'
import { openProject } from '../project.ts'
import { trustFirst } from '../trust.ts'

export const run: Run = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const json = input.flags['json'] === true
  const p = paint(io.colour)
  const gate = input.flags['gate']
  const gates = typeof gate === 'string' ? [gate] : settings.gates.map(({ name }) => name)
  const programs = settings.executed({ agents: [], gates })
  const refused = await trustFirst({ root, programs, input }, io)
  if (refused !== null) return refused
  const done = await verify({
    root,
    settings,
    rules: settings.rules(),
    gate: typeof gate === 'string' ? gate : null,
    command: input.typed,
    began: (one) => (json ? undefined : io.out(p.dim(`gate ${one.name}: ${one.run}\n`))),
    ended(evidence) {
      if (json) return
      const ok = passed(evidence)
      io.out(
        `${ok ? p.good('✓') : p.bad('✗')} ${ok ? `gate ${evidence.gate} passed` : describeFailure(evidence)} (${span(evidence.durationMs)})\n`,
      )
      if (!ok && evidence.summary !== '') io.out(`${evidence.summary.replaceAll(/^/gm, '    ')}\n`)
    },
    notice: (text) => io.err(`${text}\n`),
  })
  if (json) io.out(`${JSON.stringify(done)}\n`)
  else io.out(`\n${done.verdict === 'proven' ? p.good('proven') : p.warn(done.verdict)}: ${done.why}\n`)
  return exitOf(done)
}

/** As a completion would end: proven 0; nothing to prove it with 5; otherwise incomplete. */
function exitOf({ verdict }: Verified): number {
  if (verdict === 'proven') return EXIT.done
  return verdict === 'unproven' ? EXIT.unproven : EXIT.incomplete
}
