/** The newest version of an agent in its registry. Used only when the user asks for it; nothing is ever installed. */
import { runProgram } from '../system/process/process.ts'
import type { Driver, Environment } from './driver.ts'

/** A start must not wait for a slow network. */
const PATIENCE_MS = 5_000

/** Null: not from npm, or the registry did not answer in time. */
export async function fetchLatestAgentVersion(
  driver: Pick<Driver, 'install'>,
  env: Environment,
): Promise<string | null> {
  const name = /^npm install -g (\S+)$/.exec(driver.install)?.[1]
  if (name === undefined) return null
  const said = await runProgram(['npm', 'view', name, 'version'], {
    cwd: env['HOME'] ?? '/',
    timeoutMs: PATIENCE_MS,
    maxBytes: 4_096,
  })
  return said.code === 0 ? (/^\d+\.\d+\.\d+\S*$/m.exec(said.stdout)?.[0] ?? null) : null
}
