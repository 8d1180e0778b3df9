/** What a sentence tells somebody to type, there is: every `ralph …` in our texts names a command of the table, and flags that it has. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { COMMANDS } from '../command-table/commands.ts'
import { knownFlags } from './known-flags.ts'

const SRC = join(import.meta.dirname, '..', '..', '..')

/** Behind a quote, a colon or a bracket, where a command to type stands, with the flags that follow it. */
const POINTER = /[`'"(:·] ?ralph ([a-z][a-z-]*)((?: (?:--[a-z-]+|-[a-z]\b|"…"|[A-Z]+|\$\{[^}]*\}|[a-z0-9_.=]+))*)/g

/** Words of other texts: names of programs, sentences that begin so, and what is no row of the table. */
const NO_POINTERS = new Set(['for', 'first', 'help'])

const files = readdirSync(SRC, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
  .map((entry) => relative(SRC, join(entry.parentPath, entry.name)))

test('every command and flag that a text names is there', () => {
  const wrong: string[] = []
  for (const file of files) {
    for (const [pointer, name = '', rest = ''] of readFileSync(join(SRC, file), 'utf8').matchAll(POINTER)) {
      if (NO_POINTERS.has(name)) continue
      const command = COMMANDS.find((one) => one.name === name)
      const flags = command === undefined ? [] : knownFlags(command).map(({ long }) => long)
      const unknown = [...rest.matchAll(/ --([a-z-]+)/g)].some(([, flag = '']) => !flags.includes(flag))
      if (command === undefined || unknown) wrong.push(`${file}: ${pointer}`)
    }
  }
  expect(wrong).toEqual([])
})
