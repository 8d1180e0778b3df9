/** The reader of our output: it may be slow, and it may go away (`| head -1`) while a long command still prints. */

/** Waits until the reader has taken the output. False: the reader has gone, so the command can stop. */
export async function waitForOutputDrain(stream: NodeJS.WriteStream = process.stdout): Promise<boolean> {
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

/** Calls back when the reader has gone. Returns a function that stops listening. */
export function onOutputClosed(deaf: () => void): () => void {
  process.stdout.once('error', deaf)
  return () => void process.stdout.off('error', deaf)
}

const ENDS = ['drain', 'error', 'close'] as const
