/** The knowledge of the project. */
import type { KnowledgeFacts, KnowledgeProblem } from '../../../app/knowledge/knowledge.ts'
import { quoteShellWord } from '../../../core/text/shell.ts'
import { stripControl } from '../../../core/text/sanitize.ts'
import { plural } from '../format-values.ts'
import { wrapIndented } from '../wrap.ts'
import { toPrintable } from '../../tui/text-width.ts'
import type { TerminalStyle } from './task-lines.ts'

export const NO_KNOWLEDGE_TEXT =
  'There are no pages yet. Add one: ralph knowledge add "Title" --tag TAG --body "what agents should know"\n'

export function knowledgeLines(entries: KnowledgeFacts[], { p }: TerminalStyle): string {
  return entries
    .map(({ title, tags, file, days, old }) => {
      const age = old ? p.warn(`  not changed for ${days ?? 0} days`) : ''
      return `${p.bold(toPrintable(title))}  ${p.dim(`[${toPrintable(tags.join(', '))}]  ${toPrintable(file)}`)}${age}\n`
    })
    .join('')
}

export function knowledgeEntryScreen(entry: KnowledgeFacts, style: TerminalStyle): string {
  const { p, width } = style
  const rows: [string, string | null][] = [
    ['tags', entry.tags.join(', ')],
    ['feature', entry.feature],
    ['file', entry.file],
    ['links to', entry.links.join(', ') || null],
    ['linked from', entry.linked_from.join(', ') || null],
    [
      'touched',
      entry.days === null
        ? null
        : `${plural(entry.days, 'day')} ago${entry.old ? '; check that it is still true' : ''}`,
    ],
  ]
  const said = rows.flatMap(([name, text]) =>
    text === null ? [] : [`  ${p.dim(name.padEnd(13))}${toPrintable(text)}`],
  )
  const body = stripControl(entry.body)
    .split('\n')
    .flatMap((line) => wrapIndented(line, width))
  return `${[p.bold(toPrintable(entry.title)), ...said, '', ...body].join('\n')}\n`
}

export function knowledgeCheckScreen(
  { entries, problems }: { entries: number; problems: KnowledgeProblem[] },
  { p }: TerminalStyle,
): string {
  const lines = problems.map(({ file, line, problem, broken }) => {
    const where = line === null ? toPrintable(file) : `${toPrintable(file)}:${line}`
    return `${broken ? p.bad('✗') : p.warn('·')} ${where}  ${toPrintable(problem)}`
  })
  const all = entries === 1 ? '1 entry' : `${entries} entries`
  const sum = problems.length === 0 ? `${all}, all valid.` : `${all} valid; ${plural(problems.length, 'remark')}.`
  // An unread page is not for an editor: a link, a folder, a huge file.
  const first = problems.find(({ line, broken }) => line !== null || !broken)
  const fix =
    first === undefined ? [] : [`Fix one: ralph knowledge edit ${quoteShellWord(first.file.split('/').at(-1) ?? '')}`]
  return `${[...lines, sum, ...fix].join('\n')}\n`
}
