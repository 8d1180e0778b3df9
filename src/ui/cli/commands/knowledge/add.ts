/** `ralph knowledge add`: a new entry, or another in place of it. Prints its file and nothing else. */
import { resolve } from 'node:path'
import { addKnowledge, readPipedBody } from '../../../../app/knowledge/knowledge.ts'
import { RalphError } from '../../../../core/error.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import { projectOf } from '../../frame/project-root.ts'
import type { KNOWLEDGE_ADD } from '../../table/journal-knowledge.ts'

export const run: CommandCode<typeof KNOWLEDGE_ADD> = async (input, io) => {
  const { tag, body, from, feature, replace, json } = input.flags
  const { root } = projectOf(io)
  if (body !== null && from !== null)
    throw new RalphError('usage', '--body and --from both say what is known', {
      hint: 'Leave one of them out.',
    })
  const text = from === null ? (body ?? '') : await readPipedBody(from === '-' ? from : resolve(io.cwd, from))
  const said = { title: input.args.title.join(' '), tags: tag, body: text }
  const added = addKnowledge(root, said, { feature, replace })
  return answer(added, () => `${added.file}\n`, { json, io })
}
