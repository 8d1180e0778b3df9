/**
 * Small faults for a source file. All of them are written into the file at once, each behind a question (`__m(17) ? fault : as it was`),
 * so that a file is compiled once and a fault is switched on by its number.
 */
import { parseAst } from 'rolldown/parseAst'

export interface Mutant {
  id: number
  /** Relative to the project. */
  file: string
  line: number
  /** What stands on that line. */
  text: string
  was: string
  becomes: string
}

export interface Mutated {
  code: string
  mutants: Mutant[]
}

/** The question that the code asks: is this fault switched on? */
export const MUTANT_SWITCH = '__m'

interface Node {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

/** How a node is written with its faults in it. */
interface Fault {
  becomes: string
  /** What the list shows instead of the node's own text. */
  was?: string
  opposite?: true
}

/** First the opposite, then what is off by one. */
const COMPARED: Record<string, string[]> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['>=', '<='],
  '<=': ['>', '<'],
  '>': ['<=', '>='],
  '>=': ['<', '>'],
}

const SWAPPED: Record<string, string[]> = {
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
}

const OTHER_CALL = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
])

/** Calls that only make their object smaller or tidier: without them it stays as it is. */
const LEFT_OUT = new Set(['filter', 'trim', 'trimEnd', 'trimStart', 'slice', 'toSorted', 'toReversed', 'toLowerCase'])

/** From here on one more or less is nobody's rule: the number is doubled. */
const LARGE = 100

export function mutate(source: string, file: string, firstId: number): Mutated {
  const mutants: Mutant[] = []
  const lineAt = linesOf(source)
  const lines = source.split('\n')
  const code = render(parseAst(source, { lang: 'ts' }, file) as unknown as Node, null, false)
  return { code, mutants }

  function textOf(node: Node): string {
    return source.slice(node.start, node.end)
  }

  function number(node: Node, { was, becomes }: Fault): number {
    const id = firstId + mutants.length
    const line = lineAt(node.start)
    mutants.push({
      id,
      file,
      line,
      text: lines[line - 1]?.trim() ?? '',
      was: brief(was ?? textOf(node)),
      becomes: brief(becomes),
    })
    return id
  }

  /** `chained`: the node stands inside `a?.b.c`, where brackets around it would change its meaning. */
  function render(node: Node, parent: Node | null, chained: boolean): string {
    if (isTypeOnly(node)) return textOf(node)
    const faults = chained ? [] : faultsOf(node, parent)
    const asked = faults.map((fault) => `${MUTANT_SWITCH}(${number(node, fault)})?(${fault.becomes}):`)
    const own = inside(node, chained)
    const whole = asked.length === 0 ? own : `(${asked.join('')}(${own}))`
    if (node.type === 'ExpressionStatement') return statement(node, whole)
    if (isLeavable(node, parent)) return `...(${MUTANT_SWITCH}(${number(node, { becomes: 'nothing' })})?{}:{${whole}})`
    return whole
  }

  /** The node's own text, its parts rendered. */
  function inside(node: Node, chained: boolean): string {
    let text = ''
    let at = node.start
    for (const child of childrenOf(node)) {
      const goesOn = node.type === 'ChainExpression' || (chained && isSpine(node, child))
      text += source.slice(at, child.start) + render(child, node, goesOn)
      at = child.end
    }
    return text + source.slice(at, node.end)
  }

  /** As a block, since nothing here ends in a semicolon and a line must not begin with a bracket. */
  function statement(node: Node, text: string): string {
    const { expression } = node as unknown as { expression: Node }
    if (expression.type !== 'CallExpression') return `{${text}}`
    return `{if(!${MUTANT_SWITCH}(${number(node, { becomes: 'nothing' })})){${text}}}`
  }

  function faultsOf(node: Node, parent: Node | null): Fault[] {
    const role = parent === null ? null : roleOf(node, parent)
    if (role === 'while') return [{ becomes: 'false' }, ...faultsByType(node, parent)]
    if (role === null) return faultsByType(node, parent)
    // Whoever notices both of these notices the opposite, too.
    const more = faultsByType(node, parent).filter(({ opposite }) => opposite !== true)
    return [{ becomes: 'true' }, { becomes: 'false' }, ...more]
  }

  function faultsByType(node: Node, parent: Node | null): Fault[] {
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression':
        return ofOperator(node)
      case 'UnaryExpression': {
        const { operator, argument } = node as unknown as { operator: string; argument: Node }
        return operator === '!' ? [{ becomes: textOf(argument), opposite: true }] : []
      }
      case 'UpdateExpression':
        return [{ becomes: swapText(textOf(node), { '++': '--', '--': '++' }) }]
      case 'AssignmentExpression': {
        const { operator } = node as unknown as { operator: string }
        if (operator !== '+=' && operator !== '-=') return []
        return [{ becomes: swapText(textOf(node), { '+=': '-=', '-=': '+=' }) }]
      }
      case 'Literal':
        return ofLiteral(node, parent)
      case 'TemplateLiteral':
        return /\s/.test(textOf(node)) || parent?.type === 'TaggedTemplateExpression' ? [] : [{ becomes: "''" }]
      case 'ArrayExpression':
        return (node['elements'] as unknown[]).length === 0 ? [] : [{ becomes: '[]' }]
      case 'CallExpression':
        return ofCall(node)
      default:
        return []
    }
  }

  function ofOperator(node: Node): Fault[] {
    const { operator, left, right } = node as unknown as { operator: string; left: Node; right: Node }
    if (operator === '??') return [{ becomes: textOf(left) }, { becomes: textOf(right) }]
    if (operator === '+') {
      const words = [left, right].some((side) => side.type === 'TemplateLiteral' || isText(side))
      return words ? [] : [{ becomes: `(${textOf(left)}) - (${textOf(right)})` }]
    }
    const compared = COMPARED[operator]
    const others = compared ?? SWAPPED[operator] ?? []
    return others.map((other, i) => ({
      becomes: `(${textOf(left)}) ${other} (${textOf(right)})`,
      ...(compared !== undefined && i === 0 ? { opposite: true } : {}),
    }))
  }

  /** A sentence for people is no rule: only words without a space are. What is compared is left alone: the comparison is turned. */
  function ofLiteral(node: Node, parent: Node | null): Fault[] {
    const { value } = node as unknown as { value: unknown }
    if (typeof value === 'boolean') return [{ becomes: String(!value) }]
    if (parent?.type === 'BinaryExpression' && String(parent['operator']) in COMPARED) return []
    if (typeof value === 'number') return [{ becomes: String(value >= LARGE ? value * 2 : value + 1) }]
    if (typeof value !== 'string' || value === '' || /\s/.test(value)) return []
    // A field without its word is left out as a whole.
    if (parent?.type === 'Property' && leavable.has(parent)) return []
    return [{ becomes: "''" }]
  }

  function ofCall(node: Node): Fault[] {
    const { callee } = node as unknown as { callee: Node }
    if (callee.type !== 'MemberExpression' || callee['computed'] === true) return []
    const { object, property } = callee as unknown as { object: Node; property: Node & { name: string } }
    const other = OTHER_CALL.get(property.name)
    if (other !== undefined)
      return [
        {
          was: property.name,
          becomes: source.slice(node.start, property.start) + other + source.slice(property.end, node.end),
        },
      ]
    return LEFT_OUT.has(property.name) ? [{ becomes: textOf(object) }] : []
  }

  /** A field of what is passed on or patched: without it, what was there before stays. */
  function isLeavable(node: Node, parent: Node | null): boolean {
    return parent?.type === 'ObjectExpression' && leavable.has(node)
  }
}

