/** A tmux session like that of bash Ralph: the loop, the agent's messages and the state of the run side by side. */
import { RalphError } from '../core/error.ts'
import type { RunId } from '../core/ids.ts'
import { runOnTerminal, type BackgroundEnd } from '../system/process/background.ts'
import { randomId, systemClock } from '../system/clock.ts'
import { identifyProcess, isAlive } from '../system/process/process-identity.ts'
import { fullEnvironment } from '../system/environment.ts'
import { runProgram, findProgram, type ProgramResult } from '../system/process/process.ts'
import { openRepo } from '../workspace/repo/git.ts'
import { storeFolder } from '../workspace/repo/find-repo.ts'
import { waitForRunStart, ralphCommand } from './detach.ts'

export interface TmuxOptions {
  root: string
  cwd: string
  /** The loop's command line after `ralph`. */
  words: string[]
  size: { columns: number; rows: number }
}

export interface TmuxSession {
  run: RunId | null
  /** The command to attach again; null: the session has ended. */
  again: string | null
}

/** Opens the session, shows it on the terminal and returns when the person leaves it. */
export async function openTmuxMonitor(options: TmuxOptions): Promise<TmuxSession> {
  const session = await openSession(options)
  await runOnTerminal(['tmux', '-L', session.socket, 'attach-session'], { env: outsideTmux() })
  const again = `tmux -L ${session.socket} attach`
  const loop = await tmux(session.socket, ['display-message', '-p', '-t', session.pane, '#{pane_dead}'])
  if (loop.stdout.trim() === '0') return { run: session.run, again }
  // The loop has ended: nothing is left to come back to.
  await tmux(session.socket, ['kill-server'])
  return { run: session.run, again: null }
}

interface OpenSession {
  socket: string
  /** The loop's pane. */
  pane: string
  run: RunId | null
}

/** Creates the session without showing it. It has its own server, which starts with this environment, so no setting is lost. */
async function openSession({ root, cwd, words, size }: TmuxOptions): Promise<OpenSession> {
  if (findProgram('tmux') === null) {
    throw new RalphError('not-found', 'tmux is not installed', {
      hint: 'Install tmux, or use the dashboard: ralph loop --monitor',
    })
  }
  const socket = `ralph-${randomId(6)}`
  const began = systemClock().at()
  // Set before the loop begins, so that the output of a loop that fails at once stays readable.
  const keep = ['start-server', ';', 'set-option', '-g', 'remain-on-exit', 'on', ';']
  // Always visible, because a dead pane takes no keys. The prefix may be the person's own.
  const howToLeave = ['set-option', '-g', 'status-right', ' #{prefix} d: leave · #{prefix} o: next pane ', ';']
  const wide = ['set-option', '-g', 'status-right-length', '50', ';']
  const place = ['-c', cwd, '-x', String(size.columns), '-y', String(size.rows), '-P', '-F', '#{pane_id} #{pane_pid}']
  const started = await tmux(socket, [
    ...keep,
    ...howToLeave,
    ...wide,
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
  const begun = await waitForRunStart({ folder, pid: Number(pid), began, ended: lookAt(Number(pid)) })
  if (!('id' in begun)) return { socket, pane, run: null }
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
    ...watch('messages'),
  ])
  const messages = right.stdout.trim()
  const below = ['-v', '-d', '-t', messages, '-c', cwd, '-P', '-F', '#{pane_id}']
  const summary = (await tmux(socket, ['split-window', ...below, ...watch('run')])).stdout.trim()
  await leaveWithTheLoop(socket, { pane, summary, screens: [messages, summary] })
  return { socket, pane, run: begun.id }
}

/** When the loop ends, the pane with its result gets the focus, where `q` works. Quitting a screen then leaves the session. */
async function leaveWithTheLoop(
  socket: string,
  { pane, summary, screens }: { pane: string; summary: string; screens: string[] },
): Promise<void> {
  for (const screen of screens) await tmux(socket, ['set-option', '-p', '-t', screen, 'remain-on-exit', 'off'])
  const isOver = `#{==:#{hook_pane},${pane}}`
  await tmux(socket, ['set-hook', '-g', 'pane-died', `if-shell -F "${isOver}" "select-pane -t ${summary}"`])
  const left = `if-shell -F -t ${pane} "#{pane_dead}" "detach-client"`
  await tmux(socket, ['set-hook', '-g', 'pane-exited', left])
}

/** tmux treats a word that ends in `;` as the end of a command. */
function literal(words: string[]): string[] {
  return words.map((word) => (word.endsWith(';') ? `${word.slice(0, -1)}\\;` : word))
}

/** The loop is a child of tmux, so its end must be polled. */
function lookAt(pid: number): () => BackgroundEnd | null {
  const who = identifyProcess(pid)
  return () => (who !== null && isAlive(who) ? null : { code: null, problem: null })
}

function tmux(socket: string, args: string[]): Promise<ProgramResult> {
  return runProgram(['tmux', '-L', socket, ...args], { cwd: '/', env: outsideTmux(), timeoutMs: 10_000 })
}

/** Removes the tmux variables: tmux refuses to nest sessions otherwise. */
function outsideTmux(): Record<string, string> {
  const { TMUX: _session, TMUX_PANE: _pane, ...env } = fullEnvironment()
  return env
}
