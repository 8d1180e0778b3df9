/**
 * The engine's side of `ralph mcp`: before an agent starts, its iteration's folder gets a token that only the server is told; when it has
 * ended, what the server noted there is read, only what was signed by that token is believed, and the token is spent.
 */
import { join } from 'node:path'
import type { Driver } from '../../agents/driver.ts'
import type { McpServer } from '../../core/calls/agent-io.ts'
import type { Role } from '../../core/calls/role.ts'
import {
  mergeAgentReports,
  MCP_FOLDER_VARIABLE,
  MCP_TOKEN_VARIABLE,
  MCP_TOKEN_FILE,
  AGENT_REPORT_FILE,
  AGENT_REPORT_FILE_MAX,
  reportFromCalls,
} from '../../core/agent-output/calls/agent-report-calls.ts'
import type { Reply } from '../../core/agent-output/reply.ts'
import { truncateReply } from '../../core/agent-output/truncate-reply.ts'
import { randomId } from '../../system/clock.ts'
import { readRegularFile } from '../../system/files/path-entry.ts'
import { writeWithoutSync } from '../../system/files/files.ts'
import { readSignedLines } from '../../system/files/signed-lines.ts'
import { removeAll } from '../../system/files/remove-all.ts'
import { ralphCommand } from '../detach.ts'

const TOKEN_LENGTH = 32

export interface McpServerOptions {
  role: Role
  driver: Driver
  /** By the settings. */
  wanted: boolean
}

/** Null: this agent is not told of the server, or has nothing to tell. */
export function prepareMcpServer(folder: string, wish: McpServerOptions): McpServer | null {
  // What was left by a start that came to nothing is nobody's any more.
  for (const name of [MCP_TOKEN_FILE, AGENT_REPORT_FILE]) removeAll(join(folder, name))
  const token = randomId(TOKEN_LENGTH)
  const server = describeMcpServer({ folder, token }, wish)
  if (server !== null) writeWithoutSync(join(folder, MCP_TOKEN_FILE), token)
  return server
}

/** How an agent's program is told of it; of folder and token the names only, which stand in its environment. */
export function describeMcpServer(
  { folder, token }: { folder: string; token: string },
  { role, driver, wanted }: McpServerOptions,
): McpServer | null {
  if (!wanted || role !== 'work' || driver.capabilities.mcp === 'no') return null
  const [command = '', ...args] = ralphCommand(['mcp'])
  return { command, args, env: { [MCP_FOLDER_VARIABLE]: folder, [MCP_TOKEN_VARIABLE]: token } }
}

export interface McpCalls {
  lines: string[]
  /** What is to be said about them; null: nothing. */
  remark: string | null
}

/**
 * Null: the agent had no server. From now on nothing is noted here any more, and what was noted is kept with its secrets masked. `given`:
 * the token that was given out, whatever stands in the folder by now; only after a crash, when it is null, the folder is asked.
 */
export function readMcpCalls(
  folder: string,
  { given, mask }: { given: string | null; mask: (text: string) => string },
): McpCalls | null {
  const token = given ?? tokenIn(folder)
  if (token === '') return null
  spend(folder, token)
  const { texts, strange } = readSignedLines(join(folder, AGENT_REPORT_FILE), {
    token,
    fileMax: TOLD_READ_MAX,
    change: mask,
  })
  return {
    lines: texts,
    remark:
      strange === 0
        ? null
        : `what stands in ${AGENT_REPORT_FILE} and was not written by ralph mcp does not count (lines: ${strange})`,
  }
}

/** Servers that write at once may each take the last place in the file; whatever they acknowledged is read. */
const TOLD_READ_MAX = 2 * AGENT_REPORT_FILE_MAX

/** Stands before the token when its iteration is over: no server has a token like this, so one that is left over refuses its calls. */
const SPENT = 'spent '

function tokenIn(folder: string): string {
  const kept = readRegularFile(join(folder, MCP_TOKEN_FILE))?.bytes.toString('utf8').trim() ?? ''
  return kept.startsWith(SPENT) ? kept.slice(SPENT.length) : kept
}

function spend(folder: string, token: string): void {
  try {
    writeWithoutSync(join(folder, MCP_TOKEN_FILE), `${SPENT}${token}`)
  } catch {
    // The agent removed its folder, or put something else there: no server finds its token either.
  }
}

/** The reply with what was told by calls. */
export function withMcpCalls(reply: Reply, mcpCalls: McpCalls | null): Reply {
  if (mcpCalls === null) return reply
  const problems =
    mcpCalls.remark === null ? [] : [`You are only heard through the tools themselves: ${mcpCalls.remark}.`]
  const calls = { ...reportFromCalls(mcpCalls.lines), problems }
  return truncateReply({ ...reply, told: mergeAgentReports(reply.told, calls) })
}
