/** Limits how long a stopping run waits for some work. */
import type { Millis } from '../../core/ids.ts'
import { anySignal, newAbortController } from '../../system/process/git-context.ts'
import type { WorkerContext } from '../handler-context.ts'

/** Null: it took too long and was aborted. */
export async function withTimeout<T>(
  { clock }: Pick<WorkerContext, 'clock'>,
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
