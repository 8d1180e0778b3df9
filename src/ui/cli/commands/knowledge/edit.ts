/** `ralph knowledge edit`: an entry in the user's editor, and what it left. */
import { openEditor } from '../../../../app/knowledge/editor.ts'
import { describeBrokenFile, editKnowledge, findKnowledgeFile } from '../../../../app/knowledge/knowledge.ts'
import { RalphError } from '../../../../core/error.ts'
import { answer } from '../../frame/print-result.ts'
import type { CommandCode } from '../../frame/command.ts'
import { projectOf } from '../../frame/project-root.ts'
import type { KNOWLEDGE_EDIT } from '../../table/journal-knowledge.ts'

export const run: CommandCode<typeof KNOWLEDGE_EDIT> = async (input, io) => {
  const { root } = projectOf(io)
  const file = findKnowledgeFile(root, input.args.entry)
  if (!io.asks || !io.terminal)
    throw new RalphError('usage', 'there is no terminal for an editor', {
      hint: `Change the file itself: ${file.path}. Or: ralph knowledge add TITLE --tag TAG --body TEXT --replace`,
    })
  const problem = await editKnowledge(root, file, (copy) => openEditor(copy, file.path, io.env))
  if (problem !== null)
    throw new RalphError('bad-file', describeBrokenFile(problem), {
      hint: `Nobody is told what it says until that is mended: ralph knowledge edit ${file.name}`,
    })
  return answer({ file: file.path }, () => `${file.path}\n`, { json: input.flags.json, io })
}
