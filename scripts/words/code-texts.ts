/** Finds the texts in a TypeScript file that a person or an agent can read: string and template literals with two words or more. */
import { parseAst } from 'rolldown/parseAst'
import type { ReadableText } from './readable-text.ts'

interface Node {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

/** Literals below these are compared, matched or looked up, and never shown. */
const MATCHING_CALLS = new Set(
  'includes startsWith endsWith split indexOf lastIndexOf test match matchAll search has get RegExp replace'.split(' '),
)
const COMPARISONS = new Set(['===', '!==', '==', '!='])

export function codeTexts(file: string, source: string): ReadableText[] {
  const found: ReadableText[] = []
  const lineAt = lineCounter(source)

  const add = (node: Node, text: string): void => {
    if (isReadable(text)) found.push({ file, line: lineAt(node.start), text })
  }
  const walk = (node: Node): void => {
    if (isTypeOrImport(node.type)) return
    const joined = concatenated(node, source)
    if (joined !== null) return add(node, joined)
    for (const child of visibleChildren(node)) walk(child)
    if (node.type === 'TemplateLiteral') add(node, templateText(node, source))
  }
  for (const statement of parseAst(source, { lang: 'ts' }, file).body as unknown as Node[]) walk(statement)
  return found
}

function isTypeOrImport(type: string): boolean {
  const isExpression = type === 'TSAsExpression' || type === 'TSSatisfiesExpression' || type === 'TSNonNullExpression'
  return /^Import|^ExportAll/.test(type) || (type.startsWith('TS') && !isExpression)
}

/** A literal, or a sentence that is broken over several lines with `+`. */
function concatenated(node: Node, source: string): string | null {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : null
  if (node.type !== 'BinaryExpression' || node['operator'] !== '+') return null
  const [left, right] = [node['left'] as Node, node['right'] as Node].map((side) =>
    side.type === 'TemplateLiteral' ? templateText(side, source) : concatenated(side, source),
  )
  return left === null || left === undefined || right === null || right === undefined ? null : left + right
}

/** With the names of its values: `could not read {path}`. */
function templateText(node: Node, source: string): string {
  const values = node['expressions'] as Node[]
  return (node['quasis'] as { value: { cooked: string | null; raw: string } }[])
    .map(({ value: { cooked, raw } }, at) => {
      const value = values[at]
      return `${cooked ?? raw}${value === undefined ? '' : placeholder(source.slice(value.start, value.end))}`
    })
    .join('')
}

const PLACEHOLDER_MAX = 30

function placeholder(code: string): string {
  return /^[\w.]+$/.test(code) && code.length <= PLACEHOLDER_MAX ? `{${code}}` : '{…}'
}

function visibleChildren(node: Node): Node[] {
  if (node.type === 'BinaryExpression' && COMPARISONS.has(String(node['operator']))) return []
  if (node.type === 'TaggedTemplateExpression') return []
  if (node.type === 'SwitchCase') return node['consequent'] as Node[]
  if (node.type === 'Property' || node.type === 'MemberExpression')
    return nodesIn([node['value'], node['object'], node['computed'] === true ? node['property'] : null])
  if (node.type === 'CallExpression' || node.type === 'NewExpression') return callChildren(node)
  return nodesIn(Object.values(node))
}

function callChildren(node: Node): Node[] {
  const callee = node['callee'] as Node
  const name = callee.type === 'MemberExpression' ? (callee['property'] as Node)['name'] : callee['name']
  const all = nodesIn(node['arguments'] as unknown[])
  // Of these only the first argument is matched; a replacement may be a text.
  const shown = MATCHING_CALLS.has(String(name)) ? all.slice(1) : all
  return [callee, ...shown]
}

function nodesIn(values: unknown[]): Node[] {
  return values.flat().filter((value): value is Node => typeof (value as Node | null)?.type === 'string')
}

/** Two words with letters; neither SQL, CSS nor a command line, a pattern, markup or a list of names. */
function isReadable(text: string): boolean {
  const trimmed = text.trim()
  if (!/\p{L}{2,}['’]?\p{L}*[,;:.]? +(?:\p{L}+|\{)/u.test(trimmed) && !/\{[^}]+\}[,:]? \p{L}{3,}/u.test(trimmed))
    return false
  if (SQL.test(trimmed) || CSS.test(trimmed) || COMMAND.test(trimmed) || PATTERN.test(trimmed)) return false
  return !/^[\w$-]+(?: [\w$-]+){11,}$/.test(trimmed) || /\b(?:the|is|to|of|and|a)\b/.test(trimmed)
}

const CSS = /\{[\w-]+:[^{}]+\}/

const SQL =
  /^(?:select|insert|update|delete|create|drop|alter|pragma|with|from|where|and|or|order by|on|join|left join|begin|union|set) [\w(*?."]|\b(?:select|insert into|update|delete from|order by|where|join) [\w.]+[ ,]*(?:[=<>?(]|from\b|desc|in \()/
const COMMAND =
  /^(?:[A-Z_]+=\S+ )?(?:ralph|git|npm|npx|node|pnpm|yarn|bun|bunx|deno|uv|poetry|pip|python3?|cargo|go|dotnet|make|mvn|gradle|bundle|composer|brew|curl|apt|claude|codex|gemini|copilot|opencode|cursor-agent|gh|bd|tmux|docker|rake|mix|swift|php|pytest|ruby|just|task|phpunit|vendor\/\S+|\.\/\S+) (?:[-\w./@:{}…*"'=+,&|<>$\\]+ ?)+$/
const PATTERN = /\(\?[:=!<]|\\[bdsw]|\[\^|\.\*|\|\w+\||^\s*[<&][a-z!/]/

function lineCounter(source: string): (at: number) => number {
  const starts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)]
  return (at) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= at) low = middle
      else high = middle
    }
    return low + 1
  }
}
