/** The package: its files, an installation without the clone, and its types in a project that imports it. */
import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testProject } from '../test-project.ts'

const ROOT = dirname(dirname(import.meta.dirname))
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm'

test('has at most 170 files, and every file that package.json names', () => {
  const { stdout } = spawnSync(NPM, ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }]
  const paths = files.map(({ path }) => path)
  const { bin, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    bin: Record<string, string>
    exports: { '.': Record<string, string> }
  }
  const named = [...Object.values(bin), ...Object.values(exports['.']).map((path) => path.replace('./', ''))]
  expect(named.filter((path) => !paths.includes(path))).toEqual([])
  expect(paths.length).toBeLessThanOrEqual(170)
})

/** The only packages that it needs; from here, because the machine may be offline. */
const NEEDED = ['@photostructure/sqlite', 'node-gyp-build', 'node-addon-api']

/** Packs Ralph and what it needs, and installs that into an empty folder. Returns the folder of its commands. */
function installPackage(): { commands: string; home: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-install-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const from of [ROOT, ...NEEDED.map((name) => join(ROOT, 'node_modules', name))])
    npm(['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], from)
  const home = join(folder, 'home')
  mkdirSync(home)
  const files = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  const offline = ['--offline', '--cache', join(folder, 'cache'), '--ignore-scripts', '--no-audit', '--no-fund']
  npm(['install', '--prefix', home, ...offline, ...files.map((name) => join(folder, name))], home)
  return { commands: join(home, 'node_modules', '.bin'), home }
}

function npm(args: string[], cwd: string): void {
  const { status, stderr } = spawnSync(NPM, args, { cwd, encoding: 'utf8' })
  expect([args[0], status, status === 0 ? '' : stderr]).toEqual([args[0], 0, ''])
}

test('installs from a file and runs without the clone', { timeout: 120_000 }, () => {
  const { commands, home } = installPackage()
  const own = join(home, 'project')
  mkdirSync(own)
  const env = { PATH: `${commands}:${process.env['PATH'] ?? ''}`, HOME: home, TMPDIR: home }
  const ralph = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync('ralph', args, { cwd: own, env, encoding: 'utf8' })
    expect([args, status, stderr]).toEqual([args, 0, ''])
    return stdout
  }
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  expect(ralph('--version')).toBe(`${version}\n`)
  expect(ralph('help')).toContain('Guides (ralph help NAME):')
  expect(ralph('init')).toContain('wrote  .ralph.toml')
  expect(ralph('demo')).toContain('PROVEN DONE')
  const guides = readdirSync(join(ROOT, 'docs', 'guide')).map((name) => name.replace('.md', ''))
  for (const guide of guides.filter((name) => name !== 'false-done'))
    expect(ralph('help', guide).length).toBeGreaterThan(300)
})

test('no two pieces of the program need each other to begin', () => {
  const dist = join(ROOT, 'dist')
  const chunks = readdirSync(join(dist, 'chunks')).map((name) => join('chunks', name))
  const needs = new Map(
    ['cli.cjs', ...chunks].map((file) => {
      const text = readFileSync(join(dist, file), 'utf8').replaceAll(/=>\s*require\([^)]*\)/g, '')
      const names = [...text.matchAll(/require\(["'`](\.[^"'`]+)["'`]\)/g)].map(([, name = '']) => name)
      return [file, names.map((name) => join(dirname(file), name))]
    }),
  )
  const circles: string[] = []
  const walk = (file: string, path: string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    else if (!done.has(file)) for (const next of needs.get(file) ?? []) walk(next, [...path, file])
    done.add(file)
  }
  const done = new Set<string>()
  for (const file of needs.keys()) walk(file, [])
  expect([needs.size > 50, circles]).toEqual([true, []])
})

test('ralph help prints the guide about exit codes at 80 columns', async () => {
  const g = await testProject()
  const { code, stdout } = await g.ralph(['help', 'exit-codes'])
  const guide = readFileSync(join(ROOT, 'docs', 'guide', 'exit-codes.md'), 'utf8')
  const numbers = [...guide.matchAll(/^\| ([\d, ]+) \|/gm)].map(([, number]) => number)
  const shown = stdout.split('\n').flatMap((line) => /^ {2}(\d[\d, ]*?) {2,}/.exec(line)?.[1] ?? [])
  expect([code, shown.length > 5, shown]).toEqual([0, true, numbers])
  expect(stdout.split('\n').filter((line) => line.length > 80 || /[`|]|\]\(/.test(line))).toEqual([])
  expect((await g.ralph(['--help'])).stdout).toMatch(/^ {2}exit-codes +\w/m)
})

test('ralph help of a command is its --help; of an unknown word a suggestion', async () => {
  const g = await testProject()
  expect(await g.ralph(['help', 'status'])).toEqual(await g.ralph(['status', '--help']))
  expect(await g.ralph(['help', 'exitcodes'])).toMatchObject({
    code: 2,
    stderr: 'ralph: there is no command or guide "exitcodes"\n       Did you mean: ralph help exit-codes?\n',
  })
  expect((await g.ralph(['help', 'statsu'])).stderr).toContain('Did you mean: ralph help status?')
})

/** Both ways: whatever the sources say is what the package says, no more and no less. */
const CONSUMER = `import * as ralph from 'ralph-run'
import type * as source from '${join(ROOT, 'src', 'index.ts')}'

type Both<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
const same = <A, B>(_: Both<A, B>): void => undefined

same<ralph.Event, source.Event>(true)
same<ralph.Row, source.Row>(true)
same<ralph.Rules, source.Rules>(true)
same<ralph.RunOptions, source.RunOptions>(true)
same<ralph.RunResult, source.RunResult>(true)
same<ralph.RunWatcher, source.RunWatcher>(true)
same<ralph.Settings, source.Settings>(true)
same<ralph.RunView, source.RunView>(true)
same<ralph.Watch, source.Watch>(true)
same<ralph.ErrorCode, source.ErrorCode>(true)
same<typeof ralph, typeof source>(true)
const error = new ralph.RalphError('usage', 'no', { hint: 'yes' })
export const told: [number, number, string] = [ralph.EXIT.done, error.exit, error.code]
// @ts-expect-error: not just any word
export const wrong: ralph.ErrorCode = 'nonsense'
// @ts-expect-error: what differs would be told
same<ralph.Rules, source.Row>(true)
`

test('its types are those of the sources, in a strict project that checks libraries too', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-consumer-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true })
  symlinkSync(ROOT, join(folder, 'node_modules', 'ralph-run'))
  symlinkSync(join(ROOT, 'node_modules', '@types', 'node'), join(folder, 'node_modules', '@types', 'node'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'index.ts'), CONSUMER)
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
    target: 'es2023',
    lib: ['es2023'],
    module: 'nodenext',
    types: ['node'],
    allowImportingTsExtensions: true,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['index.ts'] }))
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
  expect([status, stdout]).toEqual([0, ''])
})
