/** The table of commands: all of them, in the order of the help. Words only; what a command does is loaded when it is called. */
import type { Command } from '../frame/command.ts'
import { PLAN_COMMANDS } from './plan.ts'
import { INSPECT_COMMANDS } from './inspect-commands.ts'
import { SETUP_COMMANDS } from './setup-commands.ts'
import { CONTROL_COMMANDS } from './control-commands.ts'
import { RUN_COMMANDS } from './run-commands.ts'

export const COMMANDS: readonly Command[] = [
  ...RUN_COMMANDS,
  ...CONTROL_COMMANDS,
  ...INSPECT_COMMANDS,
  ...PLAN_COMMANDS,
  ...SETUP_COMMANDS,
]
