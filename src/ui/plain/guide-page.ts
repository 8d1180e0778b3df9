/** A page of the guide for a terminal: headings, paragraphs and tables of two columns, without Markdown syntax. */
import { cellWidth } from '../../core/text/cell-width.ts'
import { wrapPainted } from './wrap.ts'

export function guidePageLines(markdown: string, columns: number): string[] {
  return markdown
    .trim()
    .split(/\n{2,}/)
    .flatMap((block) => ['', ...blockLines(block, columns)])
    .slice(1)
}

function blockLines(block: string, columns: number): string[] {
  if (block.startsWith('|')) return tableLines(block, columns)
  return wrapPainted(stripMarkdown(block.replace(/^#+ /, '').replaceAll('\n', ' ')), { columns, indent: 0 })
}

/** Prints the first column as a margin of the second. */
function tableLines(block: string, columns: number): string[] {
  const rows = block
    .split('\n')
    .filter((line) => !/^\|[-:| ]+\|$/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => stripMarkdown(cell.trim())),
    )
  const width = Math.max(...rows.map(([first = '']) => cellWidth(first)))
  return rows.flatMap(([first = '', ...rest]) => {
    const margin = `  ${first}${' '.repeat(width - cellWidth(first))}  `
    return wrapPainted(`${margin}${rest.join('  ')}`, { columns, indent: width + 4 })
  })
}

/** Links become their text, and code loses its quotes. */
function stripMarkdown(text: string): string {
  return text
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .replaceAll('\\|', '|')
}
