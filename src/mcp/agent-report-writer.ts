/**
 * Saves an agent's reports in the folder of its iteration: one signed line per call, on the disk before it is acknowledged. It needs no
 * engine, so acknowledged reports survive a killed engine. Without the folder's token nothing is written.
 */
import { join } from 'node:path'
import {
  formatCallLine,
  maxCallsOf,
  parseAgentReportCall,
  MCP_TOKEN_FILE,
  AGENT_REPORT_FILE,
  AGENT_REPORT_FILE_MAX,
  AGENT_REPORT_LINE_MAX,
  type AgentReportCall,
  type AgentReportTool,
} from '../core/agent-output/calls/agent-report-calls.ts'
import { messageOf } from '../core/error.ts'
import type { JsonObject } from '../core/text/json.ts'
import { hashText, sizeOf } from '../system/files/files.ts'
import { appendSignedLine, readSignedLines, signedLineSize } from '../system/files/signed-lines.ts'
import { readRegularFile } from '../system/files/path-entry.ts'
import type { ToolCallOutcome } from './server.ts'

export interface AgentReportTarget {
  folder: string | undefined
  token: string | undefined
}

export function createAgentReportWriter(
  target: AgentReportTarget,
): (tool: AgentReportTool, args: JsonObject) => ToolCallOutcome {
  const kept = savedLines()
  return (tool, args) => {
    const read = parseAgentReportCall(tool, args)
    if (read.is === 'wrong') return refused(read.say)
    const place = placeOf(target)
    if (place === null) return refused(OUTSIDE)
    const call = withId(read.call)
    try {
      const line = formatCallLine(call)
      const most = maxCallsOf(tool)
      const before = kept.now(place)
      // Where only the last call counts, a repeated call is saved again.
      if (most !== null && before.has(line)) return { text: acknowledgement(call), isError: false }
      if (most !== null && countOf(tool, before) >= most) return refused(enough(most))
      if (Buffer.byteLength(line) > AGENT_REPORT_LINE_MAX)
        return refused(
          `Not saved: longer than ${AGENT_REPORT_LINE_MAX} bytes. Shorten it, or split it into several calls.`,
        )
      const { file, token } = place
      if (appendSignedLine(file, { token, text: line, fileMax: AGENT_REPORT_FILE_MAX }) === 'full') return refused(FULL)
      kept.add(line)
      return { text: acknowledgement(call), isError: false }
    } catch (thrown) {
      return refused(`Not saved: ${messageOf(thrown)}. Put it in your last message instead.`)
    }
  }
}

const OUTSIDE =
  'Not saved: this server does not belong to a running iteration of Ralph. Put it in your last message instead.'
const FULL =
  'Not saved: this iteration has reached its limit of reports. Continue your work, and put the rest in your last message.'
const enough = (most: number): string =>
  `Not saved: Ralph takes at most ${most} of these in one iteration, tags in your messages included. Continue your work.`

function countOf(tool: AgentReportTool, lines: ReadonlySet<string>): number {
  return [...lines].filter((line) => line.startsWith(`{"tool":"${tool}"`)).length
}

/** The lines of the file. They are read again only if another server wrote there: an earlier one that died, or a parallel one. */
function savedLines() {
  let lines = new Set<string>()
  let size = 0
  return {
    now({ file, token }: Place): ReadonlySet<string> {
      const found = sizeOf(file) ?? 0
      if (found !== size) lines = new Set(readSignedLines(file, { token, fileMax: AGENT_REPORT_FILE_MAX }).texts)
      size = found
      return lines
    },
    add(line: string): void {
      lines.add(line)
      size += signedLineSize(line)
    },
  }
}

interface Place {
  file: string
  token: string
}

/** Checked at each call: the folder may have been removed meanwhile. */
function placeOf({ folder, token }: AgentReportTarget): Place | null {
  if (folder === undefined || folder === '' || token === undefined || token === '') return null
  try {
    const own = readRegularFile(join(folder, MCP_TOKEN_FILE))?.bytes.toString('utf8').trim()
    return own === token ? { file: join(folder, AGENT_REPORT_FILE), token } : null
  } catch {
    // An unreadable folder is not Ralph's.
    return null
  }
}

/** The same question always has the same id. */
function withId(call: AgentReportCall): AgentReportCall {
  return call.tool === 'ask' ? { ...call, id: `q${hashText(call.text).slice(0, 6)}` } : call
}

function acknowledgement(call: AgentReportCall): string {
  if (call.tool === 'ask')
    return `saved as ${call.id}. Nobody can answer now: choose the cautious option that is easiest to undo, say in a note what you chose, and continue. The answer comes with a later prompt.`
  return call.tool === 'task_done' ? 'saved. The gates decide after you finish.' : 'saved'
}

function refused(text: string): ToolCallOutcome {
  return { text, isError: true }
}