/** Properties of objects that stand as an argument of a call, or that spread another. */
const leavable = new WeakSet<Node>()

function noteLeavable(object: Node): void {
  for (const one of object['properties'] as Node[]) if (one.type === 'Property') leavable.add(one)
}

function childrenOf(node: Node): Node[] {
  const found: Node[] = []
  for (const [key, value] of Object.entries(node)) {
    if (isKey(node, key)) continue
    for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) found.push(one)
  }
  if (node.type === 'CallExpression')
    for (const one of node['arguments'] as Node[]) if (one.type === 'ObjectExpression') noteLeavable(one)
  if (node.type === 'ObjectExpression' && (node['properties'] as Node[]).some(isSpread)) noteLeavable(node)
  // A shorthand property names one text twice.
  return found.toSorted((a, b) => a.start - b.start).filter((one, i, all) => one.start !== all[i - 1]?.start)
}

function isSpread({ type }: Node): boolean {
  return type === 'SpreadElement'
}

function isKey(node: Node, key: string): boolean {
  if (key === 'key') return node['computed'] !== true
  if (key === 'property') return node['computed'] !== true
  return key === 'typeAnnotation' || key === 'typeArguments' || key === 'typeParameters' || key === 'returnType'
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

const TRANSPARENT = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'])

function isTypeOnly(node: Node): boolean {
  if (node.type.startsWith('TS')) return !TRANSPARENT.has(node.type)
  return node.type === 'ImportDeclaration' || (node.type.startsWith('Export') && node['source'] != null)
}

/** The part of a chain that the next link hangs on. */
function isSpine(node: Node, child: Node): boolean {
  return child === node['object'] || child === node['callee'] || child === node['expression']
}

function roleOf(node: Node, parent: Node): 'test' | 'while' | null {
  if (parent['test'] !== node) return null
  if (parent.type === 'IfStatement' || parent.type === 'ConditionalExpression') return 'test'
  return parent.type === 'WhileStatement' ? 'while' : null
}

function isText(node: Node): boolean {
  return node.type === 'Literal' && typeof node['value'] === 'string'
}

function swapText(text: string, pairs: Record<string, string>): string {
  const found = Object.entries(pairs).find(([from]) => text.includes(from))
  return found === undefined ? text : text.replace(found[0], found[1])
}

const SHOWN = 60

function brief(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > SHOWN ? `${line.slice(0, SHOWN - 1)}…` : line
}

function linesOf(source: string): (at: number) => number {
  const starts = [0]
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  return (at) => starts.findLastIndex((start) => start <= at) + 1
}
