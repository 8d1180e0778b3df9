import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { parseRalphrc } from './ralphrc.ts'

const ENV = { HOME: '/home/someone', FROM_ENV: 'out there', EMPTY: '', GLOBBY: 'a b' }

function valuesOf(text: string): Record<string, string | string[]> {
  const { values } = parseRalphrc(text, ENV)
  return Object.fromEntries(Object.entries(values).map(([name, { value }]) => [name, value]))
}

/** Files that consist of assignments, as people write them and as they should not. */
const CORPUS: Record<string, string> = {
  'plain values': 'A=1\nB=two\nC=\nD=a,b,c\nE=path/to/file.md\n',
  'double quotes': 'A="one two"\nB="with \'single\' inside"\nC=""\nD="#no comment"\n',
  'single quotes': "A='one two'\nB='$HOME stays'\nC='a\"b'\nD='back\\slash'\n",
  'quotes that touch': 'A=one"two three"\'four five\'six\n',
  'escapes outside quotes': 'A=one\\ two\nB=\\$HOME\nC=\\"quoted\\"\nD=a\\\\b\n',
  'escapes in double quotes': 'A="\\$HOME"\nB="\\"x\\""\nC="\\\\"\nD="\\n stays"\nE="\\`"\n',
  variables: 'A=x\nB=$A\nC=${A}y\nD="$A and ${A}"\nE=$NOT_SET_ANYWHERE\nF=$FROM_ENV\nG="${FROM_ENV}"\n',
  defaults:
    'A=${NOT_SET_ANYWHERE:-d}\nB=${FROM_ENV:-d}\nC=${EMPTY:-d}\nD=${EMPTY-d}\nE="${NOT_SET_ANYWHERE:-two words}"\n',
  'a default of itself': 'MAX_CALLS_PER_HOUR="${MAX_CALLS_PER_HOUR:-100}"\nFROM_ENV="${FROM_ENV:-x}"\n',
  'nested defaults': 'A=${X1:-${X2:-${FROM_ENV}}}\nB=${X1:-"q $FROM_ENV"}\nC="${X1:-${X2:-deep}}"\n',
  'a default with quotes in it': 'A=${X1:-\'single $HOME\'}\nB="${X1:-\'kept\'}"\nC=${X1:-a\\}b}\nD="${X1:-a\\}b}"\n',
  alternatives: 'A=${FROM_ENV:+yes}\nB=${EMPTY:+yes}\nC=${EMPTY+yes}\nD=${NOT_SET_ANYWHERE+yes}\n',
  'assigning defaults': 'A=${B:=b}\nB2=$B\n: ${C:=c} "${D:=d e}"\nD2=$D\n',
  comments: '# first\nA=1 # after\nB=2#not-a-comment\n   # indented\nC="x" # y\n',
  'several on a line': 'A=1 B=2\nC=3; D=4;E=5\nF=1 G=$F\n',
  'continuation lines': 'A=one\\\ntwo\nB="three \\\nfour"\nC=1 \\\n  D=2\n',
  'texts over several lines': 'A="line one\nline two"\nB=\'x\ny\'\n',
  'export and friends': 'export A=1\nexport B="two words" C=3\ndeclare -x D=4\nreadonly E=5\nexport A\n',
  indentation: '  A=1\n\tB=2\n',
  appending: 'A=x\nA+=y\nB+=new\nFROM_ENV+=!\n',
  arrays:
    'A=(x "y z" \'w\')\nB=()\nC=(one\n  two # comment\n  three)\nD=("${A[@]}" more)\nE=${A[1]}\nF="${A[*]}"\nG=$A\n',
  'appending to arrays': 'A=(x)\nA+=("y z")\nB=s\nB+=(t)\nC=(p q)\nC+=!\nD=(p q)\nD=r\n',
  'values are split in arrays only': 'A=$GLOBBY\nB=($GLOBBY)\nC=("$GLOBBY")\nD=(x$GLOBBY"y")\nE=(${X1:-p q})\n',
  tilde: 'A=~/x\nB="~/x"\nC=a~\nD=/bin:~/bin\nE=~\nF=(~/y)\nG=${X1:-~/d}\nH=${X1:-a:~}\nI=${EMPTY}~\n',
  'dollar signs that mean nothing': 'A=5$\nB="100$ "\nC=$\nD="$"\nE=a$,b\n',
  'ansi quotes': "A=$'tab\\there'\nB=$'it\\'s'\nC=$'\\x41\\u00e9\\101'\nD=\"$'x'\"\nE=$\"plain\"\n",
  'tool lists': 'ALLOWED_TOOLS="Write,Read,Edit,Bash(git add *),Bash(npm *)"\nX="${ALLOWED_TOOLS},Grep"\n',
  'unusual but harmless characters': 'A=a=b\nB=http://x/?q=1\nC=*.md\nD={a,b}\nE=%d\nF=é\nG=[x]\nH=!\n',
  'last line without end': 'A=1\nB=2',
  'the generated file': `# .ralphrc - Ralph project configuration
PROJECT_NAME="my-project"
PROJECT_TYPE="typescript"

# Loop settings
MAX_CALLS_PER_HOUR=100
CLAUDE_TIMEOUT_MINUTES=15
CLAUDE_OUTPUT_FORMAT="json"
ALLOWED_TOOLS="Write,Read,Edit,Bash(git add *),Bash(git status),Bash(npm *),Bash(pytest)"
SESSION_CONTINUITY=true
SESSION_EXPIRY_HOURS=24
TASK_SOURCES="local"
GITHUB_TASK_LABEL="ralph-task"
CB_NO_PROGRESS_THRESHOLD=3
CLAUDE_CODE_CMD="npx @anthropic-ai/claude-code"
`,
}

