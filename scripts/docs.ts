/** Writes docs/settings.md, docs/commands.md and the guide's table of agents, or with `--check` says whether they are stale. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { guideWithCapabilityTable } from '../src/agents/capability-table.ts'
import { renderSettingsPage } from '../src/config/settings-page.ts'
import { EXIT } from '../src/core/error.ts'
import { renderCommandsPage } from '../src/ui/cli/framework/commands-page.ts'

const AGENTS = 'docs/guide/agents.md'

const PAGES: Record<string, () => string> = {
  'docs/settings.md': renderSettingsPage,
  'docs/commands.md': renderCommandsPage,
  [AGENTS]: () => guideWithCapabilityTable(current(AGENTS) ?? ''),
}
const check = process.argv.includes('--check')

let stale = 0
for (const [path, page] of Object.entries(PAGES)) {
  const wanted = page()
  if (current(path) === wanted) continue
  if (check) {
    console.error(`${path} is stale; write it anew with: npm run docs`)
    stale += 1
  } else {
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, wanted)
    console.log(`wrote ${path}`)
  }
}
process.exitCode = stale === 0 ? EXIT.done : EXIT.error

function current(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
