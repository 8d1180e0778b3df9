/**
 * `live.log`: the agent's output for `tail -f`. Each iteration truncates the file. The text is collected and written every second; if
 * there is too much, the rest is left out with a note.
 */
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import { RalphError } from '../../core/error.ts'
import { oneLine, stripControl } from '../../core/text/sanitize.ts'
import { openAppendStream } from '../../system/files/files.ts'
import { truncateFile } from '../../system/files/special-files.ts'
import { assertNotLink } from '../../workspace/state-files.ts'

export interface LiveLog {
  begin(title: string): void
  take(event: AgentEvent): void
  /** Writes the collected text. */
  flush(): void
  /** The last line so far. */
  lastMessage(): string
}

const GATHERED_MAX = 256 * 1024
const FILE_MAX = 10 * 1024 * 1024
const LAST_MAX = 500

export function createLiveLog(path: string, options: { toolArgs: boolean }): LiveLog {
  let gathered = ''
  let last = ''
  let full = false
  let written = 0

  function say(text: string): void {
    if (gathered.length + text.length <= GATHERED_MAX) gathered += text
    else if (!full) {
      full = true
      gathered += '\n[… output cut …]\n'
    }
  }

  function flush(): void {
    if (gathered === '') return
    const bytes = Buffer.from(gathered)
    gathered = ''
    full = false
    if (written + bytes.length > FILE_MAX) {
      truncateFile(assertNotLink(path))
      written = 0
    }
    const stream = openAppendStream(assertNotLink(path))
    stream.write(bytes)
    written += bytes.length
    void stream.close()
    if (stream.broken !== null) throw new RalphError('io', stream.broken)
  }

  return {
    flush,
    begin(title) {
      gathered = ''
      last = ''
      truncateFile(assertNotLink(path))
      written = 0
      say(`=== ${title} ===\n`)
    },
    take(event) {
      // The rest is left out anyway, so it need not be cleaned.
      if (full) return
      if (event.type === 'text') {
        const text = stripControl(event.text)
        say(event.delta ? text : `${text}\n`)
        last = (event.delta ? last + text : text).trimEnd().split('\n').at(-1)?.slice(-LAST_MAX) ?? ''
      }
      if (event.type === 'tool') {
        const detail = options.toolArgs ? ` ${oneLine(event.input, 120)}` : ''
        last = `⚡ [${oneLine(event.name, 60)}]${detail}`
        say(`${last}\n`)
      }
    },
    lastMessage: () => last,
  }
}
