/** The identity of a process. Pids are reused and machines restart, so only pid, start time and boot together are unique. */
import { readFileSync } from 'node:fs'
import { attempt } from '../attempt.ts'
import { nodeChildProcess } from '../lazy-node.ts'
import { isRunning, findProcess } from './process-table.ts'

export interface ProcessIdentity {
  pid: number
  startTime: string
  boot: string
}

let mine: ProcessIdentity | null = null

/** This process. */
export function ownProcessIdentity(): ProcessIdentity {
  mine ??= identifyProcess(process.pid) ?? { pid: process.pid, startTime: '', boot: bootId() }
  return mine
}

/** Null if no process has this pid now. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  const proc = findProcess(pid)
  if (proc === null || proc.zombie) return null
  return { pid, startTime: proc.startTime, boot: bootId() }
}

/** Whether this very process still runs: same pid, same start time, same boot. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identity.boot === bootId() && isRunning(identity)
}

/** Parses a recorded identity; an unreadable one matches no process. */
export function parseProcessIdentity(value: unknown): ProcessIdentity {
  const { pid = 0, startTime = '', boot: of = '' } = (value ?? {}) as Partial<ProcessIdentity>
  return { pid, startTime, boot: of }
}

let boot: string | null = null

function bootId(): string {
  boot ??= bootOfLinux() ?? askSysctl('kern.bootsessionuuid') ?? askSysctl('kern.boottime') ?? 'unknown'
  return boot
}

function bootOfLinux(): string | null {
  return attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), null)
}

/** macOS: the boot session's id is constant, while the boot time moves when the clock is set. */
function askSysctl(name: string): string | null {
  const { status, stdout } = nodeChildProcess().spawnSync('sysctl', ['-n', name], { encoding: 'utf8' })
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : null
}
