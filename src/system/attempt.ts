/** Returns the result of `work`, or `otherwise` if it throws: for things that may be missing or unreadable, where the reason does not
 *  matter. */
export function attempt<T, Other>(work: () => T, otherwise: Other): T | Other {
  try {
    return work()
  } catch {
    return otherwise
  }
}
