/** The table of commands. It holds text only; the code of a command is loaded when it is called. */
import type { Command } from '../framework/command.ts'
import { CONTROL_COMMANDS } from './control-commands.ts'
import { VIEW_COMMANDS } from './view-commands.ts'
import { PLAN_COMMANDS } from './plan-commands.ts'
import { RUN_COMMANDS } from './run-commands.ts'
import { SETUP_COMMANDS } from './setup-commands.ts'

/** Grouped by the headings of the help, in its order. */
export const COMMANDS_BY_HEADING: Readonly<Record<string, readonly Command[]>> = {
  Work: RUN_COMMANDS,
  Plan: PLAN_COMMANDS,
  See: VIEW_COMMANDS,
  Steer: CONTROL_COMMANDS,
  'Set up': SETUP_COMMANDS,
}

/** All commands, in the order of the docs. */
export const COMMANDS: readonly Command[] = [
  ...RUN_COMMANDS,
  ...CONTROL_COMMANDS,
  ...VIEW_COMMANDS,
  ...PLAN_COMMANDS,
  ...SETUP_COMMANDS,
]
