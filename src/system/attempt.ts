/** What `work` gives, or `otherwise` where it throws: for whatever may be missing or closed to us, where that is answer enough. */
export function attempt<T, Other>(work: () => T, otherwise: Other): T | Other {
  try {
    return work()
  } catch {
    return otherwise
  }
}
