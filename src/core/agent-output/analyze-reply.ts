/**
 * Derives the signals from the agent's final message. A status block alone decides; without one, plain text is scored by its phrases,
 * and JSON mode yields no signal: prose such as "all tests pass" does not count there. Everything here is a hint; only gates prove.
 */
import { plural } from '../text/format-amounts.ts'
import { parseJsonReply, type JsonReply } from './json-reply.ts'
import { findErrorLines, mergeErrorLines } from './error-lines.ts'
import { countQuestions } from './questions.ts'
import type { ReplySignals, StatusBlock } from './reply.ts'
import { type FoundBlock, findStatusBlock } from './status/status-block.ts'
import { summarizeReply } from './summarize-reply.ts'
import { CHANGE_POINTS, CONFIDENCE_THRESHOLD, scoreCompletionText } from './completion-score.ts'

export interface AnalyzeReplyInput {
  /** The agent's final message; it may be JSON. */
  text: string
  /** The status keys and error count of the JSON document that wraps the message. */
  wrapped?: Pick<JsonReply, 'keys' | 'errors'> | null
  /** json: only a status block counts; text: phrases count as well. */
  mode: 'json' | 'text'
  /** Whether the iteration changed something; null: not measured yet (see `withMeasuredChange`). */
  change: boolean | null
  /** Characters of the previous reply; null: there was none. */
  previousLength: number | null
  /** Characters of this reply, where `text` is only the end of it. */
  length?: number
}

/** Each value with its reason. */
type Judged = {
  [K in 'from' | 'exitSignal' | 'complete' | 'testOnly' | 'noWork' | 'confidence']: [ReplySignals[K], string]
}

export function analyzeReply(input: AnalyzeReplyInput): ReplySignals {
  const answer = parseJsonReply(input.text)
  const text = answer?.words ?? input.text
  const found = withKeys(findStatusBlock(text), answer?.keys ?? input.wrapped?.keys ?? null)
  const heuristics = input.mode === 'text' && answer === null
  const judged =
    found !== null ? signalsFromBlock(found) : heuristics ? signalsFromText(text, input) : withoutSignals(input.mode)
  const questions = countQuestions(text)
  const errors = mergeErrorLines(findErrorLines(text), errorCountLines(answer?.errors ?? input.wrapped?.errors ?? 0))
  const summary = summarizeReply(text, found?.block ?? null)
  const { from, exitSignal, complete, testOnly, noWork, confidence } = judged
  const why = Object.entries(judged).map(([field, [, because]]) => [field, because] as const)
  return {
    from: from[0],
    block: found?.block ?? null,
    exitSignal: exitSignal[0],
    complete: complete[0],
    testOnly: testOnly[0],
    noWork: noWork[0],
    confidence: confidence[0],
    questions,
    errors,
    summary,
    because: {
      ...Object.fromEntries(why),
      questions:
        questions === 0
          ? 'no line has a question for a person'
          : `${plural(questions, 'line')} with a question for a person`,
      errors:
        errors.length === 0 ? 'no line looks like an error' : `${plural(errors.length, 'distinct error line')} found`,
      summary: summary === '' ? 'the message has no text' : 'read from the message',
    },
  }
}

/** A block in the message has priority; keys of the JSON document around it only fill in what the block leaves out. */
function withKeys(found: FoundBlock | null, keys: StatusBlock | null): FoundBlock | null {
  if (keys === null) return found
  if (found === null) return { block: keys, because: 'the keys of a JSON reply' }
  const { status: _, exitSignal: __, ...more } = keys
  return { ...found, block: { ...more, ...found.block } }
}

/** The number of errors from which the bash tool called a reply stuck. */
const MANY_ERRORS = 6

function errorCountLines(count: number): string[] {
  return count < MANY_ERRORS ? [] : [`error_count: ${count}`]
}

/** The signals after the change is measured: in text mode a change raises the score. Otherwise they stay the same. */
export function withMeasuredChange(signals: ReplySignals, change: boolean): ReplySignals {
  if (signals.from !== 'words' || !change) return signals
  const confidence = signals.confidence + CHANGE_POINTS
  // No score without a completion phrase reaches the threshold, so the score alone decides.
  const complete = confidence >= CONFIDENCE_THRESHOLD
  const why = `${signals.because['confidence'] ?? ''}; changed something (+${CHANGE_POINTS})`
  const because = { ...signals.because, confidence: why, complete: scoreReason(confidence) }
  return { ...signals, confidence, complete, because }
}

function signalsFromBlock({ block, because: where }: FoundBlock): Judged {
  const { workType, status } = block
  const exitSignal = block.exitSignal ?? null
  const complete = exitSignal ?? (status === 'COMPLETE' && block.tests !== 'FAILING')
  const noWork = block.tasksCompleted === 0 && block.filesModified === 0 && status !== 'BLOCKED'
  return {
    from: ['block', where],
    exitSignal: [
      exitSignal,
      exitSignal === null ? 'the block has no readable EXIT_SIGNAL' : `EXIT_SIGNAL: ${exitSignal}`,
    ],
    complete: [complete, completeReason(block)],
    testOnly: [
      /^TEST(?:S|ING|_ONLY)?$/.test(workType ?? ''),
      workType === undefined ? 'the block has no WORK_TYPE' : `WORK_TYPE: ${workType}`,
    ],
    noWork: [
      noWork,
      noWork
        ? 'the block reports no finished tasks and no changed files'
        : 'the block does not report an idle iteration',
    ],
    confidence: [0, 'not scored: the reply has a status block'],
  }
}

function completeReason(block: StatusBlock): string {
  if (block.exitSignal !== undefined) return `EXIT_SIGNAL: ${block.exitSignal} decides`
  if (block.status === 'COMPLETE' && block.tests === 'FAILING') return 'STATUS: COMPLETE, but TESTS_STATUS: FAILING'
  return `STATUS: ${block.status} decides, because there is no EXIT_SIGNAL`
}

function signalsFromText(text: string, input: AnalyzeReplyInput): Judged {
  const length = input.length ?? text.length
  const declined = input.previousLength !== null && input.previousLength > 0 && length < input.previousLength / 2
  const { complete, testOnly, noWork, confidence, reasons } = scoreCompletionText(text, {
    change: input.change === true,
    declined,
  })
  const heard = text.trim() !== ''
  return {
    from: heard ? ['words', 'no status block, so the text was scored'] : ['none', 'the reply has no text'],
    exitSignal: [null, 'no status block'],
    complete: [complete, scoreReason(confidence)],
    testOnly: [testOnly, testOnly ? 'it mentions running tests, but no other work' : 'it does not mention tests only'],
    noWork: [noWork, noWork ? 'it says there was nothing to do' : 'it does not say there was nothing to do'],
    confidence: [confidence, reasons.join('; ') || 'no phrase found'],
  }
}

function withoutSignals(mode: AnalyzeReplyInput['mode']): Judged {
  const inside = mode === 'json' ? 'text does not count in JSON mode' : 'text inside JSON does not count'
  const why = `no status block; ${inside}`
  const no: [false, string] = [false, why]
  return { from: ['none', why], exitSignal: [null, why], complete: no, testOnly: no, noWork: no, confidence: [0, why] }
}

function scoreReason(confidence: number): string {
  return `score ${confidence}, ${confidence >= CONFIDENCE_THRESHOLD ? 'reaches' : 'below'} ${CONFIDENCE_THRESHOLD}`
}
