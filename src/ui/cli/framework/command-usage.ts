/** The usage after the name of a command: `[RUN]`, `[list | get KEY | schema]`. */
import { isCommandGroup, type ArgSpec, type Command } from './command.ts'

export function usageOf(command: Command): string {
  if (command.usage !== undefined) return command.usage
  if (!isCommandGroup(command))
    return Object.values(command.args ?? {})
      .map(argWords)
      .join(' ')
  const verbs = command.verbs.map((verb) => usageLine(verb.name, verb)).join(' | ')
  return command.usual === undefined ? verbs : `[${verbs}]`
}

/** `name`: all words of the command's name. */
export function usageLine(name: string, command: Command): string {
  return `${name} ${usageOf(command)}`.trimEnd()
}

function argWords({ says, takes, of }: ArgSpec): string {
  const words = of === undefined ? says : Object.keys(of).join(' | ')
  const several = takes === 'some' || takes === 'many' ? `${words} …` : words
  return takes === 'maybe' || takes === 'many' ? `[${several}]` : several
}
