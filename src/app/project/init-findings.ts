/** What `init` reports after it has written the files: the gates, what is missing on this machine, and the next command. */
import { join } from 'node:path'
import { allDrivers } from '../../agents/registry.ts'
import { resolveSettings } from '../../config/resolve.ts'
import { messageOf, RalphError } from '../../core/error.ts'
import { parseCheckboxes } from '../../core/plan/fix-plan.ts'
import type { SourceEnvironment } from '../../sources/task-source.ts'
import { exists, readIfExists } from '../../system/files/files.ts'
import { findProgram } from '../../system/process/process.ts'
import type { ProposedGate } from '../../workspace/detect/detect-project.ts'
import { openRepo } from '../../workspace/repo/git.ts'
import type { DetectedSetup } from '../../workspace/detect/detect-setup.ts'
import { gateProgram } from '../../core/text/gate-program.ts'
import type { InitResult, InitOptions } from './init.ts'
import type { MissingProgram } from './init-remarks.ts'

/** An existing settings file decides which gates are configured; other detected gates are only offered. */
export async function fillResultFromSettings(
  done: InitResult,
  { root, env }: InitOptions,
  found: ProposedGate[],
): Promise<void> {
  try {
    const settings = await resolveSettings({ root, env: {}, home: homeFromEnv(env) ?? '/', flags: {} })
    const { gates, values } = settings
    done.gates = gates.map(({ name, run, when, timeoutMs }) => ({
      gate: { name, run, when, minutes: timeoutMs / 60_000 },
      why: 'already in the settings',
      slow: null,
      chosen: true,
    }))
    done.offered = found.filter(({ gate }) => gates.every(({ run }) => run !== gate.run))
    if (values['proof.setup'] !== done.setUp?.run) done.setUp = null
    if (values['proof.source'].length > 0) done.work = values['proof.source']
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
    done.remarks.push(`the settings cannot be read: ${messageOf(error)}`)
  }
}

/** The source folders, detected as a run does. */
export async function findSourceFolders({ root, gates }: InitResult): Promise<string[] | null> {
  if (gates.length === 0) return null
  const { sourceFolders } = await import('../../workspace/detect/source-folders.ts')
  return sourceFolders(await openRepo(root), { root, gates: gates.map(({ gate }) => ({ run: gate.run, cwd: '.' })) })
}

export function missingPrograms({ root, gates }: InitResult, env: SourceEnvironment): MissingProgram[] {
  return gates.flatMap(({ gate }) => {
    const program = gateProgram(gate.run)
    if (program === null) return []
    const found = findProgram(program.includes('/') ? join(root, program) : program, env)
    return found === null ? [{ gate: gate.name, program }] : []
  })
}

/** The command that installs the packages of a package.json; null: they are installed, or there are none. */
export function packageInstallCommand(root: string, setUp: DetectedSetup | null): string | null {
  if (setUp === null || !exists(join(root, 'package.json'))) return null
  const isHere = ['node_modules', '.pnp.cjs', '.pnp.js'].some((name) => exists(join(root, name)))
  return isHere ? null : setUp.run
}

/** Agents with a program that can be installed. */
export function installableAgents(): { name: string; install: string }[] {
  return allDrivers()
    .filter(({ program }) => program !== '')
    .map(({ name, install }) => ({ name, install }))
}

/** The command for the first obstacle, or to start. */
export function suggestNextCommand(done: InitResult): string {
  if (done.untouched.length === 2) return 'ralph init --task "what you want built, in your words"'
  if (done.installed.length === 0) return 'ralph agents'
  if (done.missing.length > 0) return 'ralph doctor'
  return isPlanDone(done.root) ? 'ralph task add "what to do next"' : 'ralph loop --once'
}

/** A loop would end at once. */
function isPlanDone(root: string): boolean {
  const { open, done } = parseCheckboxes(readIfExists(join(root, '.ralph', 'fix_plan.md')) ?? '', [])
  return open === 0 && done > 0
}

export function homeFromEnv(env: SourceEnvironment): string | undefined {
  return env['HOME'] ?? env['USERPROFILE']
}
