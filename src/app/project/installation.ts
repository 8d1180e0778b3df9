/** How this copy of Ralph was started, so that a screen can print commands that work where the person is. */
import { assetPath, exists, fileId } from '../../system/files/files.ts'
import { findProgram } from '../../system/process/process.ts'

export type Installation =
  /** `ralph` on the PATH is this copy, and stays there. */
  | { is: 'installed' }
  | { is: 'clone'; folder: string; program: string }
  /** For example through npx. */
  | { is: 'package'; program: string }

export function findInstallation(env: Readonly<Record<string, string | undefined>>): Installation {
  const program = assetPath('../bin/ralph.cjs')
  const onPath = findProgram('ralph', env)
  // npx puts the package on the PATH for this one command only.
  const isTemporary = env['npm_command'] === 'exec'
  if (onPath !== null && !isTemporary && fileId(onPath) === fileId(program)) return { is: 'installed' }
  // The package has no sources.
  return exists(assetPath('../src/index.ts'))
    ? { is: 'clone', folder: assetPath('..'), program }
    : { is: 'package', program }
}
