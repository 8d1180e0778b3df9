/**
 * The other commands of bash Ralph, which users' scripts still call: same names, flags and exit codes, implemented by the new
 * commands. Each `bin/ralph-….cjs` calls the program with its old name as the first word.
 */
import { messageOf, RalphError } from '../../../core/error.ts'
import { VERSION } from '../../version.ts'
import type { Io } from '../framework/io.ts'
import { parseFlagValues, type RawFlags } from '../framework/flag-values.ts'
import { LEGACY_EXIT_CODES, type LegacyCommand } from './legacy-command.ts'
import { refusedFlagError } from '../../../config/unsupported.ts'

const LOADERS: Record<string, () => Promise<{ program: LegacyCommand }>> = {
  'ralph-enable': async () => ({ program: (await import('./enable.ts')).enableCommand }),
  'ralph-enable-ci': async () => ({ program: (await import('./enable.ts')).enableCiCommand }),
  'ralph-import': () => import('./import.ts'),
  'ralph-migrate': async () => ({ program: (await import('./setup-migrate-stats.ts')).migrateCommand }),
  'ralph-monitor': () => import('./monitor.ts'),
  'ralph-setup': async () => ({ program: (await import('./setup-migrate-stats.ts')).setupCommand }),
  'ralph-stats': async () => ({ program: (await import('./setup-migrate-stats.ts')).statsCommand }),
}

export async function runLegacyCommand(name: string, words: string[], io: Io): Promise<number> {
  const load = LOADERS[name]
  if (load === undefined) throw new RalphError('usage', `there is no command "${name}"`, { hint: 'See: ralph --help' })
  const { program } = await load()
  if (words.includes('--help') || words.includes('-h')) {
    io.out(`${program.usage.trim()}\n`)
    return LEGACY_EXIT_CODES.done
  }
  if (words.includes('--version') || words.includes('-v')) {
    io.out(`${name} version ${VERSION}\n`)
    return LEGACY_EXIT_CODES.done
  }
  try {
    return await program.run(readWords(program, words), io)
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
    return report(error, { name, program, json: words.includes('--json') }, io)
  }
}

function readWords(program: LegacyCommand, words: string[]): Parameters<LegacyCommand['run']>[0] {
  const args: string[] = []
  const said: RawFlags = new Map()
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (!word.startsWith('-') || word === '-') {
      args.push(word)
      continue
    }
    const [, name = '', inline] = /^--?([^=]+)(?:=(.*))?$/s.exec(word) ?? []
    const flag = Object.hasOwn(program.flags, name) ? program.flags[name] : undefined
    if (flag !== undefined && flag.value === undefined && inline === undefined) said.set(name, [true])
    else if (flag?.value !== undefined) {
      const value = inline ?? words[at + 1]
      if (value === undefined || (inline === undefined && value.startsWith('-')))
        throw new RalphError('usage', `--${name} requires a value`)
      said.set(name, [value])
      if (inline === undefined) at += 1
    } else throw refusedFlagError(word) ?? new RalphError('usage', `Unknown option: ${word}`)
  }
  const extra = args[program.args]
  if (extra !== undefined) throw new RalphError('usage', `Unknown argument: ${extra}`)
  return { args, flags: parseFlagValues(program.flags, said) }
}

function report(
  error: RalphError,
  { name, program, json }: { name: string; program: LegacyCommand; json: boolean },
  io: Io,
): number {
  const { exits } = program
  const code = error.code === 'usage' || error.code === 'not-offered' ? exits.usage : exits.error
  if (json) io.err(`${JSON.stringify({ error: messageOf(error), code })}\n`)
  else {
    io.err(`${name}: ${messageOf(error)}\n`)
    if (error.hint !== undefined) io.err(`  ${error.hint}\n`)
    if (error.code === 'usage') io.err(`\n${program.usage.trim()}\n`)
  }
  return code
}
