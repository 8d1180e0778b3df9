/** Ralph's own environment, and what child processes get of it. */
import {
  buildEnvironment,
  minimalEnvironment,
  type Env,
  type EnvPolicy,
  type EnvReceiver,
} from '../core/trust/environment.ts'
import { IS_WINDOWS } from './platform.ts'

/** Windows treats `Path` and `PATH` as the same variable. */
export const ENV_NAMES_IGNORE_CASE = IS_WINDOWS

/** For Ralph's own helpers (git, gh, ps): the few variables every program needs, and those in `pass`. `add` overrides existing values. */
export function buildHelperEnv({ pass, add }: { pass: string[]; add: Env }): Env {
  return { ...minimalEnvironment(process.env, { pass, caseless: ENV_NAMES_IGNORE_CASE }), ...add }
}

/** For an agent or a gate: the user's environment without the variables that the policy withholds. */
export function childEnv(to: { envPolicy: EnvPolicy; receiver: EnvReceiver; add: Env }): Env {
  return { ...buildEnvironment(process.env, { ...to, caseless: ENV_NAMES_IGNORE_CASE }).env, ...to.add }
}

/** Ralph's own environment for look-ups: on Windows names are compared without case. */
export function ownEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env
}

/** Ralph's complete own environment: for inspection, and for restarting Ralph itself (detached, in tmux). */
export function fullEnvironment(): Env {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
