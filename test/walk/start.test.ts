/** How the program starts: the launcher in `bin`, with and without what the build laid beside the bundle. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'

const ROOT = dirname(dirname(import.meta.dirname))
const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string
  engines: { node: string }
}

/** The package as it is installed, in a folder of its own. */
function installed({ dist }: { dist: boolean }): string {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-installed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['bin', 'package.json', 'assets', ...(dist ? ['dist'] : [])])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

function ralph(folder: string, words: string[], node: string[] = []) {
  const argv = [...node, join(folder, 'bin', 'ralph.cjs'), ...words]
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd: folder, encoding: 'utf8' })
  return { code: status, stdout, stderr }
}

describe('ralph --version', () => {
  test.each(['--version', '-V', 'version'])('%s is answered without the program', (word) => {
    expect(ralph(installed({ dist: false }), [word])).toEqual({
      code: 0,
      stdout: `${PACKAGE.version}\n`,
      stderr: '',
    })
  })
})

test.each(readdirSync(join(ROOT, 'bin')).filter((name) => name.endsWith('.cjs')))(
  'an old Node is told by %s which one is needed',
  (name) => {
    const folder = installed({ dist: false })
    const old = join(folder, 'old.cjs')
    writeFileSync(
      old,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } })\n`,
    )
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--require', old, join(folder, 'bin', name), '--version'],
      { encoding: 'utf8' },
    )
    const floor = PACKAGE.engines.node.replace('>=', '')
    expect([status, stderr]).toEqual([
      1,
      `Ralph needs Node ${floor} or newer, and this is 18.20.4: install one from nodejs.org.\n`,
    ])
  },
)

describe("V8's code cache", () => {
  test('fits the Node that built it', () => {
    const bundle = join(ROOT, 'dist', 'cli.cjs')
    const look = `const { readFileSync } = require('fs')
      const source = require('module').wrap(readFileSync(${JSON.stringify(bundle)}, 'utf8'))
      const cachedData = readFileSync(${JSON.stringify(`${bundle}.cache`)})
      console.log(new (require('vm').Script)(source, { cachedData }).cachedDataRejected)`
    expect(spawnSync(process.execPath, ['-e', look], { encoding: 'utf8' }).stdout).toBe('false\n')
  })

  const spoilt: [string, (file: string) => void][] = [
    ['is missing', (file) => rmSync(file)],
    ['is no cache at all', (file) => writeFileSync(file, 'not a cache')],
    ['was cut off', (file) => writeFileSync(file, readFileSync(file).subarray(0, 5_000))],
  ]
  test.each(spoilt)('that %s changes nothing', (_, spoil) => {
    const folder = installed({ dist: true })
    const whole = ralph(folder, ['status', '--help'])
    spoil(join(folder, 'dist', 'cli.cjs.cache'))
    expect([whole.code, ralph(folder, ['status', '--help'])]).toEqual([0, whole])
  })

  test('of other flags is left alone', () => {
    const folder = installed({ dist: true })
    expect(ralph(folder, ['status', '--help'], ['--no-opt'])).toEqual(ralph(folder, ['status', '--help']))
  })
})

test('an error thrown by a chunk is the error that the program knows', () => {
  // Two copies of the first file would make every error a bug: it is loaded by the launcher and required by the chunks.
  const { code, stdout } = ralph(installed({ dist: true }), ['runs', '--json'])
  expect([code, JSON.parse(stdout)]).toMatchObject([3, { error: 'not-a-project' }])
})
