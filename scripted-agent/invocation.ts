/**
 * How the program was called. It replaces a vendor's program, so it accepts every vendor's flags and uses the few that matter: the
 * conversation to continue, the model to report, the output format, the usage file. It ignores all others. A plain agent gets the first
 * two from the environment.
 */
import { basename } from 'node:path'
import { DIALECT_NAMES, type DialectName } from './dialects.ts'

export interface ScriptedInvocation {
  scenario: string | null
  /** From `--dialect`. */
  dialect: DialectName | null
  /** The vendor by whose name the program was called. */
  calledAs: DialectName | null
  resume: string | null
  model: string | null
  /** By the vendor's name; text if it is called to print and no format is given. */
  format: string | null
  usageFile: string | null
  wantsVersion: boolean
  /** It is asked whether it is logged in, as one of the vendors' programs. */
  wantsLogin: boolean
  /** The arguments for the vendor's program: all but our own two flags. */
  vendorArgs: string[]
}

/** `args`: the words after the program's own path. */
export function parseInvocation(
  program: string,
  args: string[],
  env: Record<string, string | undefined>,
): ScriptedInvocation {
  const vendorArgs = args.filter((word, index) => !OWN.includes(word) && !OWN.includes(args[index - 1] ?? ''))
  return {
    scenario: valueOf(args, '--scenario') ?? env['RALPH_SCENARIO'] ?? null,
    dialect: dialectNamed(valueOf(args, '--dialect')),
    calledAs: dialectNamed(ALIASES[nameOf(program)] ?? nameOf(program)),
    resume: valueOf(args, '--resume', '--session', '--session-id', 'resume') ?? env['RALPH_CONVERSATION'] ?? null,
    model: valueOf(args, '--model', '-m') ?? env['RALPH_MODEL'] ?? null,
    format: valueOf(args, '--output-format') ?? (args.includes('-p') ? 'text' : null),
    usageFile: valueOf(args, '--usage-output-file'),
    wantsVersion: args.includes('--version'),
    wantsLogin: LOGIN_QUESTIONS.includes(vendorArgs.join(' ')),
    vendorArgs,
  }
}

const LOGIN_QUESTIONS = ['auth status', 'login status', 'auth list', 'status']

const OWN = ['--scenario', '--dialect']

/** Cursor's program has two names, neither of them `cursor`. */
const ALIASES: Record<string, DialectName> = { 'cursor-agent': 'cursor', agent: 'cursor' }

function nameOf(program: string): string {
  return basename(program).replace(/\.(mjs|js|cmd|exe)$/, '')
}

/** `--flag value` or `--flag=value`; codex's `resume ID` has no dashes. */
function valueOf(args: string[], ...flags: string[]): string | null {
  for (const [index, word] of args.entries()) {
    if (flags.includes(word)) return args[index + 1] ?? null
    const flag = flags.find((each) => each.startsWith('--') && word.startsWith(`${each}=`))
    if (flag !== undefined) return word.slice(flag.length + 1)
  }
  return null
}

function dialectNamed(name: string | null): DialectName | null {
  return DIALECT_NAMES.find((dialect) => dialect === name) ?? null
}
