/** Work that is not worth waiting for longer than this: the run is to stop. */
import type { Millis } from '../../core/ids.ts'
import { anySignal, newAbortController } from '../../system/process/git-context.ts'
import type { WorkerWorld } from '../handler-world.ts'

/** Null: it was ended, because it took too long. */
export async function withTimeout<T>(
  { clock }: Pick<WorkerWorld, 'clock'>,
  { withinMs, signal }: { withinMs: Millis | undefined; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const late = newAbortController()
  const timer = withinMs === undefined ? null : clock.after(withinMs, () => late.abort())
  try {
    return await work(anySignal(signal, late.signal))
  } catch (error) {
    if (!late.signal.aborted) throw error
    return null
  } finally {
    timer?.cancel()
  }
}
