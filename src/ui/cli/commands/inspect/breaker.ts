/** `ralph inspect breaker`: the breaker after each line of a JSONL file. */
import { resolve } from 'node:path'
import { inspectBreaker } from '../../../../desk/doctor/inspect-breaker.ts'
import { breakerScreen } from '../../../plain/screens/inspect.ts'
import { paint } from '../../../plain/paint.ts'
import { answer } from '../../frame/answer.ts'
import type { Code } from '../../frame/command.ts'
import type { INSPECT_BREAKER } from '../../table/see.ts'
import { settingsHere } from './how-to-read.ts'

export const run: Code<typeof INSPECT_BREAKER> = async (input, io) => {
  const settings = await settingsHere(input, io)
  const facts = inspectBreaker(resolve(io.cwd, input.args.file), settings.rules().breaker)
  return answer(facts, () => breakerScreen(facts, paint(io.colour)), { json: input.flags.json, io })
}
