import { expect, test } from 'vitest'
import { COMMANDS } from './commands.ts'
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
