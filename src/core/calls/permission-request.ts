/** The question to a person at the terminal when an agent wants to use a tool that its list neither allows nor denies. */

/** What the agent wants to do. */
export interface PermissionRequest {
  agent: string
  /** The tool's own name if the agent reports it, else its kind. */
  tool: string
  /** A command line as it would be run; null: it is none. */
  command: string | null
  /** What of its environment the command would get besides the agent's own. */
  env: Record<string, string>
  /** Where it would be run; null: the agent does not say. */
  cwd: string | null
  /** The files that it names. */
  paths: string[]
  /** Other details from the agent, if it names neither a command nor a file. */
  about: string[]
}

/** `always`: whatever is the same again, as long as this process serves the run. */
export type PermissionAnswer = 'once' | 'always' | 'no'

/** What "always" covers: exactly this command with its folder and environment, or else the tool with any input. */
export function permissionKey({ agent, tool, command, env, cwd }: PermissionRequest): string {
  return JSON.stringify(command === null ? [agent, tool] : [agent, command, cwd, env])
}
