/** The guide's table of what each agent can do, generated from the drivers; a test keeps the page up to date. */
import { createAcpDriver } from './acp.ts'
import type { Driver } from './driver.ts'
import { allDrivers } from './registry.ts'

/** The page with its first table of agents generated again. */
export function guideWithCapabilityTable(guide: string): string {
  return guide.replace(/^\| agent \|.*\n(?:\|.*\n)*/m, () => capabilities())
}

function capabilities(): string {
  const drivers = allDrivers()
  const columns = Object.keys(drivers[0]?.capabilities ?? {})
  const rows = drivers.map((driver) => rowOf(driver.name, driver))
  const last = rows.findIndex(([name]) => name === 'plain')
  // The row for any ACP program comes before the row for any program at all.
  const all = [...rows.slice(0, last), rowOf('acp:…', createAcpDriver('acp:any')), ...rows.slice(last)]
  const head = ['agent', 'program', ...columns, 'in flight']
  return [line(head), `|${head.map(() => '---|').join('')}\n`, ...all.map(line)].join('')
}

function rowOf(name: string, { program, capabilities: can, liveUsage, protocol }: Driver): string[] {
  const started = program === '' || protocol === 'acp' ? 'yours' : `\`${program}\``
  return [name, started, ...Object.values<string>({ ...can }), liveUsage]
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`
}
