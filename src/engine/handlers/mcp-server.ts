/**
 * The engine's side of `ralph mcp`. Before an agent starts, the engine writes a token for the server into the iteration's folder. When
 * the agent has ended, the engine reads the server's notes, trusts only those signed with the token, and invalidates the token.
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

/** Null: this agent gets no MCP server. */
export function prepareMcpServer(folder: string, wish: McpServerOptions): McpServer | null {
  // Removes files of a failed start.
  for (const name of [MCP_TOKEN_FILE, AGENT_REPORT_FILE]) removeAll(join(folder, name))
  const token = randomId(TOKEN_LENGTH)
  const server = mcpServerConfig({ folder, token }, wish)
  if (server !== null) writeWithoutSync(join(folder, MCP_TOKEN_FILE), token)
  return server
}

/** The server's command line for the agent's settings; the folder and the token are in the environment. */
export function mcpServerConfig(
  { folder, token }: { folder: string; token: string },
  { role, driver, wanted }: McpServerOptions,
): McpServer | null {
  if (!wanted || role !== 'work' || driver.capabilities.mcp === 'no') return null
  const [command = '', ...args] = ralphCommand(['mcp'])
  return { command, args, env: { [MCP_FOLDER_VARIABLE]: folder, [MCP_TOKEN_VARIABLE]: token } }
}

export interface McpCalls {
  lines: string[]
  /** A remark for the user and the agent; null: none. */
  remark: string | null
}

/**
 * Null: the agent had no server. Invalidates the token, and keeps the notes with their secrets masked. `given`: the token as it was
 * issued, because the agent may have changed the file; null after a crash, when the file is all there is.
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
      strange === 0 ? null : `Ralph ignores lines in ${AGENT_REPORT_FILE} that ralph mcp did not write (${strange})`,
  }
}

/** Several servers may write at the limit at once; every acknowledged call must be read. */
const TOLD_READ_MAX = 2 * AGENT_REPORT_FILE_MAX

/** Prefix of the token after its iteration: it matches no server's token, so a leftover server refuses calls. */
const SPENT = 'spent '

function tokenIn(folder: string): string {
  const kept = readRegularFile(join(folder, MCP_TOKEN_FILE))?.bytes.toString('utf8').trim() ?? ''
  return kept.startsWith(SPENT) ? kept.slice(SPENT.length) : kept
}

function spend(folder: string, token: string): void {
  try {
    writeWithoutSync(join(folder, MCP_TOKEN_FILE), `${SPENT}${token}`)
  } catch {
    // The agent removed or replaced the folder: no server finds its token either.
  }
}

/** Adds the reports from MCP calls to the reply. */
export function addMcpCallsToReply(reply: Reply, mcpCalls: McpCalls | null): Reply {
  if (mcpCalls === null) return reply
  const problems = mcpCalls.remark === null ? [] : [`Report only with the tools: ${mcpCalls.remark}.`]
  const calls = { ...reportFromCalls(mcpCalls.lines), problems }
  return truncateReply({ ...reply, told: mergeAgentReports(reply.told, calls) })
}
