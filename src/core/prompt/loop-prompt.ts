/**
 * The text an iteration adds to the user's prompt: at most 900 tokens, stable parts first, what changes each time last, so that
 * a provider's prompt cache keeps the long beginning. PROMPT.md itself comes before all of it, untouched.
 */
import type { Role } from '../calls/role.ts'
import { assertNever } from '../assert-never.ts'

/** Facts about this iteration for the agent. Small, because it is stored in the record. */
export interface PromptContext {
  iteration: number
  openCheckboxes: number | null
  breaker: string | null
  /** What the last iteration amounted to, at most 200 characters. */
  previous: string | null
  /** What the agent must fix first: rejected completions, denied tools, deleted files. */
  corrections: string[]
  /** What a person wrote to the run meanwhile. */
  steering: string[]
}

/** A token is about four characters of English; 900 tokens is the documented limit. */
const CHARACTERS_MAX = 900 * 4

/** The parts of a prompt besides the context: the user's text, and Ralph's instructions for the role. */
export interface LoopPromptTexts {
  task: string
  own: string
}

/** The user's prompt first, unchanged; then what never changes; then what is new: the best order for prompt caches. */
export function buildLoopPrompt(role: Role, { task, own }: LoopPromptTexts, context: PromptContext): string {
  switch (role) {
    case 'work':
      return `${task.trimEnd()}\n\n${renderPromptContext(context, own)}`
    case 'review':
      return `${own.trim()}\n\n## The task as originally given\n\n${task.trimEnd()}\n`
    default:
      return assertNever(role)
  }
}

/** The file with Ralph's instructions for each role. */
export const LOOP_PROMPT_FILES: Readonly<Record<Role, string>> = { work: 'loop', review: 'review' }

const NEXT_MODEL =
  'If another model should do the next iteration, say so in your last message, outside of code and quotes: `<next-model>…</next-model>` around light, medium or strong. It applies to one iteration; leave it out if there is no reason.'

/** Ralph's instructions, with a hint about `<next-model>` where it has an effect. The same in every iteration, so it comes first. */
export function withNextModelHint(own: string, { hints = false }: { hints?: boolean | undefined }): string {
  return hints ? `${own.trim()}\n\n${NEXT_MODEL}` : own
}

/** Renders the context that follows the user's prompt. `fixed` is the prompt asset sent every time. */
export function renderPromptContext(context: PromptContext, fixed: string): string {
  const parts = [fixed.trim(), '', `## This iteration`, '', `- Iteration ${context.iteration}.`]
  if (context.openCheckboxes !== null) parts.push(`- Open checkboxes in the plan: ${context.openCheckboxes}.`)
  if (context.breaker !== null) parts.push(`- ${context.breaker}`)
  if (context.previous !== null) parts.push(`- Last iteration: ${context.previous}`)
  for (const correction of context.corrections) parts.push(`- Fix this first: ${correction}`)
  for (const text of context.steering) parts.push(`- From the person running this: ${text}`)
  return cut(parts.join('\n'), CHARACTERS_MAX)
}

function cut(text: string, max: number): string {
  return text.length <= max ? `${text}\n` : `${text.slice(0, max - 2)}…\n`
}
