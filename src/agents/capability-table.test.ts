/** The guide's table of capabilities says what the drivers declare. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { guideWithCapabilityTable } from './capability-table.ts'
import { allDrivers } from './registry.ts'

const guide = readFileSync(new URL('../../docs/guide/agents.md', import.meta.url), 'utf8')

test('docs/guide/agents.md tells of every driver what it can do', () => {
  expect(guideWithCapabilityTable(guide)).toBe(guide)
  for (const { name } of allDrivers()) expect(guide).toContain(`\n| ${name} | `)
})

test('a table that went stale is written anew, and nothing else', () => {
  const stale = guide.replace(/^\| codex \|.*\n/m, '').replace('| claude | `claude` | yes', '| claude | `claude` | no')
  expect(stale).not.toBe(guide)
  expect(guideWithCapabilityTable(stale)).toBe(guide)
})
