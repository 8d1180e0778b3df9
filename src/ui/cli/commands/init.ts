/** `ralph init`: makes this repository a project. On a terminal it asks what it cannot know. */
import { relative, resolve } from 'node:path'
import {
  checkAgents,
  initDefaults,
  initProject,
  isProject,
  programsNamed,
  type Initialised,
  type InitOptions,
} from '../../../desk/init.ts'
import { tasksWanted } from '../../../desk/task-import.ts'
import { EXIT } from '../../../domain/error.ts'
import { oneLine } from '../../../domain/text.ts'
import type { Input, Run } from '../command.ts'
import type { Io } from '../io.ts'
import { count } from '../../plain/format.ts'
import { paint } from '../../plain/paint.ts'
import { homeOf } from '../project.ts'
import { trustFirst, untrustedOf } from '../trust.ts'

export const run: Run = async (input, io) => {
  const options = optionsOf(input, io)
  const json = input.flags['json'] === true
  const asks = io.asks && !json && input.flags['yes'] !== true
  const chosen = asks && (options.force || !isProject(options.root)) ? await askAll(options) : options
  if (chosen === null) return EXIT.interrupted
  const done = await initProject(chosen)
  const named = await programsNamed({ root: done.root, env: io.env, home: homeOf(io) })
  const found = await untrustedOf({ root: done.root, programs: named, input }, io)
  if (found.length > 0 && !asks) {
    const names = found.map(({ setting }) => setting).join(', ')
    done.remarks.push(
      `these programs were named here before: ${names}; ralph loop asks before it starts them`,
    )
  }
  io.out(json ? `${JSON.stringify(done)}\n` : told(done, io))
  // Whatever the answer: set-up itself starts none of them.
  if (asks) await trustFirst({ root: done.root, programs: found, input }, io)
  return EXIT.done
}

function optionsOf({ args, flags }: Input, io: Io): InitOptions {
  const value = (name: string): string | null => (typeof flags[name] === 'string' ? flags[name] : null)
  const root = resolve(io.cwd, args[0] ?? '.')
  const prd = value('prd')
  const names = value('agent')
  return {
    ...initDefaults(root, io.env),
    force: flags['force'] === true,
    tasks: tasksWanted({
      from: value('from'),
      prd: prd === null ? null : relative(root, resolve(io.cwd, prd)),
      label: value('label'),
      limit: value('limit'),
    }),
    name: value('project-name'),
    type: value('project-type'),
    agents: names === null ? null : checkAgents(names.split(',').map((name) => name.trim())),
    github: flags['github'] === true,
  }
}

async function askAll(options: InitOptions): Promise<InitOptions | null> {
  const { askForInit, terminalAsker } = await import('./init-wizard.ts')
  return askForInit(options, await terminalAsker())
}

function told(done: Initialised, io: Io): string {
  const p = paint(io.colour)
  const { tasks } = done
  const lines = [
    done.already
      ? `${done.root} is a Ralph project already; nothing was changed.`
      : p.bold(`${done.root} is a Ralph project now.`),
    ...done.created.map((name) => `  ${p.good('wrote')}  ${name}`),
    ...done.kept.map((name) => `  ${p.dim('kept')}   ${name}`),
    ...done.copies.map((name) => `  ${p.dim('copy')}   ${name}`),
    '',
    ...(done.gates.length === 0
      ? [p.warn('  No gate was detected: outcomes will be unproven until .ralph.toml has one.')]
      : done.gates.map(
          ({ gate, why }) =>
            `  ${p.good('gate')}   ${clean(gate.name)}: ${clean(gate.run)}  ${p.dim(`(${clean(why)})`)}`,
        )),
    ...(done.setUp === null
      ? []
      : [
          `  ${p.good('setup')}  ${clean(done.setUp.run)}  ${p.dim(`(for the clean room: ${clean(done.setUp.why)})`)}`,
        ]),
    ...(tasks.from === null
      ? []
      : [`  ${p.good('tasks')}  ${count(tasks.imported, 'task')} from ${clean(tasks.from)}`]),
    ...done.remarks.map((remark) => `  ${p.warn('note')}   ${clean(remark)}`),
    '',
    '  1. Say what you want in .ralph/PROMPT.md and .ralph/fix_plan.md',
    '  2. ralph loop --once     one iteration, to see what happens',
    '  3. ralph loop            until it is proven done',
    '',
  ]
  return lines.join('\n')
}

/** Names and commands come from the project's own files. */
function clean(text: string): string {
  return oneLine(text, 300)
}

/** On a terminal, `ralph loop` outside a project asks first. */
export async function offerInit(io: Io): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts')
  const answer = await confirm({ message: `${io.cwd} is not a Ralph project. Make it one (ralph init)?` })
  if (isCancel(answer) || !answer) return false
  io.out(told(await initProject(initDefaults(io.cwd, io.env)), io))
  return true
}
