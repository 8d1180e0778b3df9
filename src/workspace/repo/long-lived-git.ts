/**
 * A git process that answers many queries, because starting one per query costs more than the answers. Only a long-lived owner that closes
 * it (an engine) uses it; others start a git per query. It exits when its input closes, so also when Ralph is killed; if it is killed
 * itself, it is started again. A query that it cannot answer goes to a normal git, which also reports the error.
 */
import { randomId, systemClock } from '../../system/clock.ts'
import { MARK_VARIABLE, type StartedProcess, startProcess } from '../../system/process/process.ts'
import { gitCommand, GIT_TIMEOUT_MS } from './git.ts'
import type { Repo } from './find-repo.ts'

export interface LongLivedGit {
  /** The answer to this line; null: use a normal git. Throws when the git context is aborted. */
  ask(repo: Repo, line: string): Promise<Buffer | null>
  /** Its cached settings and attributes may be outdated: the next query starts a new process. */
  forget(): void
  /** Waits until the process has exited. */
  close(): Promise<void>
}

/** Its memory grows a little with each answer. */
const ANSWERS_MAX = 200
/** It exits as soon as its input closes. */
const END_MS = 1_000

/** `mark` identifies the process if it outlives Ralph. The command must repeat a line that is no object name, and then wait. */
export function openLongLivedGit(args: string[], { mark }: { mark: string }): LongLivedGit {
  let talk: Talk | null = null
  let last: Promise<unknown> = Promise.resolve()
  const endings = new Set<Promise<void>>()

  function forget(): void {
    if (talk === null) return
    const ending = talk.end()
    talk = null
    endings.add(ending)
    void ending.finally(() => endings.delete(ending))
  }

  async function answer(repo: Repo, line: string): Promise<Buffer | null> {
    repo.by?.signal.throwIfAborted()
    if (talk !== null && (talk.isOver() || talk.answers() >= ANSWERS_MAX)) forget()
    talk ??= begin(await gitCommand(repo, args), mark)
    const said = await talk.ask(line, repo.by?.signal)
    if (said === null) forget()
    repo.by?.signal.throwIfAborted()
    return said
  }

  return {
    ask(repo, line) {
      const mine = last.then(
        () => answer(repo, line),
        () => answer(repo, line),
      )
      last = mine
      return mine
    },
    forget,
    async close() {
      await last.catch(() => {})
      forget()
      await Promise.all(endings)
    },
  }
}

/** Longer than the line that ends an answer, which may arrive in pieces. */
const TAIL = 32

interface Talk {
  ask(line: string, signal: AbortSignal | undefined): Promise<Buffer | null>
  answers(): number
  isOver(): boolean
  end(): Promise<void>
}

function begin(program: { argv: string[]; cwd: string; env: Record<string, string> }, mark: string): Talk {
  const clock = systemClock()
  let heard: Buffer[] = []
  let tail = ''
  let listen: () => void = () => {}
  let over = false
  let answers = 0
  const child: StartedProcess = startProcess({
    ...program,
    env: { ...program.env, [MARK_VARIABLE]: mark },
    stdin: 'pipe',
    onStdout(chunk) {
      heard.push(chunk)
      tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - TAIL))).slice(-TAIL)
      listen()
    },
    onStderr() {},
  })
  const ended = child.ended.then(() => {
    over = true
    listen()
  })

  return {
    answers: () => answers,
    isOver: () => over,
    async ask(line, signal) {
      answers += 1
      heard = []
      const close = `end ${randomId(12)}\n`
      const whole = new Promise<Buffer | null>((resolve) => {
        const settle = (said: Buffer | null): void => {
          patience.cancel()
          signal?.removeEventListener('abort', cut)
          listen = () => {}
          resolve(said)
        }
        const cut = (): void => settle(null)
        const patience = clock.after(GIT_TIMEOUT_MS, cut)
        signal?.addEventListener('abort', cut)
        listen = () => {
          const said = tail.endsWith(close) ? Buffer.concat(heard) : null
          if (said !== null) settle(said.subarray(0, said.length - close.length))
          else if (over) settle(null)
        }
        if (over) cut()
      })
      child.write(`${line}\n${close}`)
      return whole
    },
    async end() {
      child.closeStdin()
      const stop = clock.after(END_MS, () => void child.stop({ graceMs: 0 }))
      await ended
      stop.cancel()
    },
  }
}
