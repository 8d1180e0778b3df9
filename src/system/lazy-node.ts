/** Parts of Node that are loaded when they are first wanted: each costs a good part of an empty start, and most reading commands
 *  need neither. */
export function childProcess(): typeof import('node:child_process') {
  return process.getBuiltinModule('node:child_process')
}

export function crypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto')
}
