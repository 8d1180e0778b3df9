/** `ralph mcp`: the server through which an agent reports to Ralph. The agent's program starts one for each iteration. */
import { MCP_FOLDER_VARIABLE, MCP_TOKEN_VARIABLE } from '../core/agent-output/calls/agent-report-calls.ts'
import { ownEnvironment } from '../system/environment.ts'
import { serveLines } from '../system/line-server.ts'
import { createAgentReportWriter } from './agent-report-writer.ts'
import { createMcpLineHandler, MAX_MESSAGE_BYTES } from './server.ts'

/** `version`: Ralph's own. Resolves when the agent's program has closed the pipe. */
export function runMcpServer(version: string): Promise<void> {
  const env = ownEnvironment()
  const call = createAgentReportWriter({ folder: env[MCP_FOLDER_VARIABLE], token: env[MCP_TOKEN_VARIABLE] })
  return serveLines({ lineMax: MAX_MESSAGE_BYTES, answer: createMcpLineHandler({ version, call }) })
}
