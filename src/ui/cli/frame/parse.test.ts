import { expect, test } from 'vitest'
import { RalphError } from '../../../domain/error.ts'
import { COMMANDS } from '../table/table.ts'
import { parseLine } from './parse.ts'

const ACCEPT = COMMANDS.find(({ name }) => name === 'accept')

test.each<[string, string[], string | true | undefined, string[]]>([
  ['alone', ['--yes'], true, []],
  ['with a file', ['--yes', 'a'], 'a', []],
  ['again and again', ['--yes', 'a', '-y', 'b', '--yes=c'], 'a\nb\nc', []],
  ['with files that follow', ['--yes', 'a', 'b'], 'a', ['b']],
  ['before another flag', ['--yes', '--no'], true, []],
])('a flag whose value may be left out, %s', (_, words, yes, args) => {
  if (ACCEPT === undefined) throw new Error('there is no such command')
  const input = parseLine(ACCEPT, words)
  expect([input.flags['yes'], input.args]).toEqual([yes, args])
})

test.each([
  ['a slip', 'runs --jsno', 'Did you mean --json?'],
  ['a slip with its value behind it', 'loop --max-iteration=3', 'Did you mean --max-iterations?'],
  ['a beginning', 'runs --lim 3', 'Did you mean --limit?'],
  ['nearly a beginning', 'loop --max-iters 3', 'Did you mean --max-iterations?'],
  ['a long flag behind one dash', 'runs -json', 'Did you mean --json?'],
  ['a switch that is on', 'loop --continue', 'That is so unless you say --no-continue.'],
  ['a switch that is off', 'loop --no-quiet', 'That is so unless you say --quiet.'],
  [
    "another command's",
    'status --grep x',
    'Another command has it: ralph logs --grep. Those of this one: ralph status --help',
  ],
  ["nobody's", 'status --xylophone', 'See: ralph status --help'],
])('a flag that is none: %s', (_, line, hint) => {
  const [name = '', ...words] = line.split(' ')
  const command = COMMANDS.find((one) => one.name === name)
  if (command === undefined) throw new Error('there is no such command')
  let thrown: unknown = null
  try {
    parseLine(command, words)
  } catch (error) {
    thrown = error
  }
  expect(thrown instanceof RalphError ? [thrown.code, thrown.hint] : thrown).toEqual(['usage', hint])
})
