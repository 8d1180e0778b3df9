/** Words of a command line: flags, their values, and what is neither. Pure. */

/** The value of the first of these flags: `-C dir`, `-Cdir`, `--prefix dir`, `--prefix=dir`. */
export function flagValue(args: string[], flags: string[]): string | undefined {
  for (const [i, arg] of args.entries()) {
    if (flags.includes(arg)) return args[i + 1]
    const long = flags.find((flag) => flag.startsWith('--') && arg.startsWith(`${flag}=`))
    if (long !== undefined) return arg.slice(long.length + 1)
    const short = flags.find((flag) => flag.length === 2 && !arg.startsWith('--') && arg.startsWith(flag))
    if (short !== undefined) return arg.slice(2)
  }
  return undefined
}

/** Words that are neither flags nor the values of these flags. */
export function withoutFlags(args: string[], valued: string[]): string[] {
  return args.filter((arg, i) => !arg.startsWith('-') && !valued.includes(args[i - 1] ?? ''))
}
