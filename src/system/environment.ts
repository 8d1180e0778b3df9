/** Our own environment, and what others get of it. */
import {
  buildEnvironment,
  listedVariables,
  type Env,
  type EnvPolicy,
  type EnvReceiver,
} from '../core/trust/environment.ts'
import { IS_WINDOWS } from './platform.ts'

/** Windows does not tell `Path` from `PATH`. */
export const CASELESS = IS_WINDOWS

/** For our own helpers (git, gh, ps): the few names every program needs, and those that are passed. `add` is set whatever stood
 *  there before. */
export function buildHelperEnv({ pass, add }: { pass: string[]; add: Env }): Env {
  return { ...listedVariables(process.env, { pass, caseless: CASELESS }), ...add }
}

/** For an agent or a gate: the user's environment without what is withheld. */
export function childEnv(to: { envPolicy: EnvPolicy; receiver: EnvReceiver; add: Env }): Env {
  return { ...buildEnvironment(process.env, { ...to, caseless: CASELESS }).env, ...to.add }
}

/** Our own environment, to look a name up in: on Windows whatever its case. */
export function ownEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env
}

/** Our own environment as it is: to look into, and for Ralph itself when it starts once more (detached, in tmux). */
export function fullEnvironment(): Env {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
