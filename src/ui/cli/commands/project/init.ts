/** `ralph init`: makes this repository a project. On a terminal it asks for what it cannot detect. */
import { relative, resolve } from 'node:path'
import {
  checkAgentNames,
  initDefaults,
  initProject,
  programsInSettings,
  type InitResult,
  type InitOptions,
} from '../../../../app/project/init.ts'
import { parseTaskSource } from '../../../../app/import/task-import.ts'
import { hasLoopFiles } from '../../../../app/project/init-files.ts'
import { descriptionFromArgument, enclosingProject, isMissingPath } from '../../../../app/project/detect-context.ts'
import { EXAMPLE_TEST_COMMAND } from '../../../../app/project/templates.ts'
import { EXIT, RalphError } from '../../../../core/error.ts'
import { gateExample } from '../../../../core/proof/gate-example.ts'
import { quoteShellWord } from '../../../../core/text/shell.ts'
import { oneLine, escapeInvisible } from '../../../../core/text/sanitize.ts'
import type { CommandHandler, CommandInput } from '../../framework/command.ts'
import type { INIT } from '../../command-table/plan-commands.ts'
import type { Io } from '../../framework/io.ts'
import { plural } from '../../../plain/format-values.ts'
import { createPaint, type Paint } from '../../../plain/colours.ts'
import { wrapText } from '../../../tui/text-width.ts'
import { homeOf, settingsOf } from '../../framework/open-project.ts'
import { askYesNo, createTerminalPrompter } from '../../asking/terminal-prompts.ts'
import { askTrust, findUntrustedPrograms } from '../../asking/trust.ts'

export const run: CommandHandler<typeof INIT> = async (input, io) => {
  const wish = descriptionFromArgument(input.args.folder, io.cwd)
  if (wish !== null) return initByWish(input, wish, io)
  if (input.flags.fresh)
    throw new RalphError('usage', '--fresh starts a draft again, so it needs a description', {
      hint: 'ralph init "what I want" --fresh',
    })
  refuseMissingFolder(input.args.folder, io)
  const options = optionsOf(input, io)
  const json = input.flags.json
  const asks = io.asks && !json && !input.flags.yes
  const above = enclosingProject(options.root, io.env)
  if (above !== null && input.args.folder === null && !(await confirmNestedProject(above, { asks, options })))
    return EXIT.nothing
  const chosen = asks ? await askAll(options) : options
  if (chosen === null) {
    io.err('Nothing was written.\n')
    return EXIT.interrupted
  }
  const done = await initProject(chosen)
  const named = await programsInSettings({ root: done.root, env: io.env, home: homeOf(io) })
  const found = await findUntrustedPrograms({ root: done.root, programs: named, input }, io)
  if (found.length > 0 && !asks) {
    const names = found.map(({ setting }) => setting).join(', ')
    done.remarks.push(`project files specify commands: ${names}; ralph loop asks before it runs them`)
  }
  io.out(json ? `${JSON.stringify(done)}\n` : initResultText(done, io))
  // Ask, but ignore the answer here: set-up itself starts none of these programs.
  if (asks) await askTrust({ root: done.root, programs: found, input }, io)
  return EXIT.done
}

/** One word is a folder or a goal. Creating a folder by mistake would hide what was meant. */
function refuseMissingFolder(folder: string | null, { cwd }: Io): void {
  if (folder === null || !isMissingPath(folder, cwd)) return
  const word = quoteShellWord(folder)
  throw new RalphError('usage', `there is no folder ${escapeInvisible(folder)}`, {
    hint: `For a new folder: mkdir ${word}, then ralph init ${word}. For a goal: ralph init --task ${word}`,
  })
}

