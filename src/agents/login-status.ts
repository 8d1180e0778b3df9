/**
 * Whether a vendor's program is logged in. Keys in the environment and files show a login without starting anything. Otherwise the program
 * itself is asked, if it can tell without a paid call.
 */
import { join } from 'node:path'
import { parseObject } from '../core/text/json.ts'
import { systemClock } from '../system/clock.ts'
import { buildHelperEnv } from '../system/environment.ts'
import { ensureFolder, exists, hashText, readIfExists, writeAtomic } from '../system/files/files.ts'
import { stateFolder } from '../system/files/state-folder.ts'
import { runProgram } from '../system/process/process.ts'
import type { Driver, Environment, LoginState } from './driver.ts'

/** `doctor`: the program is asked unless a key decides, because a file may be out of date. `start`: only if neither a key nor a file shows a
 *  login and no answer is remembered. `list`: never. */
export type LoginCheck = 'doctor' | 'start' | 'list'

/** The vendors' programs answer in about a second. */
const ANSWER_MS = 3_000

/** Long enough for the runs of one evening, short enough for a login that expires. */
const REMEMBERED_MS = 60 * 60_000

/** `path`: the vendor's own program; null: it must not be started. */
export async function loginOf(
  driver: Driver,
  env: Environment,
  { path, check }: { path: string | null; check: LoginCheck },
): Promise<LoginState> {
  const { login } = driver
  if (login.env.some((name) => (env[name] ?? '') !== '')) return 'yes'
  const seen = seenInFiles(driver, env)
  const { status } = login
  if (path === null || status === undefined || check === 'list') return seen
  if (check === 'doctor') return (await askAndRemember(driver, env, { path, status })) ?? seen
  if (seen === 'yes') return 'yes'
  return rememberedAnswer(driver, env, path) ?? (await askAndRemember(driver, env, { path, status })) ?? seen
}

function seenInFiles({ login }: Driver, env: Environment): LoginState {
  const home = homeIn(env)
  if (home !== undefined && login.files.some((file) => exists(join(home, file)))) return 'yes'
  return login.complete ? 'no' : 'unknown'
}

/** Null: it gave no clear answer. */
async function askAndRemember(
  driver: Driver,
  env: Environment,
  { path, status }: { path: string; status: NonNullable<Driver['login']['status']> },
): Promise<LoginState | null> {
  const home = homeIn(env) ?? '/'
  const { code, stdout, stderr, timedOut } = await runProgram([path, ...status.args], {
    cwd: home,
    // The variables that choose an account, as a run passes them.
    env: buildHelperEnv({ pass: [...driver.keys, 'XDG_*'], add: { HOME: home } }),
    timeoutMs: ANSWER_MS,
    maxBytes: 64 * 1024,
  })
  const answer = timedOut ? 'unknown' : status.read({ code, text: `${stdout}\n${stderr}` })
  remember(driver, env, { path, answer })
  return answer === 'unknown' ? null : answer
}

/** Null: none, or too old. */
function rememberedAnswer(driver: Driver, env: Environment, path: string): LoginState | null {
  const saved = parseObject(readIfExists(memoryFile(driver, env, path)) ?? '')
  const at = saved?.['at']
  if (saved === null || typeof at !== 'number' || systemClock().at() - at > REMEMBERED_MS) return null
  return saved['login'] === 'yes' || saved['login'] === 'unknown' ? saved['login'] : null
}

/** A "no" is asked again at every start: the user may log in a minute later. */
function remember(driver: Driver, env: Environment, { path, answer }: { path: string; answer: LoginState }): void {
  const file = memoryFile(driver, env, path)
  try {
    ensureFolder(join(file, '..'), 0o700)
    writeAtomic(file, JSON.stringify({ login: answer, at: systemClock().at() }), { mode: 0o600 })
  } catch {
    // A state folder that cannot be written costs one more question at the next start.
  }
}

/** One file per program and account. */
function memoryFile({ name, account }: Driver, env: Environment, path: string): string {
  const home = homeIn(env) ?? '/'
  const folder = account?.folder.env ?? null
  const key = hashText(JSON.stringify([path, home, folder === null ? '' : (env[folder] ?? '')])).slice(0, 16)
  return join(stateFolder({ env, home }, 'logins'), `${name}-${key}.json`)
}

function homeIn(env: Environment): string | undefined {
  return env['HOME'] ?? env['USERPROFILE']
}
