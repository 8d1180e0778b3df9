/**
 * What the agent's final message tells us. A status block decides alone; without one, plain text is weighed word by word and JSON
 * mode says nothing at all: prose such as "all tests pass" is no signal there. Everything here is a hint; only gates prove.
 */
import { jsonReplyIn, type JsonReply } from './json-reply.ts'
import { errorLines, joinErrors } from './errors.ts'
import { countQuestions } from './questions.ts'
import type { ReplySignals, StatusBlock } from './reply.ts'
import { type FoundBlock, findBlock } from './status/status-block.ts'
import { summarize } from './summary.ts'
import { CHANGE_POINTS, CONFIDENCE_THRESHOLD, scoreText } from './score-text.ts'

export interface AnalyzeInput {
  /** The agent's final message; it may be JSON. */
  text: string
  /** What the document says that the message came in. */
  wrapped?: Pick<JsonReply, 'keys' | 'errors'> | null
  /** json: the status block alone; text: the words as well. */
  mode: 'json' | 'text'
  /** Whether the iteration changed something; null: not measured yet (see `withMeasuredChange`). */
  change: boolean | null
  /** Characters of the previous reply; null: there was none. */
  previousLength: number | null
  /** Characters of this reply, where `text` is only the end of it. */
  length?: number
}

type Judged = Pick<
  ReplySignals,
  'from' | 'block' | 'exitSignal' | 'complete' | 'testOnly' | 'noWork' | 'confidence' | 'because'
>

export function analyzeReply(input: AnalyzeInput): ReplySignals {
  const answer = jsonReplyIn(input.text)
  const text = answer?.words ?? input.text
  const found = withKeys(findBlock(text), answer?.keys ?? input.wrapped?.keys ?? null)
  const heuristics = input.mode === 'text' && answer === null
  const judged = found !== null ? byBlock(found) : heuristics ? byWords(text, input) : byNothing(input.mode)
  const questions = countQuestions(text)
  const errors = joinErrors(errorLines(text), countedErrors(answer?.errors ?? input.wrapped?.errors ?? 0))
  const summary = summarize(text, found?.block ?? null)
  return {
    ...judged,
    questions,
    errors,
    summary,
    because: {
      ...judged.because,
      questions:
        questions === 0
          ? 'no line asks a person anything'
          : `${plural(questions, 'line')} of the message ask a person`,
      errors:
        errors.length === 0
          ? 'no line reads as an error'
          : `${plural(errors.length, 'distinct line')} read as errors`,
      summary: summary === '' ? 'the message holds no words' : 'taken from the message',
    },
  }
}

/** A block in the words says how things stand; keys of the document around them only add what it leaves open. */
function withKeys(found: FoundBlock | null, keys: StatusBlock | null): FoundBlock | null {
  if (keys === null) return found
  if (found === null) return { block: keys, because: 'the keys of a JSON reply' }
  const { status: _, exitSignal: __, ...more } = keys
  return { ...found, block: { ...more, ...found.block } }
}

/** So many that the bash tool called it stuck. */
const MANY_ERRORS = 6

function countedErrors(count: number): string[] {
  return count < MANY_ERRORS ? [] : [`error_count: ${count}`]
}

/** The signals once the change is measured: in text mode a change adds to the score. Anything else stays as it was. */
export function withMeasuredChange(signals: ReplySignals, change: boolean): ReplySignals {
  if (signals.from !== 'words' || !change) return signals
  const confidence = signals.confidence + CHANGE_POINTS
  // No sum without completion phrases reaches the mark, so the score alone says whether one was there.
  const complete = confidence >= CONFIDENCE_THRESHOLD
  const why = `${signals.because['confidence'] ?? ''}; changed something (+${CHANGE_POINTS})`
  const because = { ...signals.because, confidence: why, complete: scoreReason(confidence) }
  return { ...signals, confidence, complete, because }
}

function byBlock({ block, because: where }: FoundBlock): Judged {
  const exitSignal = block.exitSignal ?? null
  const complete = exitSignal ?? (block.status === 'COMPLETE' && block.tests !== 'FAILING')
  const testOnly = /^TEST(?:S|ING|_ONLY)?$/.test(block.workType ?? '')
  const noWork = block.tasksCompleted === 0 && block.filesModified === 0 && block.status !== 'BLOCKED'
  return {
    from: 'block',
    block,
    exitSignal,
    complete,
    testOnly,
    noWork,
    confidence: 0,
    because: {
      from: where,
      exitSignal:
        exitSignal === null ? 'the block has no readable EXIT_SIGNAL' : `EXIT_SIGNAL: ${exitSignal}`,
      complete: completeReason(block),
      testOnly: block.workType === undefined ? 'the block has no WORK_TYPE' : `WORK_TYPE: ${block.workType}`,
      noWork: noWork
        ? 'the block counts no task and no file'
        : 'the block does not say that nothing was done',
      confidence: 'a status block switches the heuristics off',
    },
  }
}

function completeReason(block: StatusBlock): string {
  if (block.exitSignal !== undefined) return `EXIT_SIGNAL: ${block.exitSignal} decides`
  if (block.status === 'COMPLETE' && block.tests === 'FAILING')
    return 'STATUS: COMPLETE, but TESTS_STATUS: FAILING'
  return `STATUS: ${block.status} decides, there is no EXIT_SIGNAL`
}

function byWords(text: string, input: AnalyzeInput): Judged {
  const length = input.length ?? text.length
  const declined =
    input.previousLength !== null && input.previousLength > 0 && length < input.previousLength / 2
  const words = scoreText(text, { change: input.change === true, declined })
  const heard = text.trim() !== ''
  return {
    from: heard ? 'words' : 'none',
    block: null,
    exitSignal: null,
    complete: words.complete,
    testOnly: words.testOnly,
    noWork: words.noWork,
    confidence: words.confidence,
    because: {
      from: heard ? 'no status block; the words were weighed' : 'the reply holds no words',
      exitSignal: 'no status block',
      complete: scoreReason(words.confidence),
      testOnly: words.testOnly
        ? 'it speaks of running tests and of building nothing'
        : 'it does not speak of tests alone',
      noWork: words.noWork
        ? 'it says that nothing was to be done'
        : 'it does not say that nothing was to be done',
      confidence: words.reasons.join('; ') || 'no phrase was found',
    },
  }
}

function byNothing(mode: AnalyzeInput['mode']): Judged {
  const why =
    mode === 'json'
      ? 'no status block; words do not count in JSON mode'
      : 'no status block; words inside JSON do not count'
  return {
    from: 'none',
    block: null,
    exitSignal: null,
    complete: false,
    testOnly: false,
    noWork: false,
    confidence: 0,
    because: { from: why, exitSignal: why, complete: why, testOnly: why, noWork: why, confidence: why },
  }
}

function scoreReason(confidence: number): string {
  return `score ${confidence}, ${confidence >= CONFIDENCE_THRESHOLD ? 'reaches' : 'below'} ${CONFIDENCE_THRESHOLD}`
}

function plural(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}