/** Sets the project up with the detected values; then an agent asks questions and writes the prompt and the plan. */
async function initByWish(input: CommandInput<typeof INIT>, wish: string, io: Io): Promise<number> {
  if (input.flags.task !== null) throw new RalphError('usage', 'you gave the goal twice; omit --task')
  const options = optionsOf({ ...input, args: { folder: null } }, io)
  const above = enclosingProject(options.root, io.env)
  // The engine is loaded only where a run starts.
  const { canPersonAnswer } = await import('../run/foreground.ts')
  const asks = canPersonAnswer(input, io)
  if (above !== null && !(await confirmNestedProject(above, { asks, options }))) return EXIT.nothing
  const done = await initProject(options)
  const location = { root: done.root, notice: (text: string) => io.err(`${text}\n`) }
  const { prepareProjectDraft } = await import('../../../../app/feature/prepare-draft.ts')
  const draft = await prepareProjectDraft(location, { wish, asks })
  // If an agent continues from here, its run prints the next step.
  const said = { ...done, untouched: [], ...(draft === null ? {} : { next: '' }) }
  io.out(input.flags.json ? `${JSON.stringify(done)}\n` : initResultText(said, io))
  if (draft === null) {
    io.err('Nothing was drafted: PROMPT.md and fix_plan.md exist. Edit them, or: ralph feature create NAME\n')
    return EXIT.done
  }
  const { root } = done
  const project = { root, kind: 'ralph' as const, settings: await settingsOf(root, input, io) }
  const { startDraft } = await import('../run/start-run.ts')
  return startDraft({ project, draft, input }, io)
}

/** A project inside a project is rarely intended, except when the user names the folder. */
async function confirmNestedProject(
  above: string,
  { asks, options }: { asks: boolean; options: InitOptions },
): Promise<boolean> {
  if (asks) {
    const question = `${escapeInvisible(options.root)} is inside the project ${escapeInvisible(above)}. Make it a separate project?`
    return (await askYesNo(question)) === true
  }
  throw new RalphError('usage', `${options.root} is inside the project ${above}`, {
    hint: `To use that project: cd ${quoteShellWord(escapeInvisible(above))}. To make a separate one here: ralph init .`,
  })
}

function optionsOf({ args, flags }: CommandInput<typeof INIT>, io: Io): InitOptions {
  const root = resolve(io.cwd, args.folder ?? '.')
  const { prd, agent: names } = flags
  return {
    ...initDefaults(root, io.env),
    force: flags.force,
    wanted: flags.task?.trim() || null,
    tasks: parseTaskSource({
      from: flags.from,
      prd: prd === null ? null : relative(root, resolve(io.cwd, prd)),
      label: flags.label,
      limit: flags.limit,
    }),
    name: flags.projectName,
    type: flags.projectType,
    agents: names === null ? null : checkAgentNames(names.split(',').map((name) => name.trim())),
    github: flags.github,
  }
}

/** In an existing project only the missing values are asked for. */
async function askAll(options: InitOptions): Promise<InitOptions | null> {
  const { runInitWizard, askGoal } = await import('./init-wizard.ts')
  const ask = await createTerminalPrompter()
  if (options.force || !hasLoopFiles(options.root)) return runInitWizard(options, ask)
  const wanted = options.wanted ?? (await askGoal(options.root, ask))
  return wanted === null ? null : { ...options, wanted: wanted || null }
}

function initResultText(done: InitResult, io: Io): string {
  const p = createPaint(io.colour)
  const { tasks, untouched } = done
  const left = `no goal yet: describe what you want in ${untouched.join(' and ')}`
  const notes = [...done.remarks, ...(untouched.length === 0 ? [] : [left])]
  const lines = [
    title(done, p),
    ...done.created.map((name) => `  ${p.good('wrote')}  ${name}`),
    ...done.kept.map((name) => `  ${p.dim('kept')}   ${name}`),
    ...done.copies.map((name) => `  ${p.dim('copy')}   ${name}`),
    '',
    ...(done.created.includes('.ralph.toml')
      ? [`  ${p.good('agent')}  ${clean(done.agents.map((name) => agentWords(name, done)).join(', '))}`]
      : []),
    ...gateLines(done, p),
    ...(done.setUp === null
      ? []
      : [
          `  ${p.good('setup')}  ${clean(done.setUp.run)}  ${p.dim(`(for the clean room, because ${clean(done.setUp.why)})`)}`,
        ]),
    ...workLines(done, p),
    ...(tasks.from === null
      ? []
      : [`  ${p.good('tasks')}  ${plural(tasks.imported, 'task')} from ${clean(tasks.from)}`]),
    ...notes.flatMap((note) => noteLines(note, io, p)),
    '',
    ...(done.next === '' ? [] : [nextLine(done, p, io)]),
  ]
  return lines.join('\n')
}

