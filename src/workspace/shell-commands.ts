/**
 * Takes a shell line or script apart into the simple commands in it, well enough to see which programs it starts and which files it
 * names. It is no shell: what it does not understand it takes for a word. Nothing is expanded and nothing is run. Pure.
 */

export interface ShellCommand {
  /** Program first, quotes removed. A lone `(` or `)` marks the ends of a subshell. */
  words: string[]
  /** Its output goes into another program, or into a comparison: it is the thing that is looked at, not the one that judges. */
  isExamined: boolean
}

/** Substitutions inside substitutions: nobody writes more by hand. */
const DEPTH_MAX = 5

export function commandsIn(script: string, depth = 0): ShellCommand[] {
  const found: ShellCommand[] = []
  const scan = new Scanner(script)
  let words: string[] = []

  const end = (isExamined: boolean) => {
    found.push(...unwrap({ words, isExamined }, depth))
    words = []
  }
  for (let token = scan.next(); token !== null; token = scan.next()) {
    if (token.is === 'word') {
      words.push(token.text)
      continue
    }
    if (token.is === 'inner') {
      const inner = depth < DEPTH_MAX ? commandsIn(token.text, depth + 1) : []
      found.push(...inner.map((command) => ({ ...command, isExamined: true })))
      continue
    }
    end(token.text === '|')
    if (token.text === '(' || token.text === ')') found.push({ words: [token.text], isExamined: false })
  }
  end(false)
  return found
}

type Token = { is: 'word' | 'inner' | 'operator'; text: string }

class Scanner {
  private at = 0
  private readonly waiting: Token[] = []
  private heredocs: string[] = []
  private readonly text: string

  constructor(text: string) {
    this.text = text.replaceAll(/\\\r?\n/g, ' ')
  }

  next(): Token | null {
    const waiting = this.waiting.shift()
    if (waiting !== undefined) return waiting
    while (/[ \t\r]/.test(this.text[this.at] ?? '')) this.at += 1
    const c = this.text[this.at]
    if (c === undefined) return null
    if (c === '#') {
      this.skipLine()
      return this.next()
    }
    if (c === '\n') {
      this.at += 1
      this.skipHeredocs()
      return { is: 'operator', text: ';' }
    }
    if (';&|()'.includes(c)) return this.operator()
    if (/[<>]/.test(c) || /^\d+[<>]/.test(this.text.slice(this.at, this.at + 4))) return this.redirect()
    return this.word()
  }

  private operator(): Token {
    const two = this.text.slice(this.at, this.at + 2)
    const isDouble = ['&&', '||', ';;', '|&'].includes(two)
    const text = isDouble ? two : (this.text[this.at] ?? '')
    this.at += text.length
    return { is: 'operator', text: text === '|&' ? '|' : text }
  }

  /** Where the output goes is no argument of the program. */
  private redirect(): Token | null {
    while (/\d/.test(this.text[this.at] ?? '')) this.at += 1
    const sign =
      /^(?:<<<|<<-?|>>|<&|>&|&>|<>|>\||<|>)/.exec(this.text.slice(this.at, this.at + 3))?.[0] ?? '>'
    this.at += sign.length
    if ((sign === '<' || sign === '>') && this.text[this.at] === '(') {
      this.at += 1
      return { is: 'inner', text: this.until(')') }
    }
    while (/[ \t]/.test(this.text[this.at] ?? '')) this.at += 1
    const target = this.word()
    if (sign.startsWith('<<') && sign !== '<<<') this.heredocs.push(target.text)
    return this.next()
  }

  private word(): Token {
    let word = ''
    while (this.at < this.text.length) {
      const c = this.text[this.at] ?? ''
      if (/[\s;&|()<>]/.test(c)) break
      this.at += 1
      if (c === '\\') word += this.text[this.at++] ?? ''
      else if (c === "'") word += this.until("'")
      else if (c === '"') word += this.doubleQuoted()
      else if (c === '`') word += this.inner(this.until('`'))
      else if (c === '$' && this.text[this.at] === '(') {
        this.at += 1
        word += this.inner(this.until(')'))
      } else if (c === '$' && this.text[this.at] === '{') word += `$${this.until('}')}}`
      else word += c
    }
    return { is: 'word', text: word }
  }

