/** Who a process is. A pid is used again and a machine restarts, so a name for ever is pid, start time and boot together. */
import { readFileSync } from 'node:fs'
import { attempt } from '../attempt.ts'
import { childProcess } from '../lazy-node.ts'
import { isRunning, processOf } from './process-table.ts'

export interface Identity {
  pid: number
  startTime: string
  boot: string
}

let mine: Identity | null = null

/** This process. */
export function ownIdentity(): Identity {
  mine ??= identifyProcess(process.pid) ?? { pid: process.pid, startTime: '', boot: bootId() }
  return mine
}

/** Null when no process has this pid now. */
export function identifyProcess(pid: number): Identity | null {
  const proc = processOf(pid)
  if (proc === null || proc.zombie) return null
  return { pid, startTime: proc.startTime, boot: bootId() }
}

/** Does this very process still run: the same pid, started at the same time, since the same boot? */
export function isAlive(identity: Identity): boolean {
  return identity.boot === bootId() && isRunning(identity)
}

/** From what was written down; one that cannot be read is nobody's. */
export function parseIdentity(value: unknown): Identity {
  const { pid = 0, startTime = '', boot: of = '' } = (value ?? {}) as Partial<Identity>
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

/** macOS: the boot session's id holds still, while the boot time moves when the clock is set. */
function askSysctl(name: string): string | null {
  const { status, stdout } = childProcess().spawnSync('sysctl', ['-n', name], { encoding: 'utf8' })
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : null
}
