/** `ralph mcp`: the server by which an agent tells Ralph things, started by the agent's own program, one for each iteration. */
import { MCP_FOLDER, MCP_TOKEN } from '../domain/reply/calls/told-calls.ts'
import { ownEnv } from '../system/environment.ts'
import { talkInLines } from '../system/line-talk.ts'
import { keeper } from './keep.ts'
import { mcpServer, MESSAGE_MAX } from './server.ts'

/** `version`: Ralph's own. Resolves when the agent's program has closed the pipe. */
export function serve(version: string): Promise<void> {
  const env = ownEnv()
  const call = keeper({ folder: env[MCP_FOLDER], token: env[MCP_TOKEN] })
  return talkInLines({ lineMax: MESSAGE_MAX, answer: mcpServer({ version, call }) })
}
