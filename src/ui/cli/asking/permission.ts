/**
 * What an agent wants to do is shown on the terminal, and whoever sits there says whether it may (`agent.permission = "ask"`). Ctrl+C is a no,
 * and then what it always is. When nobody needs the answer any more, the question goes.
 */
import type { PermissionAnswer, PermissionRequest } from '../../../core/calls/permission-request.ts'
import type { AskPerson } from '../../../system/terminal/ask-person.ts'
import { joinCommand } from '../../../core/text/shell.ts'
import { escapeInvisible } from '../../../core/text/sanitize.ts'
import { interruptSelf } from '../../../system/signals.ts'
import { onTerminalResume } from '../../../system/terminal/resume-signal.ts'
import { terminalClosedSignal } from '../../../system/terminal/terminal-closed.ts'
import { plural } from '../../plain/format-time.ts'
import type { LoopScreen } from '../../plain/loop-screen.ts'
import type { Io } from '../framework/io.ts'
import { loadPrompts } from './questions.ts'

/** Undefined: there is no terminal to ask on. */
export function permissionQuestion(screen: Pick<LoopScreen, 'suspendOutput' | 'bell'>, io: Io): AskPerson | undefined {
  if (!io.asks || !io.terminal) return undefined
  return async (wanted, until) => {
    const { select, isCancel } = await loadPrompts()
    const gone = terminalClosedSignal()
    if (gone.aborted) throw new Error(NOBODY)
    const aloud = screen.suspendOutput()
    try {
      // Whoever is to answer may be elsewhere by now.
      screen.bell?.()
      for (;;) {
        const back = new AbortController()
        const listening = onTerminalResume(() => back.abort())
        io.out(`${linesOf(wanted).join('\n')}\n`)
        const answer = await select<PermissionAnswer>({
          message: 'May it?',
          // The first is what an Enter says that was typed before the question was there.
          options: [
            { value: 'no', label: 'Refuse it' },
            { value: 'once', label: 'Allow it once' },
            { value: 'always', label: `Allow ${sameWords(wanted)} for this run` },
          ],
          signal: AbortSignal.any([until, gone, back.signal]),
        }).finally(listening)
        if (!isCancel(answer)) return answer
        if (gone.aborted) throw new Error(NOBODY)
        // After Ctrl+Z and `fg` the screen is the shell's: what is asked about has to stand there again.
        if (back.signal.aborted && !until.aborted) continue
        if (until.aborted) io.out('Nobody needs the answer any more.\n')
        else interruptSelf()
        return 'no'
      }
    } finally {
      aloud()
    }
  }
}

const NOBODY = 'the terminal was closed'

/** More than anybody reads; but how it begins, how it ends and that there is more is always seen. */
const COMMAND_MAX = 3_000
/** What a screen holds beside the answers. */
const LINES_MAX = 16
const PATHS_MAX = 10

export function linesOf({ agent, tool, command, env, cwd, paths, about }: PermissionRequest): string[] {
  const given = Object.entries(env).map(([name, value]) => `${name}=${joinCommand([value])}`)
  const line = command === null ? null : [...given, command].join(' ')
  return [
    `${escapeInvisible(agent)} wants to ${line === null ? `use ${escapeInvisible(tool)}` : 'run'}:`,
    ...(line === null ? about : [line]).flatMap(shown).map((text) => `  ${text}`),
    ...(cwd === null ? [] : [`  in ${escapeInvisible(cwd)}`]),
    ...paths.slice(0, PATHS_MAX).map((path) => `  ${escapeInvisible(path)}`),
    ...(paths.length > PATHS_MAX ? [`  and ${plural(paths.length - PATHS_MAX, 'more file')}`] : []),
  ]
}

/** Signs that would move the cursor or hide something are made visible, line by line. */
function shown(line: string): string[] {
  const half = COMMAND_MAX / 2
  const left = line.length - COMMAND_MAX
  const text = left <= 0 ? line : `${line.slice(0, half)}\n… ${left} more characters …\n${line.slice(-half)}`
  const lines = text.split('\n').map(escapeInvisible)
  const more = lines.length - LINES_MAX
  if (more <= 1) return lines
  return [...lines.slice(0, LINES_MAX / 2), `… ${more} more lines …`, ...lines.slice(-LINES_MAX / 2)]
}

function sameWords({ tool, command }: PermissionRequest): string {
  return command === null ? escapeInvisible(tool) : 'this very command'
}
