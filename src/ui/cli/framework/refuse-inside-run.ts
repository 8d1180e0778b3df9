/** Prevents accidents: an agent or a gate must not call commands that steer or change the run it belongs to. */
import { RalphError } from '../../../core/error.ts'
import type { Io } from './io.ts'

export function refuseInsideRun(command: string, { env }: Io): void {
  const inside = env['RALPH_INSIDE'] ?? ''
  if (inside === '') return
  throw new RalphError('inside-run', `ralph ${command} was called from inside run ${inside}`, {
    hint: 'Agents and gates cannot control their own run.',
  })
}