  private doubleQuoted(): string {
    let text = ''
    while (this.at < this.text.length) {
      const c = this.text[this.at++] ?? ''
      if (c === '"') break
      if (c === '\\') text += this.text[this.at++] ?? ''
      else if (c === '`') text += this.inner(this.until('`'))
      else if (c === '$' && this.text[this.at] === '(') {
        this.at += 1
        text += this.inner(this.until(')'))
      } else text += c
    }
    return text
  }

  private inner(text: string): string {
    this.waiting.push({ is: 'inner', text })
    return '$()'
  }

  /** Up to the closing sign, with those inside it in pairs. */
  private until(close: string): string {
    const open = close === ')' ? '(' : null
    const from = this.at
    let depth = 1
    while (this.at < this.text.length) {
      const c = this.text[this.at++]
      if (c === open) depth += 1
      else if (c === close && --depth === 0) return this.text.slice(from, this.at - 1)
    }
    return this.text.slice(from)
  }

  private skipLine(): void {
    const end = this.text.indexOf('\n', this.at)
    this.at = end < 0 ? this.text.length : end
  }

  private skipHeredocs(): void {
    for (const mark of this.heredocs.splice(0)) {
      while (this.at < this.text.length) {
        const from = this.at
        this.skipLine()
        this.at += 1
        if (this.text.slice(from, this.at - 1).trim() === mark) break
      }
    }
  }
}

const KEYWORDS = new Set([
  'if',
  'then',
  'else',
  'elif',
  'do',
  'while',
  'until',
  '!',
  '{',
  '}',
  'time',
  'fi',
  'done',
  'esac',
])
const WHOLE_LINE = new Set(['for', 'case', 'function', 'select', '[[', '(('])
/** Programs that start the program named after them. */
const WRAPPERS = new Set(
  'exec command env nice nohup timeout sudo stdbuf xvfb-run cross-env cross-env-shell dotenv xargs time builtin'.split(
    ' ',
  ),
)
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash'])

/** What is really started: without variables, keywords and wrappers, and with the line behind `sh -c` taken apart. */
function unwrap({ words, isExamined }: ShellCommand, depth: number): ShellCommand[] {
  let rest = words
  const outer: ShellCommand[] = []
  for (;;) {
    const first = rest[0]
    if (first === undefined || first === '') return outer
    const name = first.slice(first.lastIndexOf('/') + 1)
    if (WHOLE_LINE.has(first)) return outer
    if (KEYWORDS.has(first) || /^[A-Za-z_]\w*\+?=/.test(first)) rest = rest.slice(1)
    else if (WRAPPERS.has(name)) {
      outer.push({ words: [first], isExamined })
      const next = rest.findIndex((word, i) => i > 0 && !/^-|^\d+(\.\d+)?[smhd]?$|^[A-Za-z_]\w*=/.test(word))
      if (next < 0) return outer
      rest = rest.slice(next)
    } else if (
      SHELLS.has(name) &&
      rest.some((word, i) => i > 0 && /^-[a-z]*c$/.test(word)) &&
      depth < DEPTH_MAX
    ) {
      const line = rest[rest.findIndex((word, i) => i > 0 && /^-[a-z]*c$/.test(word)) + 1] ?? ''
      return [...outer, { words: [first], isExamined }, ...commandsIn(line, depth + 1)]
    } else if (first === 'eval' && depth < DEPTH_MAX) {
      return [...outer, ...commandsIn(rest.slice(1).join(' '), depth + 1)]
    } else return [...outer, { words: rest, isExamined }]
  }
}

/** Words that a shell answers itself, without starting a program. */
export const BUILTINS: ReadonlySet<string> = new Set(
  '. : [ alias bg break cd continue dirs echo exit export false fg getopts hash help history jobs kill let local logout popd printf pushd pwd read readonly return set shift source test times trap true type typeset ulimit umask unalias unset wait declare'.split(
    ' ',
  ),
)
