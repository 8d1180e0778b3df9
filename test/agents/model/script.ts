/** What the scripted model is told to say: one turn for each request that offers tools, the last one again and again. */
export interface Turn {
  text?: string
  reasoning?: string
  /** A call of the caller's file-writing tool. */
  write?: { path: string; content: string }
  /** A call of the caller's shell. */
  shell?: string
  /** A call of any other tool. */
  call?: { name: string; args: Record<string, unknown> }
  /** A call of a tool of `ralph mcp`, by whatever name the caller offers it. */
  tell?: { tool: string; args: Record<string, unknown> }
  /** The call is made although the caller does not offer such a tool, as a model with bad manners would. */
  insist?: true
  refuse?: Refusal
  /** Never answers. */
  hang?: true
  /** The connection breaks after the first words, whether the answer is streamed or not. */
  cut?: true
  usage?: Partial<Tokens>
}

export interface Refusal {
  status: number
  /** The provider's word for the error; the usual one for the status unless given. */
  type?: string
  message: string
  retryAfter?: number
}

export interface Tokens {
  /** With what came from the cache, as the providers count. */
  input: number
  output: number
  cached: number
  reasoning: number
}

export const TOKENS: Tokens = { input: 100, output: 20, cached: 10, reasoning: 5 }

/** What a loop's agent says at the end of an iteration. */
export function status(done: boolean): string {
  return [
    '---RALPH_STATUS---',
    `STATUS: ${done ? 'COMPLETE' : 'IN_PROGRESS'}`,
    'TASKS_COMPLETED_THIS_LOOP: 1',
    'TESTS_STATUS: PASSING',
    'WORK_TYPE: IMPLEMENTATION',
    `EXIT_SIGNAL: ${done}`,
    '---END_RALPH_STATUS---',
  ].join('\n')
}
