/** Suggests entries for the tool list that allow what was denied, as narrow as possible. */
import type { AllowAdvice, Denial } from '../core/agent-output/reply.ts'
import { commandsInLine } from '../core/text/shell.ts'
import { isShellTool } from '../core/calls/tool-list.ts'

export function suggestAllowedTools(denials: Denial[], tools: string[]): AllowAdvice {
  const patterns = denials.map(patternsFor)
  // Some command lines match no pattern, and allowing the whole shell for one of them is too much.
  const said = patterns.filter((one) => one !== null)
  const added = [...new Set(said.length > 0 ? said.flat() : ['Bash'])]
  const missing = added.filter((one) => !tools.includes(one))
  if (missing.length === 0)
    return {
      say: `${added.join(', ')} is on the tool list (agent.tools), but the agent's own settings deny it.`,
      args: [],
    }
  const harmless = missing.filter((one) => !HARSH.test(one))
  const harsh = missing.filter((one) => HARSH.test(one))
  const say = `The tool list (agent.tools) does not include ${missing.join(', ')}.`
  return {
    say:
      harsh.length === 0
        ? say
        : `${say} It is safer to tell the agent in the prompt to do without ${harsh.join(', ')}.`,
    args: harmless.length === 0 ? [] : ['--allow', harmless.join(',')],
  }
}

/** They can destroy work or reach beyond the project: Ralph never suggests allowing them, though a person may. */
const HARSH =
  /^Bash(?:$|\((?:rm|rmdir|unlink|shred|dd|mkfs\S*|sudo|doas|su|kill|pkill|killall|chmod|chown|sh|bash|zsh|env|xargs|eval|exec|curl|wget|ssh|scp|git (?:reset|clean|rebase|restore|filter-branch|gc|reflog|update-ref))(?:[ )*]))/

/** Programs whose second word decides what they do. */
const WORDY = new Set(
  'bun cargo deno docker dotnet gh git go gradle kubectl make mvn npm npx pip pnpm poetry uv yarn'.split(' '),
)

/** The vendors' names for tools that write files. */
const WRITER = /^(?:create|edit|write_file|replace|apply_patch|patch)$/i

/** As a tool list entry: `git push origin main` → `Bash(git push *)`. Null: only the whole shell would allow it. */
function patternsFor({ tool, command }: Denial): string[] | null {
  if (!isShellTool(tool)) return [WRITER.test(tool) ? 'Edit' : tool]
  const patterns = commandsInLine(command ?? '')?.map(patternFor) ?? []
  return patterns.length === 0 || patterns.includes(null) ? null : patterns.filter((one) => one !== null)
}

function patternFor(command: string): string | null {
  const [program = '', second = ''] = command.split(/\s+/)
  if (!/^[\w./@+-]+$/.test(program)) return null
  const words = WORDY.has(program) && /^\w[\w:.-]*$/.test(second) ? `${program} ${second}` : program
  // A command alone needs another pattern than the same command with arguments.
  return command === words ? `Bash(${words})` : `Bash(${words} *)`
}
