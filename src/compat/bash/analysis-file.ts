/** `.response_analysis`: the last reply, in the bash tool's shape. */
import { describeDenial, isDeniedAsCompound } from '../../core/calls/denial.ts'
import { oneLine } from '../../core/text/sanitize.ts'
import type { TimeFormatter } from './state-files.ts'
import type { AnalyzedReply } from './fold-history.ts'

export function analysisFileContent(analyzedReply: AnalyzedReply, times: TimeFormatter): object {
  const { reply, change, how } = analyzedReply
  const { signals } = reply
  // One denial that counts makes all of them count: a monitor that reads both flags would act on the first.
  const isOnlyCompound = reply.denials.every((denial) => isDeniedAsCompound(denial, how.tools))
  const [compound, denied] = isOnlyCompound ? [reply.denials, []] : [[], reply.denials]
  const changed = change?.files ?? 0
  return {
    loop_number: analyzedReply.loop,
    timestamp: times.utc(analyzedReply.at),
    output_file: reply.log.path,
    output_format: how.output,
    analysis: {
      has_completion_signal: signals.exitSignal ?? signals.complete,
      is_test_only: signals.testOnly,
      is_stuck: analyzedReply.stuck,
      has_progress: changed > 0,
      files_modified: changed > 0 ? changed : (signals.block?.filesModified ?? 0),
      confidence_score: signals.exitSignal === true ? 100 : signals.confidence,
      exit_signal: signals.exitSignal ?? signals.complete,
      work_summary: oneLine(signals.summary, 200),
      output_length: reply.textLength,
      has_permission_denials: denied.length > 0,
      permission_denial_count: denied.length,
      denied_commands: denied.map((denial) => oneLine(describeDenial(denial), 120)),
      has_compound_command_limitation: compound.length > 0,
      compound_command_count: compound.length,
      asking_questions: signals.questions > 0,
      question_count: signals.questions,
    },
  }
}
