/** `ralph loop --monitor` and `--detach`: run the engine in a separate process, with or without a dashboard. */
import { EXIT, RalphError } from '../../../../core/error.ts'
import { startDetachedEngine, type DetachResult } from '../../../../engine/detach.ts'
import { createRunMasker } from '../../../../config/run-masker.ts'
import { openWatch } from '../../../../watch/watch.ts'
import { terminalRows } from '../../../../system/terminal/streams.ts'
import { resultBlock } from '../../../plain/row-lines.ts'
import { createPaint, type Paint } from '../../../plain/colours.ts'
import { toFlagArgs } from '../../framework/parse-command-line.ts'
import type { CommandInput } from '../../framework/command.ts'
import { LOOP, RUN } from '../../command-table/run-commands.ts'
import type { StartRunOptions } from './start-run.ts'
import { outputWidth, type Io } from '../../framework/io.ts'
import { printResult } from '../../framework/print-result.ts'
import type { OpenProject } from '../../framework/open-project.ts'
import { followAsLines, watchOnDashboard } from './watch-output.ts'

/** The command line of a command that starts a run. */
export type RunInput = CommandInput<typeof LOOP> | CommandInput<typeof RUN>

/** How the run is shown; `here`: by the engine itself, in the foreground. */
export function displayMode(input: RunInput, { settings }: OpenProject): 'here' | 'detached' | 'dashboard' | 'tmux' {
  if (input.flags.detach) return 'detached'
  if (input.flags.tmux) return 'tmux'
  if (!input.flags.monitor) return 'here'
  return settings.values['ui.monitor']
}

export async function startDetached({ project, input, words }: StartRunOptions, io: Io): Promise<number> {
  const detached = await startDetachedEngine({ root: project.root, cwd: io.cwd, words: engineWords(words, input) })
  if (detached.is === 'failed') return sayFailed(detached, input, io)
  const { run, pid, log } = detached
  return printResult({ run, pid, log }, () => detachedText(detached, createPaint(io.colour)), {
    json: input.flags.json,
    io,
  })
}

export async function startWithDashboard({ project, input, words }: StartRunOptions, io: Io): Promise<number> {
  const detached = await startDetachedEngine({ root: project.root, cwd: io.cwd, words: engineWords(words, input) })
  if (detached.is === 'failed') return sayFailed(detached, input, io)
  const p = createPaint(io.colour)
  const { root, settings } = project
  const watch = await openWatch({
    root,
    run: detached.run,
    agents: settings.agents,
    mask: createRunMasker(settings, root),
  })
  try {
    if (!io.terminal || !io.asks) {
      if (!input.flags.json) io.out(detachedText(detached, p))
      const { view } = await followAsLines(watch, { json: input.flags.json }, io)
      return view?.outcome?.exit ?? EXIT.done
    }
    const { view, how } = await watchOnDashboard(watch, { leaving: 'asks', only: null }, io)
    if (how === 'gone') return EXIT.done
    if (view?.outcome != null) {
      const { questions } = await watch.look()
      io.out(resultBlock(view, { p, columns: outputWidth(io) }, questions))
      return view.outcome.exit
    }
    io.out(how === 'stopped' ? `Run ${watch.run} stopped.\n` : detachedText(detached, p))
    return how === 'stopped' ? EXIT.incomplete : EXIT.done
  } finally {
    await watch.close()
  }
}

export async function startInTmux({ project, input, words }: StartRunOptions, io: Io): Promise<number> {
  if (!io.terminal || !io.asks) {
    throw new RalphError('usage', '--tmux needs a terminal', {
      hint: 'To run in the background without a screen: ralph loop --detach',
    })
  }
  const { openTmuxMonitor } = await import('../../../../engine/tmux.ts')
  const typed = [...runWords(words, input), '--live']
  const size = { columns: io.columns(), rows: terminalRows() }
  const { run, again } = await openTmuxMonitor({ root: project.root, cwd: io.cwd, words: typed, size })
  if (again !== null)
    io.out(
      `The session keeps running${run === null ? '' : ` with run ${run}`}.\n  reattach: ${again} · stop: ralph stop\n`,
    )
  return EXIT.done
}

function detachedText({ run, pid, log }: Extract<DetachResult, { is: 'begun' }>, p: Paint): string {
  return [
    `Run ${p.head(run)} continues in the background (process ${pid}).`,
    p.dim(`  watch: ralph watch ${run} · status: ralph status · stop: ralph stop`),
    p.dim(`  output: ${log}`),
    '',
  ].join('\n')
}

/** Repeats the engine's error message and its exit code. */
function sayFailed({ exit, said }: Extract<DetachResult, { is: 'failed' }>, input: RunInput, io: Io): number {
  if (input.flags.json) io.out(`${said}\n`)
  else io.err(`${said || 'ralph: the engine exited before the run started'}\n`)
  return exit
}

/** Nobody reads the output of an engine in the background, so it prints only its result. */
function engineWords(words: StartRunOptions['words'], input: RunInput): string[] {
  return input.flags.json ? runWords(words, input) : [...runWords(words, input), '--quiet']
}

const UNSHOWN = { monitor: false, detach: false, tmux: false, quiet: false }

/** The command line without the flags for its display: every setting that was given as a flag is passed on. */
function runWords(words: StartRunOptions['words'], { words: args, flags, settings }: RunInput): string[] {
  const row = words === 'loop' ? LOOP : RUN
  return [
    words,
    ...args,
    ...toFlagArgs(row.flags, { ...flags, ...UNSHOWN }),
    ...Object.entries(settings).map(([name, value]) => {
      if (typeof value === 'string') return `--${name}=${value}`
      return value ? `--${name}` : `--no-${name}`
    }),
  ]
}
