/** Draws docs/demo.svg, the picture in the README, from a real run of the demo. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drawDemo } from './terminal-picture.ts'

const home = mkdtempSync(join(tmpdir(), 'ralph-picture-'))
try {
  const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: home, COLUMNS: '80', FORCE_COLOR: '1' }
  const output = execFileSync(process.execPath, ['bin/ralph.cjs', 'demo'], { env, encoding: 'utf8' })
  writeFileSync('docs/demo.svg', drawDemo(output))
  console.log('wrote docs/demo.svg')
} finally {
  rmSync(home, { recursive: true, force: true })
}
