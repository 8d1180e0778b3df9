/** Every statement of this room, read as text: Postgres must take it as SQLite does. Three points differ, and stand in `dialect.ts`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const STORE = join(import.meta.dirname, '..')

/** What only SQLite has to hear: its own connection, its file, its migrations. */
const SQLITE_ONLY = new Set(['db/sqlite.ts', 'db/open.ts', 'db/migrate.ts', 'db/writers.ts', 'db/dialect.ts'])

const REFUSED: [string, RegExp][] = [
  ['a hint to the planner', /\bindexed by\b/i],
  ['insert or …', /\binsert or\b/i],
  ['replace into', /\breplace into\b/i],
  ['max or min of two values', /\b(?:max|min)\s*\([^()]*,/i],
  ['a search in text', /\b(?:like|glob|match)\b/i],
  ['the number of the last row', /\b(?:rowid|last_insert_rowid)\b/i],
  [
    'a function of SQLite',
    /\b(?:json\w*|ifnull|iif|instr|strftime|datetime|julianday|group_concat|total|typeof|printf|unixepoch)\s*\(/i,
  ],
  ['a pragma', /\bpragma\b/i],
  ['a truth that is added up', /\bsum\s*\((?!\s*case\b)[^()]*[=<>]/i],
  ['a numbered placeholder', /\?\d/],
  ['a name that loses its capitals', /\bas [a-z]+[A-Z]/],
]

const files = readdirSync(STORE, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !/test(?:-kit)?\.ts$/.test(file) && !SQLITE_ONLY.has(file))

describe.each(files)('the statements in %s', (file) => {
  test('are for every database', () => {
    const found = statementsIn(readFileSync(join(STORE, file), 'utf8')).flatMap((text) =>
      REFUSED.filter(([, words]) => words.test(text)).map(([what]) => `${what}: ${text}`),
    )
    expect(found).toEqual([])
  })
})

test('there are statements to be read', () => {
  const all = files.flatMap((file) => statementsIn(readFileSync(join(STORE, file), 'utf8')))
  expect(all.length).toBeGreaterThan(80)
})

test.each([
  'select id from tasks indexed by tasks_ready',
  'insert or ignore into meta values (?)',
  'update runs set iterations = max(iterations, ?)',
  "select id from record where event like '%x%'",
  'select sum(settled = 0) from usage',
  "select json_extract(body, '$.do') from requests",
  'select cache_read as cacheRead from usage',
])('this would be found: %s', (text) => {
  expect(REFUSED.some(([, words]) => words.test(text))).toBe(true)
})

/** Quoted texts that begin as a statement does, or as a part of one. */
function statementsIn(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const quoted = code.match(/`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'/g) ?? []
  return quoted
    .map((text) => text.slice(1, -1))
    .filter((text) => /^\s*(?:select|insert|update|delete|with|from|coalesce)\b/i.test(text))
}
