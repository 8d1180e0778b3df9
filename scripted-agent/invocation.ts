/**
 * How the program was called. It stands where a vendor's program stands, so it takes every vendor's flags and heeds the few
 * that matter: which conversation to go on with, which model to name, what to write, where to leave the usage. All others are accepted.
 * A plain agent gets the first two by the environment.
 */
import { basename } from 'node:path'
import { DIALECT_NAMES, type DialectName } from './dialects.ts'

export interface ScriptedInvocation {
  scenario: string | null
  /** Asked for by `--dialect`. */
  dialect: DialectName | null
  /** The vendor whose name the program was called by. */
  calledAs: DialectName | null
  resume: string | null
  model: string | null
  /** In the vendor's word; text where it is called to print and nothing else is asked for. */
  format: string | null
  usageFile: string | null
  wantsVersion: boolean
  /** The words meant for the vendor's program: all but our own two flags. */
  vendorArgs: string[]
}

/** `args` are the words after the program's own path. */
export function parseInvocation(
  program: string,
  args: string[],
  env: Record<string, string | undefined>,
): ScriptedInvocation {
  return {
    scenario: valueOf(args, '--scenario') ?? env['RALPH_SCENARIO'] ?? null,
    dialect: dialectNamed(valueOf(args, '--dialect')),
    calledAs: dialectNamed(ALIASES[nameOf(program)] ?? nameOf(program)),
    resume: valueOf(args, '--resume', '--session', '--session-id', 'resume') ?? env['RALPH_CONVERSATION'] ?? null,
    model: valueOf(args, '--model', '-m') ?? env['RALPH_MODEL'] ?? null,
    format: valueOf(args, '--output-format') ?? (args.includes('-p') ? 'text' : null),
    usageFile: valueOf(args, '--usage-output-file'),
    wantsVersion: args.includes('--version'),
    vendorArgs: args.filter((word, index) => !OWN.includes(word) && !OWN.includes(args[index - 1] ?? '')),
  }
}

const OWN = ['--scenario', '--dialect']

/** Cursor's program has two names, neither of them Cursor's. */
const ALIASES: Record<string, DialectName> = { 'cursor-agent': 'cursor', agent: 'cursor' }

function nameOf(program: string): string {
  return basename(program).replace(/\.(mjs|js|cmd|exe)$/, '')
}

/** `--flag value` or `--flag=value`; codex's `resume ID` is a word without dashes. */
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
