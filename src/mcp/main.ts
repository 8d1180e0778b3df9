/** `ralph mcp`: the server by which an agent tells Ralph things, started by the agent's own program, one for each iteration. */
import { MCP_FOLDER, MCP_TOKEN } from '../domain/reply/calls/told-calls.ts'
import { ownEnvironment } from '../system/environment.ts'
import { serveLines } from '../system/line-talk.ts'
import { createReportWriter } from './keep.ts'
import { createLineHandler, MESSAGE_MAX } from './server.ts'

/** `version`: Ralph's own. Resolves when the agent's program has closed the pipe. */
export function runMcpServer(version: string): Promise<void> {
  const env = ownEnvironment()
  const call = createReportWriter({ folder: env[MCP_FOLDER], token: env[MCP_TOKEN] })
  return serveLines({ lineMax: MESSAGE_MAX, answer: createLineHandler({ version, call }) })
}
