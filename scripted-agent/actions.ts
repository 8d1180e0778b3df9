/**
 * What the scripted agent really does: files, commands, commits, children. Each returns what a vendor's tool would. `node:child_process`
 * is loaded on demand: most turns start nothing, and a start should take no longer than Node's own.
 */
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf } from '../src/core/error.ts'
import type { ToolOutput } from './dialect.ts'
import type { StepOf } from './scenario.ts'

export function writeFile(path: string, content: string): ToolOutput {
  return attempt(() => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return `File created successfully at: ${path}`
  })
}

export function appendFile(path: string, content: string): ToolOutput {
  return attempt(() => {
    mkdirSync(dirname(path), { recursive: true })
    appendFileSync(path, content)
    return `The file ${path} has been updated.`
  })
}

/** Replaces the first occurrence; a missing text is a failed edit, as with the real tools. */
export function replaceInFile(path: string, edit: { find: string; with: string }): ToolOutput {
  return attempt(() => {
    const before = readFileSync(path, 'utf8')
    const at = before.indexOf(edit.find)
    if (at < 0) throw new Error(`String to replace not found in file: ${edit.find}`)
    writeFileSync(path, before.slice(0, at) + edit.with + before.slice(at + edit.find.length))
    return `The file ${path} has been updated.`
  })
}

export function deleteFile(path: string): ToolOutput {
  return attempt(() => {
    rmSync(path, { recursive: true })
    return ''
  })
}

export async function runShell(command: string): Promise<ToolOutput> {
  const { spawnSync } = await import('node:child_process')
  return ran(spawnSync(command, { shell: true, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }))
}

/** Commits under a name of its own: the history shows that no person made the commit. */
export async function commitAll(message: string): Promise<ToolOutput> {
  const added = await git(['add', '-A'])
  if (!added.ok) return added
  const identity = ['-c', 'user.name=Scripted Agent', '-c', 'user.email=scripted@localhost']
  return git([...identity, '-c', 'commit.gpgSign=false', 'commit', '-m', message])
}

/** A child that outlives the agent. Its command line ends in the folder, to distinguish it from others of its kind. */
export async function spawnOrphan(step: StepOf<'grandchild'>, pidFile: string | null): Promise<void> {
  const { spawn } = await import('node:child_process')
  const child = spawn(process.execPath, ['-e', `setTimeout(() => {}, ${step.ms})`, process.cwd()], {
    detached: step.setsid ?? false,
    stdio: ['ignore', step.keepPipe ? 'inherit' : 'ignore', 'ignore'],
  })
  if (pidFile !== null) writeFileSync(pidFile, `${child.pid}\n`)
  child.unref()
}

async function git(args: string[]): Promise<ToolOutput> {
  const { spawnSync } = await import('node:child_process')
  return ran(spawnSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }))
}

function ran(result: { error?: Error; status: number | null; stdout: string; stderr: string }): ToolOutput {
  if (result.error !== undefined) return { ok: false, output: messageOf(result.error), exit: null }
  return { ok: result.status === 0, output: result.stdout + result.stderr, exit: result.status }
}

function attempt(act: () => string): ToolOutput {
  try {
    return { ok: true, output: act(), exit: null }
  } catch (problem) {
    return { ok: false, output: messageOf(problem), exit: null }
  }
}
