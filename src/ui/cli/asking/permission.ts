/**
 * Shows on the terminal what an agent wants to do and asks whether it may (`agent.permission = "ask"`). Ctrl+C answers no and then
 * interrupts as usual. The question is cancelled when its answer is no longer needed.
 */
import type { PermissionAnswer, PermissionRequest } from '../../../core/calls/permission-request.ts'
import type { AskPerson } from '../../../system/terminal/ask-person.ts'
import { joinCommand } from '../../../core/text/shell.ts'
import { escapeInvisible } from '../../../core/text/sanitize.ts'
import { interruptSelf } from '../../../system/signals.ts'
import { onTerminalResume } from '../../../system/terminal/resume-signal.ts'
import { terminalClosedSignal } from '../../../system/terminal/terminal-closed.ts'
import { plural } from '../../plain/format-values.ts'
import type { LoopScreen } from '../../plain/loop-screen.ts'
import type { Io } from '../framework/io.ts'
import { loadPromptLibrary } from './terminal-prompts.ts'

/** Undefined: there is no terminal to ask on. */
export function createPermissionPrompt(
  screen: Pick<LoopScreen, 'suspendOutput' | 'bell'>,
  io: Io,
): AskPerson | undefined {
  if (!io.asks || !io.terminal) return undefined
  return async (wanted, until) => {
    const { select, isCancel } = await loadPromptLibrary()
    const gone = terminalClosedSignal()
    if (gone.aborted) throw new Error(NOBODY)
    const aloud = screen.suspendOutput()
    try {
      // The user may have left the terminal.
      screen.bell?.()
      for (;;) {
        const back = new AbortController()
        const listening = onTerminalResume(() => back.abort())
        io.out(`${permissionRequestLines(wanted).join('\n')}\n`)
        const answer = await select<PermissionAnswer>({
          message: 'Allow this?',
          // "No" is first: an Enter typed before the question appears selects the first option.
          options: [
            { value: 'no', label: 'No' },
            { value: 'once', label: 'Allow once' },
            { value: 'always', label: `Allow ${sameWords(wanted)} for this run` },
          ],
          signal: AbortSignal.any([until, gone, back.signal]),
        }).finally(listening)
        if (!isCancel(answer)) return answer
        if (gone.aborted) throw new Error(NOBODY)
        // After Ctrl+Z and `fg` the shell has overwritten the screen: show the request again.
        if (back.signal.aborted && !until.aborted) continue
        if (until.aborted) io.out('The answer is no longer needed.\n')
        else interruptSelf()
        return 'no'
      }
    } finally {
      aloud()
    }
  }
}

const NOBODY = 'the terminal was closed'

/** Longer than anybody reads; a longer command is shown with its beginning, its end and the number of characters left out. */
const COMMAND_MAX = 3_000
/** The lines that fit on a screen together with the answers. */
const LINES_MAX = 16
const PATHS_MAX = 10

export function permissionRequestLines({ agent, tool, command, env, cwd, paths, about }: PermissionRequest): string[] {
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

/** Escapes characters that would move the cursor or hide text, line by line. */
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
  return command === null ? escapeInvisible(tool) : 'this exact command'
}
