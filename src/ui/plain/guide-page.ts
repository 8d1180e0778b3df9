/** A guide for a terminal: headings, paragraphs, lists, tables and code, without Markdown syntax. */
import { cellWidth } from '../../core/text/cell-width.ts'
import { wrapPainted } from './wrap.ts'

interface Block {
  is: 'code' | 'table' | 'heading' | 'item' | 'text'
  lines: string[]
}

export function guidePageLines(markdown: string, columns: number): string[] {
  const blocks = blocksOf(markdown)
  return blocks.flatMap((block, at) => {
    const isList = block.is === 'item' && blocks[at - 1]?.is === 'item'
    return [...(at === 0 || isList ? [] : ['']), ...blockLines(block, columns)]
  })
}

/** A block begins after an empty line or a fence, at a heading, and at each item of a list. */
function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = []
  let isOpen = false
  let isCode = false
  for (const line of markdown.trim().split('\n')) {
    const isFence = line.trimStart().startsWith('```')
    if (isFence) isCode = !isCode
    if (isFence && isCode) blocks.push({ is: 'code', lines: [] })
    else if (isFence || (!isCode && (line.trim() === '' || line.startsWith('<!--')))) isOpen = false
    else if (isCode || (isOpen && !startsBlock(line))) blocks.at(-1)?.lines.push(line)
    else {
      const is = kindOf(line)
      blocks.push({ is, lines: [line] })
      isOpen = is !== 'heading'
    }
  }
  return blocks
}

const ITEM = /^ *(?:[-*]|\d+\.) /

function startsBlock(line: string): boolean {
  return ITEM.test(line) || line.startsWith('#')
}

function kindOf(line: string): Block['is'] {
  if (line.startsWith('|')) return 'table'
  if (line.startsWith('#')) return 'heading'
  return ITEM.test(line) ? 'item' : 'text'
}

function blockLines({ is, lines }: Block, columns: number): string[] {
  if (is === 'code') return lines.map((line) => `  ${line}`.trimEnd())
  if (is === 'table') return tableLines(lines, columns)
  const [first = '', ...rest] = lines
  const text = stripMarkdown([first, ...rest.map((line) => line.trim())].join(' '))
  // Sections stand out as in a man page.
  if (is === 'heading') return [first.startsWith('## ') ? text.toUpperCase() : text]
  return wrapPainted(text, { columns, indent: ITEM.exec(text)?.[0].length ?? 0 })
}

/** Two columns: the first is a margin of the second. More: a row is a paragraph, with the column's name before each value. */
function tableLines(lines: string[], columns: number): string[] {
  const [head = [], ...rows] = lines.filter((line) => !/^\|[-:| ]+\|$/.test(line)).map(cellsOf)
  const width = Math.max(...[head, ...rows].map(([first = '']) => cellWidth(first)))
  if (head.length > 2) return rows.flatMap((cells) => recordLines(head, cells, columns))
  if (width > columns / 2) return rows.flatMap((cells) => stackedLines(cells, columns))
  return [head, ...rows].flatMap(([first = '', second = '']) => {
    const margin = `  ${first}${' '.repeat(width - cellWidth(first))}  `
    return wrapPainted(`${margin}${second}`, { columns, indent: width + 4 })
  })
}

function cellsOf(line: string): string[] {
  const cells = line.slice(1, -1).split(/(?<!\\)\|/)
  return cells.map((cell) => stripMarkdown(cell.trim()))
}

function recordLines([, ...names]: string[], [first = '', ...values]: string[], columns: number): string[] {
  const named = values.map((value, at) => (value === '' ? '' : `${names[at] ?? ''}: ${value}`))
  return stackedLines([first, named.filter((text) => text !== '').join(' · ')], columns)
}

function stackedLines([first = '', second = '']: string[], columns: number): string[] {
  return [
    ...wrapPainted(`  ${first}`, { columns, indent: 4 }),
    ...(second === '' ? [] : wrapPainted(`      ${second}`, { columns, indent: 6 })),
  ]
}

/** A link to another guide becomes the command that prints it. */
function stripMarkdown(text: string): string {
  return text
    .replace(/^#+ /, '')
    .replaceAll(/\(\[[^\]]+\]\(([a-z-]+)\.md(?:#[^)]*)?\)\)/g, '(ralph help $1)')
    .replaceAll(/\[([^\]]+)\]\(([a-z-]+)\.md(?:#[^)]*)?\)/g, '$1 (ralph help $2)')
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*([^*]+)\*\*/g, '$1')
    .replaceAll(/\*([A-Za-z][\w -]*)\*/g, '$1')
    .replaceAll('`', '')
    .replaceAll('\\|', '|')
}