describe('values are those that bash itself would give', () => {
  const hasBash = spawnSync('bash', ['--version']).status === 0
  const folder = mkdtempSync(join(tmpdir(), 'ralphrc-'))
  const fromBash = hasBash ? askBash(folder) : []
  afterAll(() => rmSync(folder, { recursive: true }))

  test.skipIf(!hasBash).each(Object.entries(CORPUS))('%s', (name, text) => {
    const { values, remarks } = parseRalphrc(text, ENV)
    const ours = Object.entries(values).map(([variable, { value }]) => [variable, ...[value].flat()])
    expect(remarks).toEqual([])
    expect(ours.length).toBeGreaterThan(0)
    expect(ours).toEqual(fromBash[Object.keys(CORPUS).indexOf(name)])
  })
})

/** One bash reads all files, each in a subshell, and prints the variables that we found and those of one letter. */
function askBash(folder: string): string[][][] {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')
  const parts = Object.values(CORPUS).map((text, index) => {
    const file = join(folder, String(index))
    writeFileSync(file, text)
    const names = new Set([...Object.keys(parseRalphrc(text, ENV).values), ...letters])
    const print = [...names].map(
      (name) => `declare -p ${name} &>/dev/null && printf '%s\\0' ${name} "\${${name}[@]}" && printf '\\1\\0'`,
    )
    return `( source ${file}; ${print.join('; ')} ); printf '\\2\\0'`
  })
  const env = { ...ENV, PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' }
  const said = execFileSync('bash', ['--norc', '-c', parts.join('\n')], { env, encoding: 'utf8' })
  const files = said.split('\u0002\0').slice(0, -1)
  return files.map((file) =>
    file
      .split('\u0001\0')
      .slice(0, -1)
      .map((value) => value.split('\0').slice(0, -1)),
  )
}

test('a value knows its line', () => {
  expect(parseRalphrc('# x\n\nA=1\nexport B="two\nlines"\nC=3\n', {})).toMatchObject({
    values: { A: { value: '1', line: 3 }, B: { value: 'two\nlines', line: 4 }, C: { value: '3', line: 6 } },
    remarks: [],
  })
})

test('line ends and marks of Windows are not part of values', () => {
  expect(valuesOf('\uFEFFA=1\r\nB="x y"\r\n')).toEqual({ A: '1', B: 'x y' })
})

describe('what only a shell could work out is named with its line and left out', () => {
  test.each([
    ['A=$(date)', 'A uses $(…), which only a shell could work out; ignored'],
    ['A=`date`', 'A uses backticks, which only a shell could work out; ignored'],
    ['A="x $(rm -rf /) y"', 'A uses $(…), which only a shell could work out; ignored'],
    ['A=$((60 * 2))', 'A uses $(…), which only a shell could work out; ignored'],
    ['A=${B%.md}', 'A uses ${…} of a kind beyond a default, which only a shell could work out; ignored'],
    ['A=${#B}', 'A uses ${…} of a kind beyond a default, which only a shell could work out; ignored'],
    ['A=$1', 'A uses $1, which only a shell could work out; ignored'],
    ['A=~root/x', "A uses somebody's home folder, which only a shell could work out; ignored"],
    ['A=(*.md)', 'A uses a file pattern without quotes, which only a shell could work out; ignored'],
    ['A=({a,b})', 'A uses a brace expansion, which only a shell could work out; ignored'],
    ['A="never closed', 'A uses a quote that is not closed, which only a shell could work out; ignored'],
    [': $(date)', 'only a shell could run `: $(date)`; ignored'],
    ['A=${X:-never closed', 'A uses a ${ that is not closed, which only a shell could work out; ignored'],
    ['source other.sh', 'only a shell could run `source other.sh`; ignored'],
    ['. ./other.sh', 'only a shell could run `. ./other.sh`; ignored'],
    ['unset A', 'only a shell could run `unset A`; ignored'],
    ['A=1 some-command', 'only a shell could run `A=1 some-command`; ignored'],
    ['A=1 && B=2', 'only a shell could run `A=1 && B=2`; ignored'],
    ['A=1 | B=2', 'only a shell could run `A=1 | B=2`; ignored'],
    ['A=x > file', 'only a shell could run `A=x > file`; ignored'],
    ['A[1]=x', 'only a shell could run `A[1]=x`; ignored'],
    ['declare -i A=1+1', 'only a shell could run `declare -i A=1+1`; ignored'],
    ['[[ -f x ]] && A=1', 'only a shell could run `[[ -f x ]] && A=1`; ignored'],
  ])('%s', (line, text) => {
    expect(parseRalphrc(`X=1\n${line}`, {})).toMatchObject({
      values: { X: { value: '1', line: 1 } },
      remarks: [{ line: 2, text }],
    })
  })

  test.each([
    ['a condition', 'if [ -n "$CI" ]; then\n  A=2\nelse A=3\nfi'],
    ['a condition in a condition', 'if a; then\n  if b; then A=2; fi\n  A=3\nfi'],
    ['a condition on one line', 'if true; then A=2; fi'],
    ['a loop', 'for x in 1 2; do\n  A=$x\ndone'],
    ['a loop with a condition', 'while [[ $A < 3 && $B ]]; do A=2; done'],
    ['a choice', 'case "$CI" in\n  yes) A=2 ;;\n  (no|never) A=3;;\n  *) if x; then A=4; fi ;;\nesac'],
    ['a function', 'f() {\n  A=2\n}'],
    ['a function with the keyword', 'function f {\n  A=2\n}'],
    ['a group', '{ A=2; B=3; }'],
    ['a subshell', '(\nA=2\n)'],
    ['a here-document', 'cat <<END\nA=2\nEND'],
    ['an indented here-document', "cat <<-'END' > file\n\tA=2\n\tEND"],
    ['a here-document whose end is two words', 'cat <<"THE END"\nA=2\nTHE END'],
    ['a here-document whose end is quoted in part', 'cat <<E"N"\\D\nA=2\nEND'],
    ['a dollar before an apostrophe between double quotes', `echo "it costs 5$'s" 'A=2\nA=3'`],
    ['a command over several lines', 'echo one \\\n  A=2'],
    ['a pipe over several lines', 'echo one |\n  A=2'],
    ['a text over several lines', 'echo "\nA=2\n"'],
    ['a substitution with quotes in it', 'echo "$(echo ")" \')\' "\nA=2")"'],
  ])('%s is passed over as a whole', (_, block) => {
    const { values, remarks } = parseRalphrc(`A=1\n${block}\nLAST=x\n`, {})
    const line = 3 + block.split('\n').length - 1
    expect(values).toEqual({ A: { value: '1', line: 1 }, LAST: { value: 'x', line } })
    expect(remarks.map((remark) => remark.line)).toEqual([2])
  })

  test('what is made of an unknown value is not known either', () => {
    const { values, remarks } = parseRalphrc('A=$(date)\nB=x$A\nC=${A:-d}\nA+=x\nA=now\nD=$A\n', {
      A: 'outside',
    })
    expect(values).toEqual({ A: { value: 'now', line: 5 }, D: { value: 'now', line: 6 } })
    expect(remarks.map((remark) => remark.line)).toEqual([1, 2, 3, 4])
  })

  test('a declaration that only a shell understands leaves its name unknown', () => {
    const { values, remarks } = parseRalphrc('declare -i A=1+1\nB=$A\n', { A: 'outside' })
    expect(values).toEqual({})
    expect(remarks.map((remark) => remark.line)).toEqual([1, 2])
  })

  test('a default that is not needed may be anything', () => {
    expect(valuesOf('A=${FROM_ENV:-$(date)}')).toEqual({ A: 'out there' })
  })
})

test('a value cannot grow without bound', () => {
  const { values, remarks } = parseRalphrc(`A=0123456789\n${'A=$A$A\n'.repeat(40)}`, {})
  expect(values).toEqual({})
  expect(remarks.length).toBeGreaterThan(0)
})

test('a variable of any name is only a variable', () => {
  const { values } = parseRalphrc('__proto__=1\nconstructor=2\nA=$toString', {})
  expect(Object.entries(values)).toEqual([
    ['__proto__', { value: '1', line: 1 }],
    ['constructor', { value: '2', line: 2 }],
    ['A', { value: '', line: 3 }],
  ])
})

test('no text makes the reader throw or stand still', () => {
  const pieces = [
    'A',
    '=',
    '"',
    "'",
    '`',
    '$',
    '${',
    '}',
    '$(',
    '(',
    ')',
    '((',
    '\\',
    '\n',
    ' ',
    ';',
    '&',
    '|',
    '<<E',
    '#',
    ':-',
    '~',
    '[[',
    'if ',
    'fi',
    'case ',
    'export ',
    '+=',
    '@',
  ]
  const shellish = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.oneof(shellish, fc.string({ unit: 'binary' })), (text) => {
      const { values, remarks } = parseRalphrc(text, { A: 'a' })
      const lines = text.split('\n').length
      const told = [...Object.values(values), ...remarks]
      expect(told.every(({ line }) => line >= 1 && line <= lines)).toBe(true)
    }),
    { numRuns: 300 },
  )
})

test('nesting of any depth is survived', () => {
  for (const open of ['${A:-', '$(', '"$(', '${', '(', '{ ', 'if ']) {
    const { values } = parseRalphrc(`A=1\nB=${open.repeat(50_000)}`, {})
    expect(values['A']).toEqual({ value: '1', line: 1 })
  }
})