function nextLine(done: InitResult, p: Paint, io: Io): string {
  return `Next: ${p.bold(io.cwd === done.root ? done.next : `cd ${quoteShellWord(escapeInvisible(relative(io.cwd, done.root)))} && ${done.next}`)}\n`
}

const FOLDERS_SHOWN = 6

function workLines({ work }: InitResult, p: Paint): string[] {
  if (work === null) return []
  const more = work.length - FOLDERS_SHOWN
  const names = work.length === 0 ? 'repository root' : clean(work.slice(0, FOLDERS_SHOWN).join(', '))
  const why = p.dim('(where source files are; to change it: proof.source)')
  return [`  ${p.good('source')} ${names}${more > 0 ? ` and ${more} more` : ''}  ${why}`]
}

/** The user's own agents, and those behind ACP, are not looked for before they are started. */
function agentWords(name: string, { installed, known }: InitResult): string {
  return known.includes(name) && !installed.includes(name) ? `${name} (not installed)` : name
}

/** Wraps lines on a terminal; a pipe gets one line each, so that programs can search them. */
function noteLines(note: string, io: Io, p: Paint): string[] {
  const [first = '', ...rest] = io.terminal ? wrapText(clean(note), io.columns() - NOTE_MARGIN.length) : [clean(note)]
  return [`  ${p.warn('note')}   ${first}`, ...rest.map((line) => `${NOTE_MARGIN}${line}`)]
}

const NOTE_MARGIN = ' '.repeat('  note   '.length)

function title({ root, already, kept }: InitResult, p: Paint): string {
  const where = escapeInvisible(root)
  if (already) return `${where} is already a Ralph project; nothing was changed.`
  const was = kept.includes('.ralph/AGENT.md')
  return p.bold(was ? `${where} is already a Ralph project; new files:` : `${where} is now a Ralph project.`)
}

function gateLines({ gates, offered, created }: InitResult, p: Paint): string[] {
  const line = ({ gate, why, slow }: InitResult['gates'][number]) =>
    `${clean(gate.name)}: ${clean(gate.run)}  ${p.dim(`(${clean(why)}${slow === null ? '' : `; slow: ${slow}; limit ${gate.minutes} minutes`})`)}`
  const where = created.includes('.ralph.toml') ? 'commented out in .ralph.toml' : 'not in the settings'
  return [
    ...gates.map((gate) => `  ${p.good('gate')}   ${line(gate)}`),
    ...offered.map((gate) => `  ${p.dim('no')}     ${line(gate)} ${p.dim(`found, but ${where}`)}`),
    ...(gates.length > 0
      ? []
      : [
          p.warn('  No gate found. Nothing can be proven until .ralph.toml has one, for example:'),
          ...gateExample(EXAMPLE_TEST_COMMAND)
            .split('\n')
            .map((text) => `    ${text}`),
        ]),
  ]
}

/** Names and commands come from the project's files, so control characters are removed. */
function clean(text: string): string {
  return oneLine(text, 400)
}

/** On a terminal, `ralph loop` outside a project offers to set one up. */
export async function offerInit(io: Io): Promise<boolean> {
  const question = `${io.cwd} is not a Ralph project. Set it up now (ralph init)?`
  if ((await askYesNo(question, true)) !== true) return false
  const chosen = await askAll(initDefaults(io.cwd, io.env))
  if (chosen === null) return false
  io.out(initResultText(await initProject(chosen), io))
  return true
}
