/** Does work once that several workers need at the same time: the first does it, the others wait for its result. */

export interface SingleFlight<T> {
  /** If the work of another worker fails, a waiting one does it itself. `signal`: ends the wait. */
  share(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const underWay = new Map<string, Promise<T>>()

  return {
    async share(key, signal, work) {
      for (let other = underWay.get(key); other !== undefined; other = underWay.get(key)) {
        const found = await unlessAborted(other, signal)
        if (found !== null) return found.value
      }
      const mine = work()
      underWay.set(key, mine)
      try {
        return await mine
      } finally {
        underWay.delete(key)
      }
    },
  }
}

/** Null: the other's work failed. */
function unlessAborted<T>(other: Promise<T>, signal: AbortSignal): Promise<{ value: T } | null> {
  return new Promise((resolve, reject) => {
    const cut = (): void => reject(signal.reason)
    const settle = (found: { value: T } | null): void => {
      signal.removeEventListener('abort', cut)
      resolve(found)
    }
    if (signal.aborted) return cut()
    signal.addEventListener('abort', cut)
    other.then(
      (value) => settle({ value }),
      () => settle(null),
    )
  })
}
