/** Loads parts of Node on first use: each takes a large share of an empty start, and most read-only commands need neither. */
export function nodeChildProcess(): typeof import('node:child_process') {
  return process.getBuiltinModule('node:child_process')
}

export function nodeCrypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto')
}
