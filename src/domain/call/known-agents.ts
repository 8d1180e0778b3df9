/**
 * The agents that Ralph knows by itself, in the order in which they are listed everywhere: settings, completion, `ralph agents`, the
 * guide. A row here and a driver in `agents/<name>.ts` is all that a new one needs; the registry does not compile without the driver.
 */

interface KnownRow {
  /** Other names of its program or package, which people write for it. */
  also: readonly string[]
}

const ROWS = {
  claude: { also: ['claude-code'] },
  codex: { also: [] },
  opencode: { also: ['opencode-ai'] },
  gemini: { also: ['gemini-cli'] },
  copilot: { also: [] },
  cursor: { also: ['cursor-agent'] },
  plain: { also: [] },
} as const satisfies Record<string, KnownRow>

export type KnownAgent = keyof typeof ROWS

export const KNOWN_AGENTS = Object.keys(ROWS) as readonly KnownAgent[]

/** By each other name, the agent that is meant. */
export const OTHER_NAMES: Readonly<Record<string, KnownAgent>> = Object.fromEntries(
  KNOWN_AGENTS.flatMap((agent) => ROWS[agent].also.map((name): [string, KnownAgent] => [name, agent])),
)

/** The agent that goes by this name, its own or another; null: none of ours. */
export function knownAs(name: string): KnownAgent | null {
  if (isKnownAgent(name)) return name
  return Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] ?? null) : null
}

export function isKnownAgent(name: string): name is KnownAgent {
  return Object.hasOwn(ROWS, name)
}
