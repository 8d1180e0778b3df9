/** The result of `ralph inspect prompt` for a person: each part, how much of its budget it uses, and where its text comes from. */
import type { PromptPreview } from '../../../app/doctor/prompt-preview.ts'
import type { PromptPart } from '../../../core/prompt/prompt-part.ts'
import { oneLine } from '../../../core/text/sanitize.ts'
import { plural } from '../format-values.ts'
import type { ScreenStyle } from '../colours.ts'
import { formatTable } from '../table.ts'

const LINE_MAX = 160

export function promptPreviewScreen(
  { task, role, tokens, parts, agent, model }: PromptPreview,
  { p, columns }: ScreenStyle,
): string {
  const who = role === 'work' ? 'the agent that works on it' : 'the reviewer'
  const remarks = parts.flatMap(({ name, remarks: some }) =>
    some.map((one) => `  ${p.warn(name)}  ${oneLine(one, LINE_MAX)}`),
  )
  const lines = [
    `${p.bold(task.id)} · ${oneLine(task.title, LINE_MAX)} · to ${who} · about ${plural(tokens, 'token')}`,
    ...(role === 'work' ? [`${p.dim('model')} ${oneLine(`${agent}: ${model}`, LINE_MAX)}`] : []),
    '',
    ...formatTable<PromptPart>(
      parts,
      [
        { title: 'PART', text: ({ name }) => name },
        { title: 'TOKENS', text: (part) => String(part.tokens), right: true },
        { title: 'LIMIT', text: (part) => String(part.budget), right: true },
        { title: 'FROM', text: ({ from }) => (from.length === 0 ? '–' : oneLine(from.join(', '), LINE_MAX)) },
      ],
      { p, width: columns },
    ),
    ...(remarks.length === 0 ? [] : ['', ...remarks]),
    '',
    p.dim(`Full text: ralph inspect prompt ${task.id} --full`),
    p.dim('A retry gets a longer prompt. To see a prompt as sent: ralph show RUN ITERATION --prompt'),
  ]
  return `${lines.join('\n')}\n`
}
