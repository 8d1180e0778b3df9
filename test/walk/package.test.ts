/** The package as a stranger gets it: what is in it, and its types in a project that imports it. */
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

test('the package has at most 150 files, and whatever package.json names is among them', () => {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const { stdout } = spawnSync(npm, ['pack', '--dry-run', '--json', '--ignore-scripts'], {
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
  expect(paths.length).toBeLessThanOrEqual(150)
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

test('ralph help prints the guide about exit codes, as wide as a pipe', async () => {
  const g = await testProject()
  const { code, stdout } = await g.ralph(['help', 'exit-codes'])
  const guide = readFileSync(join(ROOT, 'docs', 'guide', 'exit-codes.md'), 'utf8')
  const numbers = [...guide.matchAll(/^\| ([\d, ]+) \|/gm)].map(([, number]) => number)
  const shown = stdout.split('\n').flatMap((line) => /^ {2}(\d[\d, ]*?) {2,}/.exec(line)?.[1] ?? [])
  expect([code, shown.length > 5, shown]).toEqual([0, true, numbers])
  expect(stdout.split('\n').filter((line) => line.length > 80 || /[`|]|\]\(/.test(line))).toEqual([])
  expect((await g.ralph(['--help'])).stdout).toContain('ralph help exit-codes')
})

test('ralph help of a command is its --help, and of nothing known a suggestion', async () => {
  const g = await testProject()
  expect(await g.ralph(['help', 'status'])).toEqual(await g.ralph(['status', '--help']))
  expect(await g.ralph(['help', 'exitcodes'])).toMatchObject({
    code: 2,
    stderr: 'ralph: there is no command or page "exitcodes"\n       Did you mean: ralph help exit-codes?\n',
  })
  expect((await g.ralph(['help', 'statsu'])).stderr).toContain('Did you mean: ralph help status?')
})

/** Both ways: whatever the sources say is what the package says, no more and no less. */
const CONSUMER = `import * as ralph from 'ralph'
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
  symlinkSync(ROOT, join(folder, 'node_modules', 'ralph'))
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
