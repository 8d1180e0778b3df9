/** The rooms: who may import whom, and what only `system` may touch. The table is the one in ARCHITECTURE.md. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const SRC = join(import.meta.dirname, '..', 'src')

const MAY_IMPORT: Record<string, string[]> = {
  domain: [],
  compat: ['domain'],
  judge: ['domain'],
  system: ['domain'],
  config: ['domain', 'compat', 'system'],
  agents: ['domain', 'system'],
  store: ['domain', 'system'],
  workspace: ['domain', 'judge', 'system'],
  sources: ['domain', 'compat', 'system'],
  watch: ['domain', 'compat', 'judge', 'system', 'config', 'agents', 'store', 'workspace', 'sources'],
  listeners: ['domain', 'compat', 'judge', 'system', 'config', 'agents', 'store', 'workspace', 'sources'],
  engine: [
    'domain',
    'compat',
    'judge',
    'system',
    'config',
    'agents',
    'store',
    'workspace',
    'sources',
    'listeners',
  ],
  desk: ['domain', 'compat', 'judge', 'system', 'config', 'agents', 'store', 'workspace', 'sources'],
  ui: ['domain', 'system', 'config', 'desk', 'watch', 'listeners', 'engine'],
  // The public door.
  'index.ts': ['domain', 'config', 'watch', 'engine'],
}

/** Programs of their own that happen to live in a room: the scripted agent stands where a vendor's program stands. */
const PROGRAMS = ['agents/scripted/']

const files = sourceFiles(SRC)

describe('rooms', () => {
  test.each(files)('%s imports only what its room may', (file) => {
    const wrong = importsOf(file)
      .filter((target) => target.startsWith('.'))
      .map((target) => relative(SRC, resolve(SRC, dirname(file), target)))
      .filter(
        (target) =>
          roomOf(target) !== roomOf(file) && !(MAY_IMPORT[roomOf(file)] ?? []).includes(roomOf(target)),
      )
    expect(
      wrong,
      `${roomOf(file)} may import ${MAY_IMPORT[roomOf(file)]?.join(', ') || 'nothing'}; move the line to the room it belongs to`,
    ).toEqual([])
  })

  test('no vendor file imports another', () => {
    const vendors = new Set(
      ['claude', 'codex', 'opencode', 'gemini', 'copilot', 'cursor', 'plain', 'acp'].map(
        (name) => `agents/${name}.ts`,
      ),
    )
    const wrong = files
      .filter((file) => vendors.has(file))
      .flatMap((file) =>
        importsOf(file)
          .map((target) => relative(SRC, resolve(SRC, dirname(file), target)))
          .filter((target) => vendors.has(target))
          .map((target) => `${file} → ${target}`),
      )
    expect(wrong).toEqual([])
  })

  test('there is no import cycle', () => {
    expect(cycles()).toEqual([])
  })
})

describe('what only system may touch', () => {
  const bans: [RegExp, string][] = [
    [
      /from ['"]node:(child_process|fs|fs\/promises|os|net|http|tls|dgram|worker_threads)['"]/,
      'ask `system` instead of Node',
    ],
    [
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.now\(/,
      'take the time or the chance from a `Clock` or `randomId`',
    ],
    [/\bset(?:Timeout|Interval)\(/, 'wait with `clock.after`'],
  ]
  const watched = files.filter(
    (file) => roomOf(file) !== 'system' && roomOf(file) !== 'ui' && !isProgram(file),
  )

  test.each(watched)('%s', (file) => {
    const text = readFileSync(join(SRC, file), 'utf8')
    const broken = bans.filter(([pattern]) => pattern.test(text)).map(([, remedy]) => remedy)
    expect(broken).toEqual([])
  })

  test('domain, compat and judge name no Node module at all', () => {
    const pure = files.filter((file) => ['domain', 'compat', 'judge'].includes(roomOf(file)))
    expect(
      pure.flatMap((file) =>
        importsOf(file)
          .filter((target) => target.startsWith('node:'))
          .map((target) => `${file}: ${target}`),
      ),
    ).toEqual([])
  })
})

test('read commands never load the engine', () => {
  const wrong = files
    .filter((file) => file.startsWith('desk/'))
    .filter((file) =>
      importsOf(file).some((target) =>
        resolve(SRC, dirname(file), target).includes(`${join(SRC, 'engine')}/`),
      ),
    )
  expect(wrong).toEqual([])
})

test('there are no barrels but src/index.ts', () => {
  expect(files.filter((file) => file.endsWith('/index.ts'))).toEqual([])
})

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        entry.name.endsWith('.ts') &&
        !entry.name.endsWith('.test.ts') &&
        entry.name !== 'test-kit.ts',
    )
    .map((entry) => relative(SRC, join(entry.parentPath, entry.name)))
}

function roomOf(file: string): string {
  return file.split('/')[0] ?? ''
}

function isProgram(file: string): boolean {
  return PROGRAMS.some((folder) => file.startsWith(folder)) || file === 'index.ts'
}

function importsOf(file: string): string[] {
  // Type imports count for rooms too, so a pattern over the source says more than a parser of the compiled file.
  const text = readFileSync(join(SRC, file), 'utf8')
  const statics = [...text.matchAll(/^\s*(?:import|export)\s[^'"]*?from\s+['"]([^'"]+)['"]/gm)].map(
    (match) => match[1] ?? '',
  )
  const bare = [...text.matchAll(/^\s*import\s+['"]([^'"]+)['"]/gm)].map((match) => match[1] ?? '')
  const lazy = [...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)].map((match) => match[1] ?? '')
  return [...statics, ...bare, ...lazy]
}

/** Only imports that exist at run time can make a cycle. */
function runtimeImportsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8')
  return [...text.matchAll(/^\s*(?:import|export)\s(?!type\s)[^'"]*?from\s+['"](\.[^'"]+)['"]/gm)]
    .map((match) => relative(SRC, resolve(SRC, dirname(file), match[1] ?? '')))
    .filter((target) => files.includes(target))
}

function cycles(): string[] {
  const graph = new Map(files.map((file) => [file, runtimeImportsOf(file)]))
  const done = new Set<string>()
  const found: string[] = []
  const walk = (file: string, path: string[]): void => {
    if (path.includes(file)) {
      found.push([...path.slice(path.indexOf(file)), file].join(' → '))
      return
    }
    if (done.has(file)) return
    done.add(file)
    for (const target of graph.get(file) ?? []) walk(target, [...path, file])
  }
  for (const file of files) walk(file, [])
  return found
}
