/** How the program starts: the launcher in `bin`, with and without what the build laid beside the bundle. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { testProject, type TestProject } from '../test-project.ts'

const ROOT = dirname(dirname(import.meta.dirname))
const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string
  engines: { node: string }
}

/** The commands that have a bundle of their own, by their words. */
const QUICK = readdirSync(join(ROOT, 'dist'))
  .filter((file) => file.startsWith('quick-') && file.endsWith('.cjs'))
  .map((file) => file.slice('quick-'.length, -'.cjs'.length))
const BUNDLES = ['cli.cjs', ...QUICK.map((command) => `quick-${command}.cjs`)]

/** The package as it is installed, in a folder of its own. */
function installed({ dist }: { dist: boolean }): string {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-installed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const parts = dist
    ? ['chunks', ...BUNDLES, ...BUNDLES.map((name) => `${name}.cache`)].map((name) => join('dist', name))
    : []
  for (const name of ['bin', 'package.json', 'assets', ...parts])
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
    const folder = mkdtempSync(join(tmpdir(), 'ralph-old-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const old = join(folder, 'old.cjs')
    writeFileSync(
      old,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } })\n`,
    )
    const { status, stderr } = spawnSync(process.execPath, ['--require', old, join(ROOT, 'bin', name), '--version'], {
      encoding: 'utf8',
    })
    const floor = PACKAGE.engines.node.replace('>=', '')
    expect([status, stderr]).toEqual([
      1,
      `Ralph needs Node ${floor} or newer, and this is 18.20.4: install one from nodejs.org.\n`,
    ])
  },
)

describe("V8's code cache", () => {
  test.each(BUNDLES)('of %s fits the Node that built it', (name) => {
    const bundle = join(ROOT, 'dist', name)
    const look = `const { readFileSync } = require('fs')
      const source = readFileSync(${JSON.stringify(bundle)}, 'latin1')
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
    for (const name of BUNDLES) spoil(join(folder, 'dist', `${name}.cache`))
    expect([whole.code, ralph(folder, ['status', '--help'])]).toEqual([0, whole])
  })

  test('of other flags is left alone', () => {
    const folder = installed({ dist: true })
    expect(ralph(folder, ['status', '--help'], ['--no-opt'])).toEqual(ralph(folder, ['status', '--help']))
  })
})

test('an error thrown by a chunk is the error that the program knows', () => {
  // Two copies of the first file would make every error a bug: it is loaded by the launcher and required by the chunks.
  const { code, stdout } = ralph(installed({ dist: true }), ['show', '--json'])
  expect([code, JSON.parse(stdout)]).toMatchObject([3, { error: 'not-a-project' }])
})

describe('commands that many ask every few seconds have a bundle of their own', () => {
  const launcher = readFileSync(join(ROOT, 'bin', 'ralph.cjs'), 'utf8')
  const known = /\/\^\(([\w|-]+)\)\$\/\.test\(name\)/.exec(launcher)

  test('and the launcher knows them', () => {
    expect(known?.[1]?.split('|').toSorted()).toEqual(QUICK.toSorted())
  })

  /** The program as it is, started by a launcher that knows of none of them. */
  function withoutBundles(): string {
    const folder = installed({ dist: true })
    const path = join(folder, 'bin', 'ralph.cjs')
    writeFileSync(path, launcher.replace(known?.[0] ?? '', 'false'))
    return path
  }

  let g: TestProject
  beforeAll(async () => {
    g = await testProject({
      turns: [[{ do: 'status', fields: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } }]],
      until: 'removed',
    })
    await g.ralph(['loop', '--quiet'])
    await g.ralph(['task', 'add', 'one'])
    await g.ralph(['task', 'add', 'two', '--feature', 'f'])
  })
  afterAll(() => g.remove())

  test.each(QUICK)('%s says there what the whole program says, and leaves to it the rest', (command) => {
    const whole = withoutBundles()
    const say = (program: string, words: string[], env: Record<string, string> = {}) => {
      const argv = [program, ...command.split('-'), ...words]
      const done = spawnSync(process.execPath, argv, {
        cwd: g.path,
        env: { ...g.env, ...env },
        encoding: 'utf8',
      })
      return [done.status, done.stdout, done.stderr]
    }
    const quick = join(ROOT, 'bin', 'ralph.cjs')
    // Where only git can tell the repository, the bundle without git has to pass.
    const elsewhere = { GIT_DIR: join(g.path, '.git') }
    for (const [words, env] of [
      [[]],
      [['--json']],
      [['--verbose']],
      [['--nonsense']],
      [['--limit', '1']],
      [['--limit=1', '--json']],
      [['--limit', 'x']],
      [['--feature', 'f', '--ready']],
      [['--json', 'word']],
      [['--limit']],
      [[], elsewhere],
    ] as const)
      expect(say(quick, [...words], env)).toEqual(say(whole, [...words], env))
    expect(say(quick, [])[0]).toBe(0)
    // A file of another tool is read by the whole program alone.
    const other = join(g.path, '.ralphrc')
    onTestFinished(() => rmSync(other))
    writeFileSync(other, 'MAX_CALLS_PER_HOUR=7\n')
    expect(say(quick, ['--json'])).toEqual(say(whole, ['--json']))
  })
})

test('SQLite is found where the package itself would look, if its binary is not in the usual place', async () => {
  const folder = installed({ dist: true })
  rmSync(join(folder, 'node_modules'))
  const modules = (...path: string[]): string => join('node_modules', ...path)
  const own = modules('@photostructure', 'sqlite')
  for (const path of [join(own, 'dist'), join(own, 'package.json'), modules('node-gyp-build')])
    cpSync(join(ROOT, path), join(folder, path), { recursive: true })
  const libc = existsSync('/etc/alpine-release') ? 'musl' : 'glibc'
  cpSync(
    join(ROOT, own, 'prebuilds', `${process.platform}-${process.arch}`, `@photostructure+sqlite.${libc}.node`),
    join(folder, own, 'build', 'Release', 'sqlite.node'),
  )
  const g = await testProject()
  await g.ralph(['loop', '--once', '--quiet'])
  const { status, stdout } = spawnSync(process.execPath, [join(folder, 'bin', 'ralph.cjs'), 'status', '--json'], {
    cwd: g.path,
    env: g.env,
    encoding: 'utf8',
  })
  expect([status, JSON.parse(stdout)]).toMatchObject([0, { is: 'ended', iteration: 1 }])
})
