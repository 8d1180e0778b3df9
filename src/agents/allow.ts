/** Denied tools put on the list of those that are allowed: as narrow as it can be said. */
import type { Allow, Denial } from '../domain/reply/reply.ts'

export function allowByList(denials: Denial[], tools: string[]): Allow {
  // Of joined commands no pattern speaks, and the whole shell is much to allow for the sake of one.
  const single = denials.filter(({ command }) => command === undefined || !JOINED.test(command))
  const added = [...new Set((single.length > 0 ? single : denials).map(patternFor))]
  const missing = added.filter((one) => !tools.includes(one))
  if (missing.length === 0)
    return {
      say: `${added.join(', ')} is on the list (agent.tools): settings of the agent's own deny it.`,
      args: [],
    }
  return {
    say: `The tools it may use are on a list (agent.tools), without ${missing.join(', ')}.`,
    args: ['--allowed-tools', [...tools, ...missing].join(',')],
  }
}

const JOINED = /[;&|`<>\n]|\$\(/

/** Programs whose second word says what they do. */
const WORDY = new Set(
  'bun cargo deno docker dotnet gh git go gradle kubectl make mvn npm npx pip pnpm poetry uv yarn'.split(' '),
)

/** `git push origin main` → `Bash(git push *)`. */
function patternFor({ tool, command }: Denial): string {
  if (command === undefined || tool !== 'Bash' || JOINED.test(command)) return tool
  const [program = '', second = ''] = command.trim().split(/\s+/)
  if (!/^[\w./@+-]+$/.test(program)) return tool
  const words = WORDY.has(program) && /^\w[\w:.-]*$/.test(second) ? `${program} ${second}` : program
  return `${tool}(${words} *)`
}
