/** Questions to a person in a reply. Nobody answers during a run, so the next prompt tells the agent to decide for itself. */
import { proseOf } from './prose.ts'

const PATTERNS = [
  'should I',
  'would you',
  'do you want',
  'which approach',
  'which option',
  'how should',
  'what should',
  'shall I',
  'do you prefer',
  'can you clarify',
  'could you',
  'what do you think',
  'please confirm',
  'need clarification',
  'awaiting.{0,200}input',
  'waiting.{0,200}response',
  'your preference',
]

const QUESTION = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${PATTERNS.join('|')})(?![\\p{L}\\p{N}_])`, 'iu')

/** How many lines of the agent's prose read as a question. A line counts once; code and quotations do not count. */
export function countQuestions(text: string): number {
  return proseOf(text)
    .split('\n')
    .filter((line) => QUESTION.test(line)).length
}
