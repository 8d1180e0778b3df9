/** Whoever reads our output: it may be slow, and it may go away (`| head -1`) while a long command still talks. */

/** Waits until the reader has taken what was written. False: nobody reads any more, so there is no point in going on. */
export async function waitForReader(stream: NodeJS.WriteStream = process.stdout): Promise<boolean> {
  if (stream.writable && stream.writableNeedDrain) {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        for (const event of ENDS) stream.off(event, done)
        resolve()
      }
      for (const event of ENDS) stream.on(event, done)
    })
  }
  return stream.writable
}

/** Calls back when nobody reads any more. Returns how to stop listening. */
export function onOutputClosed(deaf: () => void): () => void {
  process.stdout.once('error', deaf)
  return () => void process.stdout.off('error', deaf)
}

const ENDS = ['drain', 'error', 'close'] as const
