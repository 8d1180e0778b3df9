/** Reads how package managers are called: which scripts, or which program of the project, a command line really asks for. Pure. */
import { posix } from 'node:path'
import { flagValue, withoutFlags } from './flags.ts'

export type Call =
  | { is: 'scripts'; names: string[]; folder: string; everywhere: boolean; orProgram: string[] }
  | { is: 'program'; words: string[]; folder: string; via: 'package' | 'venv' | 'shell' }

/** Null: it asks for neither. */
export function readCall(words: string[]): Call | null {
  const [first = '', ...args] = words
  const name = posix.basename(first)
  switch (name) {
    case 'npm':
    case 'pnpm':
    case 'yarn':
    case 'bun':
      return managerCall(name, args)
    case 'npx':
    case 'pnpx':
    case 'bunx':
      return program(withoutLeading(args, ['-p', '--package', '-c', '--call']), 'package')
    case 'run-s':
    case 'run-p':
    case 'npm-run-all':
    case 'npm-run-all2':
      return scripts(args.filter((arg) => !arg.startsWith('-')))
    case 'turbo':
    case 'lerna':
    case 'nx':
      return {
        ...scripts(args.filter((arg) => !arg.startsWith('-') && arg !== 'run' && arg !== 'run-many')),
        everywhere: true,
      }
    case 'uv':
    case 'poetry':
    case 'pipenv':
    case 'pdm':
    case 'rye':
    case 'hatch':
      return args[0] === 'run'
        ? program(withoutLeading(args.slice(1), ['--with', '--python', '-p', '--extra', '--group']), 'venv')
        : null
    case 'bundle':
      return args[0] === 'exec' ? program(args.slice(1), 'shell') : null
    default:
      return null
  }
}

const VALUED = ['--prefix', '-C', '--dir', '--cwd', '-w', '--workspace', '--filter', '-F', '--loglevel']
const EVERYWHERE = ['-r', '--recursive', '--workspaces', '-ws', '-w', '--workspace', '--filter', '-F']

function managerCall(name: 'npm' | 'pnpm' | 'yarn' | 'bun', args: string[]): Call | null {
  const folder = flagValue(args, ['--prefix', '-C', '--dir', '--cwd']) ?? ''
  let everywhere = args.some((arg) => EVERYWHERE.includes(arg.split('=')[0] ?? ''))
  let rest = withoutFlags(beforeDashes(args), VALUED)
  if (name === 'yarn' && (rest[0] === 'workspace' || rest[0] === 'workspaces')) {
    everywhere = true
    rest = rest.slice(rest[0] === 'workspace' ? 2 : rest[1] === 'foreach' ? 2 : 1)
  }
  const [verb = '', ...more] = rest
  const tail = (word: string) => args.slice(args.indexOf(word) + 1)
  if (verb === 'run' || verb === 'run-script' || verb === 'rum' || verb === 'urn')
    return { ...scripts(more.slice(0, 1)), folder, everywhere }
  if (verb === 'exec' || verb === 'dlx' || verb === 'x')
    return {
      ...program(
        tail(verb).filter((word) => word !== '--'),
        'package',
      ),
      folder,
    }
  // `bun test` is bun's own runner, not the script.
  if (name === 'bun') return null
  const short = { t: 'test', tst: 'test', it: 'test', cit: 'test' }[verb] ?? verb
  if (['test', 'start', 'stop', 'restart'].includes(short)) return { ...scripts([short]), folder, everywhere }
  if (name === 'npm' || verb === '' || OWN_VERBS.has(verb)) return null
  return { ...scripts([verb]), folder, everywhere, orProgram: [verb, ...tail(verb)] }
}

const OWN_VERBS = new Set(
  'install i add remove update up ci link publish pack audit outdated why list ls init create config cache dedupe node store prune import set version'.split(
    ' ',
  ),
)

function scripts(names: string[]): Extract<Call, { is: 'scripts' }> {
  return { is: 'scripts', names, folder: '', everywhere: false, orProgram: [] }
}

function program(words: string[], via: 'package' | 'venv' | 'shell'): Extract<Call, { is: 'program' }> {
  return {
    is: 'program',
    words: words.map((word, i) => (i === 0 ? word.replace(/(?<=.)@[^@/]*$/, '') : word)),
    folder: '',
    via,
  }
}

function beforeDashes(args: string[]): string[] {
  const end = args.indexOf('--')
  return end < 0 ? args : args.slice(0, end)
}

/** Without the flags before the program's name. */
function withoutLeading(args: string[], valued: string[]): string[] {
  let i = 0
  while (i < args.length && (args[i] ?? '').startsWith('-')) i += valued.includes(args[i] ?? '') ? 2 : 1
  return args.slice(i)
}
