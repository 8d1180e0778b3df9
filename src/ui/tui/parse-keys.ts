/** Parses the bytes that a terminal sends into keys. */

type Named =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'tab'
  | 'back-tab'
  | 'enter'
  | 'escape'
  | 'backspace'
  | 'clear-line'
  | 'interrupt'
  | 'suspend'
  | 'redraw'

export type Key =
  | { is: Named }
  | { is: 'char'; char: string }
  /** Pasted text never counts as keys: a pasted `x` must not stop a run. */
  | { is: 'paste'; text: string }

const CONTROL: Record<string, Named> = {
  '\t': 'tab',
  '\r': 'enter',
  '\n': 'enter',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u0003': 'interrupt',
  '\u0015': 'clear-line',
  '\u001a': 'suspend',
  '\u000c': 'redraw',
}

const SEQUENCES: Record<string, Named> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  Z: 'back-tab',
  '1~': 'home',
  '7~': 'home',
  '4~': 'end',
  '8~': 'end',
  '5~': 'page-up',
  '6~': 'page-down',
}

const ESC = '\u001b'
const PASTED = new RegExp(`^${ESC}\\[200~([\\s\\S]*?)(?:${ESC}\\[201~|$)`)
const SEQUENCE = new RegExp(`^${ESC}[[O]([0-9;<?]*[ -/]*[@-~])`)

/** All keys of one chunk of input. An unknown escape sequence is skipped as a whole, so that no part of it counts as a key. */
export function parseKeys(input: string): Key[] {
  const keys: Key[] = []
  for (let rest = input; rest !== '';) {
    const pasted = PASTED.exec(rest)
    const sequence = SEQUENCE.exec(rest)
    const first = String.fromCodePoint(rest.codePointAt(0) ?? 0)
    let length = first.length
    if (pasted !== null) {
      keys.push({ is: 'paste', text: pasted[1] ?? '' })
      length = pasted[0].length
    } else if (sequence !== null) {
      const known = SEQUENCES[sequence[1] ?? '']
      if (known !== undefined) keys.push({ is: known })
      length = sequence[0].length
    } else if (first === ESC) {
      keys.push({ is: 'escape' })
      // Alt with a key is not the key alone.
      length = rest.length > 1 && rest[1] !== ESC ? 2 : 1
    } else {
      const named = CONTROL[first]
      if (named !== undefined) keys.push({ is: named })
      else if (first >= ' ') keys.push({ is: 'char', char: first })
    }
    rest = rest.slice(length)
  }
  return keys
}
