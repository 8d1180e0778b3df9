import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { allDrivers } from '../../agents/registry.ts'
import { resolveSettings } from '../../config/resolve.ts'
import { probeAllAgents } from './agents.ts'

const folder = mkdtempSync(join(tmpdir(), 'ralph-matrix-'))
program('claude', 'echo 2.1.0')
program('codex', 'echo codex-cli 0.1.0')
program('my-agent', 'exit 3')
program('speaker', 'echo 1.2.3')
writeFileSync(
  join(folder, '.ralph.toml'),
  `agent = ["acp:speaker --acp", "claude"]
[agents.mine]
command = ["my-agent", "--batch"]
[agents.lost]
command = ["nonsuch"]
`,
)
afterAll(() => rmSync(folder, { recursive: true }))

function program(name: string, does: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${does}\n`)
  chmodSync(join(folder, name), 0o755)
}

test('the matrix holds every agent of ours, the chosen ACP command lines and the user’s own', async () => {
  const env = { PATH: folder, HOME: folder }
  const settings = await resolveSettings({ root: folder, flags: {}, env, home: folder })
  const rows = await probeAllAgents(settings, { root: folder, env })
  const ours = allDrivers().map((driver) => driver.name)
  expect(rows.map(({ name }) => name)).toEqual([...ours, 'acp:speaker --acp', 'mine', 'lost'])
  const facts = rows.map(({ name, installed, version, tooOld, own, chosen, tested, unasked }) => [
    name,
    { installed, version, tooOld, own, chosen, tested, unasked },
  ])
  const absent = {
    installed: false,
    version: null,
    tooOld: false,
    own: false,
    chosen: null,
    tested: 'program',
    unasked: null,
  }
  expect(Object.fromEntries(facts)).toEqual({
    claude: { ...absent, installed: true, version: '2.1.0', chosen: 2 },
    codex: { ...absent, installed: true, version: '0.1.0', tooOld: true },
    opencode: absent,
    gemini: absent,
    copilot: absent,
    cursor: { ...absent, tested: 'tables' },
    plain: absent,
    'acp:speaker --acp': { ...absent, installed: true, chosen: 1, unasked: 'own' },
    mine: { ...absent, installed: true, own: true, unasked: 'own' },
    lost: { ...absent, own: true },
  })
})
