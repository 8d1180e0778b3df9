/** The table of commands: all of them, in the order of the help. Words only; what a command does is loaded when it is called. */
import type { Command } from '../frame/command.ts'
import { PLAN_COMMANDS } from './plan.ts'
import { SEE_COMMANDS } from './see.ts'
import { SET_UP_COMMANDS } from './set-up.ts'
import { STEER_COMMANDS } from './steer.ts'
import { WORK_COMMANDS } from './work.ts'

export const COMMANDS: readonly Command[] = [
  ...WORK_COMMANDS,
  ...STEER_COMMANDS,
  ...SEE_COMMANDS,
  ...PLAN_COMMANDS,
  ...SET_UP_COMMANDS,
]
