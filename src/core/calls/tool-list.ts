/**
 * The tools that an agent may use without asking, in the words that Claude Code and the bash tool have for them: `Write`,
 * `Bash(git add *)`, `Bash(npm test:*)`, `Bash` for every command. An entry with `!` in front removes what the others allow.
 * Where nobody writes a list, these are it (ADR 22).
 */
export interface ToolRule {
  name: string
  /** Which commands; null: the tool altogether. */
  pattern: string | null
  /** Never, whatever other entries say. */
  never: boolean
}

export function parseToolEntry(entry: string): ToolRule {
  const [, mark = '', name = '', pattern] = /^\s*(!?)\s*([^(]*?)\s*(?:\((.*)\)\s*)?$/s.exec(entry) ?? []
  return { name, pattern: pattern ?? null, never: mark === '!' }
}

/** What is missing in an entry as it was written, as the end of a sentence; null: nothing. */
export function toolEntryProblem(entry: string): string | null {
  const [, name = '', rest = ''] = /^\s*!?\s*([^()]*)(.*)$/s.exec(entry) ?? []
  if (name.trim() === '') return 'the name of a tool in front'
  if (rest === '') return null
  if (!rest.startsWith('(')) return 'an opening bracket'
  // An escaped bracket belongs to the command.
  const brackets = rest.replaceAll(/\\./g, '').match(/[()]/g) ?? []
  const depth = brackets.reduce((sum, bracket) => sum + (bracket === '(' ? 1 : -1), 0)
  if (depth > 0) return 'a closing bracket'
  if (depth < 0) return 'an opening bracket'
  if (!rest.trimEnd().endsWith(')')) return 'nothing after the closing bracket'
  const plain = name.trim()
  return rest.trimEnd().slice(1, -1).trim() === ''
    ? `something between the brackets, or ${plain} alone for all of it`
    : null
}

/** Whether the pattern of an entry (`git add *`, `npm test:*`) matches a command. */
export function matchesCommand(command: string, pattern: string): boolean {
  if (pattern.endsWith(':*')) return command === pattern.slice(0, -2) || command.startsWith(`${pattern.slice(0, -2)} `)
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(command)
}

/** What the vendors call their shell. */
export function isShellTool(name: string): boolean {
  return /^(?:bash|shell|execute|run_shell_command|exec_command|powershell)$/i.test(name)
}

/** The list of bash Ralph: no git command that discards work. */
export const BASH_RALPH_TOOLS: readonly string[] = [
  'Write',
  'Read',
  'Edit',
  ...'add commit diff log'.split(' ').map((verb) => `Bash(git ${verb} *)`),
  'Bash(git status)',
  'Bash(git status *)',
  ...'push pull fetch checkout branch stash merge tag'.split(' ').map((verb) => `Bash(git ${verb} *)`),
  'Bash(npm *)',
  'Bash(pytest)',
]

/** They only read, or make a folder. None of them starts another program or deletes anything. */
const EVERYDAY = [
  'basename cat cd cmp cut date diff dirname du echo file grep head ls mkdir printf pwd readlink realpath rg sort stat tail test',
  'touch tr tree wc which',
].flatMap((names) => names.split(' '))

/** What git shows, and moves that it can take back. */
const GIT = 'blame ls-files mv rev-parse show'.split(' ')

/** What would make a harmless one start, delete or write something. */
const NEVER = [
  ...'exec ok delete fprint fls'.split(' ').map((action) => `!Bash(find *-${action}*)`),
  '!Bash(rg *--pre*)',
  '!Bash(rg *--hostname-bin*)',
  '!Bash(sort *-o*)',
  '!Bash(sort *--output*)',
  '!Bash(sort *--compress-program*)',
  '!Bash(tree *-o*)',
]

/** Nothing leaves the machine unless the user says so (`agent.allow`). */
export const PUSH = 'Bash(git push *)'

/** For a project with Ralph's own settings: the list of bash Ralph without `git push`, commands that only read, and the programs that
 *  build and test the project. */
export function defaultToolList(programs: readonly string[]): string[] {
  const shell = [...programs, ...GIT.map((verb) => `git ${verb}`), ...EVERYDAY, 'find']
  const entries = shell.flatMap((words) => [`Bash(${words})`, `Bash(${words} *)`])
  return [
    ...new Set([
      ...BASH_RALPH_TOOLS.filter((entry) => entry !== PUSH),
      'MultiEdit',
      'Glob',
      'Grep',
      'TodoWrite',
      'Bash(pytest *)',
      ...entries,
      ...NEVER,
    ]),
  ]
}

/** Whether it may write files at all. */
export function canWriteFiles(tools: readonly string[]): boolean {
  return tools
    .map(parseToolEntry)
    .some(({ name, pattern, never }) => !never && pattern === null && /^(?:write|edit|multiedit)$/i.test(name))
}

/**
 * The commands of a list as beginnings, for programs that know no more than those: `git add`, `npm`. Commands with an exception are
 * left out, since only all of them could be given. `all`: the shell altogether.
 */
export function commandPrefixes(tools: readonly string[]): { all: boolean; commands: string[] } {
  const shell = tools.map(parseToolEntry).filter(({ name }) => isShellTool(name))
  const given = shell.filter(({ never }) => !never)
  const excepted = shell.filter(({ never }) => never).map(({ pattern }) => words(pattern ?? '').split(' ')[0])
  const commands = given.flatMap(({ pattern }) => (pattern === null || pattern === '*' ? [] : [words(pattern)]))
  return {
    all: given.some(({ pattern }) => pattern === null || pattern === '*') && excepted.length === 0,
    commands: [...new Set(commands)].filter(
      (command) => !command.includes('*') && !excepted.includes(command.split(' ')[0]),
    ),
  }
}

/** What a list lets an agent do, for one line: whether it may write files, and how many commands it may run. */
export interface ToolAllowance {
  edits: boolean
  commands: number | 'any'
}

export function toolAllowance(tools: readonly string[]): ToolAllowance {
  const shell = tools.map(parseToolEntry).filter(({ name, never }) => isShellTool(name) && !never)
  const commands = new Set(shell.map(({ pattern }) => words(pattern ?? '*')))
  return { edits: canWriteFiles(tools), commands: commands.has('*') ? 'any' : commands.size }
}

/** A list in few words, for people and for the agent: commands by their names alone. */
export function describeTools(tools: readonly string[]): string {
  const read = tools.map(parseToolEntry)
  const given = read.filter(({ never }) => !never)
  const whole = given.filter(({ pattern }) => pattern === null).map(({ name }) => name)
  const commands = given.flatMap(({ name, pattern }) => (name === 'Bash' && pattern !== null ? [words(pattern)] : []))
  const others = given.filter(({ name, pattern }) => name !== 'Bash' && pattern !== null)
  const taken = read.filter(({ never }) => never).length
  return [
    [...whole, ...others.map(({ name, pattern }) => `${name}(${pattern})`)].join(', '),
    commands.length === 0 ? '' : `commands: ${gathered([...new Set(commands)])}`,
    taken === 0 ? '' : `${taken} ${taken === 1 ? 'exception' : 'exceptions'}`,
  ]
    .filter((part) => part !== '')
    .join('; ')
}

/** `git add *` → `git add`. */
function words(pattern: string): string {
  return pattern.replace(/(?::\*|[\s*]+)$/, '').trim() || '*'
}

/** `git add`, `git log` → `git add|log`. */
function gathered(commands: string[]): string {
  const groups = new Map<string, string[]>()
  for (const command of commands) {
    const [program = '', ...rest] = command.split(' ')
    groups.set(program, [...(groups.get(program) ?? []), ...(rest.length === 0 ? [] : [rest.join(' ')])])
  }
  return [...groups]
    .map(([program, verbs]) =>
      verbs.length === 0 ? program : `${program} ${verbs.length === 1 ? verbs.join('') : `(${verbs.join(' ')})`}`,
    )
    .join(', ')
}
