/** `ralph uninstall`: lists what Ralph keeps outside the project's files, asks, and removes it. */
import {
  findAllTraces,
  findTracesOf,
  ownSettingsFile,
  refuseUninstallWhileRunning,
  removeTraces,
  type Trace,
} from '../../../../app/project/uninstall.ts'
import { findProject } from '../../../../config/find-project.ts'
import { EXIT, RalphError } from '../../../../core/error.ts'
import { escapeInvisible } from '../../../../core/text/sanitize.ts'
import { formatSize, plural } from '../../../plain/format-values.ts'
import { askYesNo } from '../../asking/terminal-prompts.ts'
import type { UNINSTALL } from '../../command-table/setup-commands.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { Io } from '../../framework/io.ts'
import { homeOf } from '../../framework/open-project.ts'

export const run: CommandHandler<typeof UNINSTALL> = async ({ flags, typed }, io) => {
  const { all, dryRun, yes, json } = flags
  const traces = await (all ? findAllTraces(placeOf(io)) : findTracesOf(projectRoot(io), placeOf(io)))
  if (!json) io.out(listing(traces, { all, io }))
  const removes = traces.length > 0 && !dryRun
  if (removes) await refuseUninstallWhileRunning(traces)
  if (removes && !yes) {
    if (json || !io.asks)
      throw new RalphError('usage', 'nothing was removed: without a terminal, confirm with --yes', {
        hint: `${typed} --yes`,
      })
    const answer = await askYesNo('Remove all of this?')
    if (answer !== true) {
      io.out('Nothing was removed.\n')
      return answer === null ? EXIT.interrupted : EXIT.done
    }
  }
  if (removes) await removeTraces(traces)
  if (json) io.out(`${JSON.stringify({ removed: removes, traces })}\n`)
  else if (removes) io.out('Removed. To remove the program: npm uninstall -g ralph-run\n')
  return EXIT.done
}

function placeOf(io: Io): { env: Io['env']; home: string } {
  return { env: io.env, home: homeOf(io) }
}

/** The project, or the folder itself: what is left of a project whose files are gone can be removed too. */
function projectRoot(io: Io): string {
  return findProject(io.cwd, { home: homeOf(io) }).root
}

function listing(traces: readonly Trace[], { all, io }: { all: boolean; io: Io }): string {
  if (traces.length === 0) return all ? 'Ralph has stored nothing on this machine.\n' : NOTHING_HERE
  const rows = traces.map((trace) => [sizeOf(trace), describe(trace), pathOf(trace)])
  const [sizes, what] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map(([size = '', text = '', path = '']) =>
    `  ${size.padStart(sizes ?? 0)}  ${text.padEnd(what ?? 0)}  ${escapeInvisible(path)}`.trimEnd(),
  )
  return `Ralph has stored:\n${lines.join('\n')}\n${keptLine(io)}\n`
}

const NOTHING_HERE = 'Ralph has stored nothing for this folder. For all repositories: ralph uninstall --all\n'

function keptLine(io: Io): string {
  const file = ownSettingsFile(placeOf(io))
  const own = file === null ? '' : `, and your settings (${file})`
  return `Your commits and files stay, including .ralph/ and .ralph.toml${own}.`
}

function describe(trace: Trace): string {
  if (trace.is === 'store') return `store: ${plural(trace.runs, 'run')}, ${plural(trace.tasks, 'task')}, logs, notes`
  return trace.is === 'refs' ? `${plural(trace.count, 'snapshot')} (refs/ralph)` : NAMES[trace.is]
}

const NAMES: Readonly<Record<Exclude<Trace['is'], 'store' | 'refs'>, string>> = {
  'clean-room': 'clean room',
  archive: 'copy of the last proven tree',
  trust: 'commands you trusted',
  answers: 'warnings you confirmed',
  state: "Ralph's state folder",
}

function sizeOf(trace: Trace): string {
  return trace.is === 'refs' ? '' : formatSize(trace.bytes)
}

function pathOf(trace: Trace): string {
  return trace.is === 'refs' ? trace.repository : trace.path
}
