/** Draws terminal output with colours as an SVG without fonts or scripts of its own. */

const WIDTH = 80
const CELL = { width: 8.43, height: 19 }
const MARGIN = 18
/** Above the text: the window's three buttons. */
const BAR = 34

/** The part of the demo's output from the first iteration to the result: its paragraphs 3 to 6. */
export function drawDemo(output: string): string {
  const shown = output.split('\n\n').slice(2, 6).join('\n\n')
  return draw(['$ npm run demo', '', ...withoutTimes(shown).trimEnd().split('\n')])
}

/** What the picture says, to compare it with another one: lines may break elsewhere. */
export function wordsOf(svg: string): string {
  const text = svg
    .replace(/<style>[^]*<\/style>/, '')
    .replaceAll('</text>', ' ')
    .replaceAll(/<[^>]*>/g, '')
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** Two runs of the demo differ only in these. */
function withoutTimes(output: string): string {
  return output.replaceAll(/\b\d+:\d\d\b/g, '0:01').replaceAll(/\b\d+(\.\d)? (m?s)\b/g, '0.3 s')
}

function draw(lines: string[]): string {
  const width = Math.ceil(WIDTH * CELL.width + 2 * MARGIN)
  const height = BAR + lines.length * CELL.height + MARGIN
  const rows = lines.map((line, index) => {
    const y = BAR + (index + 1) * CELL.height - 5
    return line === '' ? '' : `<text x="${MARGIN}" y="${y}">${spansOf(line)}</text>\n`
  })
  const buttons = ['#ff5f57', '#febc2e', '#28c840'].map(
    (colour, index) => `<circle cx="${MARGIN + 6 + index * 20}" cy="18" r="6" fill="${colour}"/>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Ralph catches an agent that weakened a test">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6edf3;white-space:pre}.b{font-weight:bold}.d{fill:#8b949e}.r{fill:#ff7b72}.g{fill:#56d364}.y{fill:#e3b341}.c{fill:#76e3ea}</style>
<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>
${buttons.join('')}
${rows.join('')}</svg>
`
}

const CLASSES: Readonly<Record<number, string>> = { 1: 'b', 2: 'd', 31: 'r', 32: 'g', 33: 'y', 36: 'c' }

/** A line with its colour codes (`src/ui/plain/colours.ts`) as text spans. */
function spansOf(line: string): string {
  let open = new Set<string>()
  return line
    .split('\u001b[')
    .map((part, index) => {
      if (index === 0) return escape(part)
      const [, code = '', text = ''] = /^(\d+)m([^]*)$/.exec(part) ?? []
      open = afterCode(open, Number(code))
      if (text === '') return ''
      return open.size === 0 ? escape(text) : `<tspan class="${[...open].join(' ')}">${escape(text)}</tspan>`
    })
    .join('')
}

function afterCode(open: ReadonlySet<string>, code: number): Set<string> {
  const name = CLASSES[code]
  if (name !== undefined) return new Set([...open, name])
  const isColour = code === 39
  return new Set([...open].filter((one) => isColour === (one === 'b' || one === 'd')))
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
