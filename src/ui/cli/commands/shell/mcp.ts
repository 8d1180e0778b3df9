/** `ralph mcp` with a word that the launcher does not know; otherwise the launcher loads the MCP bundle (`bin/ralph.cjs`). */
import { EXIT } from '../../../../core/error.ts'
import { runMcpServer } from '../../../../mcp/main.ts'
import { VERSION } from '../../../version.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { MCP } from '../../command-table/setup-commands.ts'

export const run: CommandHandler<typeof MCP> = async () => {
  await runMcpServer(VERSION)
  return EXIT.done
}
