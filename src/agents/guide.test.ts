/** The guide's table of capabilities says what the drivers declare. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { acpDriver } from './acp.ts'
import type { Driver } from './driver.ts'
import { allDrivers } from './registry.ts'

test('docs/guide/agents.md tells of every driver what it can do', () => {
  const guide = readFileSync(new URL('../../docs/guide/agents.md', import.meta.url), 'utf8')
  const names = Object.keys(allDrivers()[0]?.capabilities ?? {})
  const rows = allDrivers().map((driver) => rowOf(driver, { name: driver.name, program: driver.program }))
  const acp = rowOf(acpDriver('acp:any'), { name: 'acp:…', program: '' })
  expect(tableIn(guide)).toEqual([
    ['agent', 'program', ...names, 'in flight'],
    ...rows.slice(0, -1),
    acp,
    ...rows.slice(-1),
  ])
})

function rowOf(driver: Driver, { name, program }: { name: string; program: string }): string[] {
  const can = Object.values<string>({ ...driver.capabilities })
  return [name, program === '' ? 'yours' : `\`${program}\``, ...can, driver.inFlight]
}

/** The first table of the page, without its rule. */
function tableIn(guide: string): string[][] {
  const lines = guide.split('\n')
  const from = lines.findIndex((line) => line.startsWith('| agent '))
  const to = lines.findIndex((line, at) => at > from && !line.startsWith('|'))
  return lines
    .slice(from, to)
    .filter((line) => !line.startsWith('|---'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}
