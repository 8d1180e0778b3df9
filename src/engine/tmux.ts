/** The loop as the bash tool showed it: a tmux session with the loop, the agent's words and the state of the run side by side. */
import { RalphError } from '../core/error.ts'
import type { RunId } from '../core/ids.ts'
import { runOnTerminal, type BackgroundEnd } from '../system/process/background.ts'
import { randomId, systemClock } from '../system/clock.ts'
import { identifyProcess, isAlive } from '../system/process/process-identity.ts'
import { fullEnvironment } from '../system/environment.ts'
import { runProgram, findProgram, type ProgramResult } from '../system/process/process.ts'
import { openRepo } from '../workspace/repo/git.ts'
import { storeFolder } from '../workspace/repo/find-repo.ts'
import { waitForRun, ralphCommand } from './detach.ts'

export interface TmuxOptions {
  root: string
  cwd: string
  /** The loop's command line after `ralph`. */
  words: string[]
  size: { columns: number; rows: number }
}

export interface TmuxSession {
  run: RunId | null
  /** How to get back to it; null: it is over. */
  again: string | null
}

/** Opens the session, shows it on the terminal and returns when the person leaves it. */
export async function openTmuxMonitor(options: TmuxOptions): Promise<TmuxSession> {
  const session = await openSession(options)
  await runOnTerminal(['tmux', '-L', session.socket, 'attach-session'], { env: outsideTmux() })
  const again = `tmux -L ${session.socket} attach`
  if ((await tmux(session.socket, ['list-panes', '-a', '-F', '#{pane_dead}'])).stdout.includes('0'))
    return { run: session.run, again }
  // The loop has ended and nobody looks any more: what is left shows only dead panes.
  await tmux(session.socket, ['kill-server'])
  return { run: session.run, again: null }
}

/** The session, not yet shown. A server of its own: it starts with our environment, so no setting is lost on the way. */
async function openSession({ root, cwd, words, size }: TmuxOptions): Promise<{ socket: string; run: RunId | null }> {
  if (findProgram('tmux') === null) {
    throw new RalphError('not-found', 'tmux is not installed', {
      hint: 'Install it, or use the dashboard: ralph loop --monitor',
    })
  }
  const socket = `ralph-${randomId(6)}`
  const began = systemClock().at()
  // Set before the loop begins: one that fails at once stays to be read.
  const keep = ['start-server', ';', 'set-option', '-g', 'remain-on-exit', 'on', ';']
  const place = ['-c', cwd, '-x', String(size.columns), '-y', String(size.rows), '-P', '-F', '#{pane_id} #{pane_pid}']
  const started = await tmux(socket, [
    ...keep,
    'new-session',
    '-d',
    '-s',
    'ralph',
    ...place,
    ...literal(ralphCommand(words)),
  ])
  const [pane, pid] = started.stdout.trim().split(' ')
  if (started.code !== 0 || pane === undefined || pid === undefined) {
    throw new RalphError('io', `tmux could not open a session: ${started.stderr.trim() || 'no reason given'}`, {
      hint: 'Use the dashboard instead: ralph loop --monitor',
    })
  }
  const folder = storeFolder(await openRepo(root), root)
  const begun = await waitForRun({ folder, pid: Number(pid), began, ended: lookAt(Number(pid)) })
  if (!('id' in begun)) return { socket, run: null }
  const watch = (what: string): string[] => literal(ralphCommand(['watch', begun.id, '--pane', what]))
  const right = await tmux(socket, [
    'split-window',
    '-h',
    '-d',
    '-t',
    pane,
    '-c',
    cwd,
    '-P',
    '-F',
    '#{pane_id}',
    ...watch('words'),
  ])
  await tmux(socket, ['split-window', '-v', '-d', '-t', right.stdout.trim(), '-c', cwd, ...watch('run')])
  return { socket, run: begun.id }
}

/** tmux takes a word that ends in `;` for the end of its command. */
function literal(words: string[]): string[] {
  return words.map((word) => (word.endsWith(';') ? `${word.slice(0, -1)}\\;` : word))
}

/** The loop is tmux's child, not ours, so its end is only seen by looking. */
function lookAt(pid: number): () => BackgroundEnd | null {
  const who = identifyProcess(pid)
  return () => (who !== null && isAlive(who) ? null : { code: null, problem: null })
}

function tmux(socket: string, args: string[]): Promise<ProgramResult> {
  return runProgram(['tmux', '-L', socket, ...args], { cwd: '/', env: outsideTmux(), timeoutMs: 10_000 })
}

/** Inside tmux the session is shown within the session; it would be refused otherwise. */
function outsideTmux(): Record<string, string> {
  const { TMUX: _session, TMUX_PANE: _pane, ...env } = fullEnvironment()
  return env
}
