/** The platform we run on, and the user we run as. */

export const NODE_VERSION = process.versions.node

/** The program that runs this process: Node itself. */
export const NODE_PROGRAM = process.execPath

export const IS_WINDOWS = process.platform === 'win32'

export const IS_MAC = process.platform === 'darwin'

export function isRoot(): boolean {
  return process.getuid?.() === 0
}
