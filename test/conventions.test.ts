/**
 * The rooms: who may import whom, what only `system` may touch, and how large things may grow. The table is the one in ARCHITECTURE.md.
 * Lists of exceptions may only shrink: what is mended must be taken off them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { describe, expect, test } from 'vitest'
import { KNOWN_AGENTS } from '../src/core/calls/known-agents.ts'

const ROOT = join(import.meta.dirname, '..')
const SRC = join(ROOT, 'src')

const MAY_IMPORT: Record<string, string[]> = {
  core: [],
  compat: ['core'],
  protection: ['core'],
  system: ['core'],
  config: ['core', 'compat', 'system'],
  agents: ['core', 'system'],
  mcp: ['core', 'system'],
  store: ['core', 'system'],
  workspace: ['core', 'protection', 'system'],
  sources: ['core', 'compat', 'system'],
  watch: ['core', 'protection', 'system', 'config', 'agents', 'store', 'workspace', 'sources'],
  listeners: ['core', 'compat', 'protection', 'system', 'config', 'agents', 'store', 'workspace', 'sources'],
  engine: ['core', 'protection', 'system', 'config', 'agents', 'store', 'workspace', 'sources', 'listeners'],
  app: ['core', 'compat', 'protection', 'system', 'config', 'agents', 'store', 'workspace', 'sources'],
  ui: ['core', 'system', 'config', 'mcp', 'app', 'watch', 'listeners', 'engine'],
  // The public door.
  'index.ts': ['core', 'config', 'watch', 'engine'],
}

/** Who may import `compat`: `app/project` sets projects up and migrates them. */
const COMPAT_USERS = ['compat/', 'config/', 'sources/', 'listeners/', 'app/import/', 'app/project/']

/** Who else imports `compat`, and why. May only shrink. */
const OTHER_COMPAT_USERS: Record<string, string> = {
  'app/bash-commands/bash-status.ts': 'answers the flags of the bash tool with its own `status.json`',
  'app/steer/breaker-and-conversation.ts': 'a reset by hand updates the state files of the bash tool',
}

/** Where the programs and the library begin. */
const QUICK = ['status', 'runs', 'stats', 'task-list'].map((name) => `ui/cli/quick/${name}.ts`)
const ENTRIES = ['ui/cli/bin.ts', ...QUICK, 'mcp/main.ts', 'index.ts']

/** What `npm run docs` begins with. */
const PAGES = ['agents/capability-table.ts', 'config/settings-page.ts', 'ui/cli/framework/commands-page.ts']

const files = sourceFiles(SRC)
const texts = new Map(files.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]))

describe('rooms', () => {
  test.each(files)('%s imports only what its room may', (file) => {
    const wrong = targetsOf(file).filter(
      (target) => roomOf(target) !== roomOf(file) && !(MAY_IMPORT[roomOf(file)] ?? []).includes(roomOf(target)),
    )
    expect(
      wrong,
      `${roomOf(file)} may import ${MAY_IMPORT[roomOf(file)]?.join(', ') || 'nothing'}; move the line to the room it belongs to`,
    ).toEqual([])
  })

  test('only importers, settings, sources and listeners know other tools by their formats', () => {
    const importing = files
      .filter((file) => !COMPAT_USERS.some((part) => file.startsWith(part)))
      .filter((file) => targetsOf(file).some((target) => roomOf(target) === 'compat'))
    expect(importing.toSorted()).toEqual(Object.keys(OTHER_COMPAT_USERS).toSorted())
  })

  test('no vendor file imports another', () => {
    const vendors = new Set([...KNOWN_AGENTS, 'acp'].map((name) => `agents/${name}.ts`))
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

  test('the scripted agent is a program of its own: of src it imports core only', () => {
    const folder = join(ROOT, 'scripted-agent')
    const imported = readdirSync(folder)
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .flatMap((file) => importedBy(readFileSync(join(folder, file), 'utf8')))
      .filter((target) => target.startsWith('..'))
    expect(imported.length).toBeGreaterThan(5)
    expect(imported.filter((target) => !target.startsWith('../src/core/'))).toEqual([])
  })

  test('there is no import cycle', () => {
    expect(cycles()).toEqual([])
  })

  test('folders of the core form no import cycle of values', () => {
    expect(folderCycles()).toEqual(FOLDER_CYCLES)
  })

  test('a stage imports neither workers nor another stage, and only the registry imports a stage', () => {
    const wrong = files.flatMap((file) =>
      targetsOf(file)
        .filter((target) => isForbiddenToStage(file, target))
        .map((target) => `${file} → ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('a program reaches every module: what only a test imports is dead', () => {
    const found = reached()
    expect(files.filter((file) => !found.has(file)).toSorted()).toEqual(UNREACHED.toSorted())
  })

  test('of system, ui uses nothing but the terminal and the signals', () => {
    const wrong = files
      .filter((file) => roomOf(file) === 'ui')
      .flatMap((file) =>
        targetsOf(file)
          .filter((target) => roomOf(target) === 'system')
          .filter((target) => !target.startsWith('system/terminal/') && target !== 'system/signals.ts')
          .map((target) => `${file} → ${target}`),
      )
    expect(wrong).toEqual([])
  })

  test('a run may have any worker: nobody but the bash tool asks for the first', () => {
    const asking = files
      .filter((file) => !file.startsWith('compat/bash/') && /\bworkers\['1'\]/.test(textOf(file)))
      .toSorted()
    expect(asking).toEqual([])
  })

  test.each(Object.entries(READERS))('nobody else takes %s out of the record', (name, reasons) => {
    const taking = new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from '[^']*/record\\.ts'`)
    expect(files.filter((file) => taking.test(textOf(file))).toSorted()).toEqual(Object.keys(reasons).toSorted())
  })
})

/** Who reads rows, and why: a screen that reads more of a longer run becomes slow in its second week. May only shrink. */
const READERS: Record<string, Record<string, string>> = {
  /** Of a whole run. */
  streamAllRows: {
    'app/run/open-record.ts': '`replay` and its check tell every row',
    'app/run/export.ts': '`export` hands every row over',
    'app/run/run-details.ts': '`show RUN ITERATION` folds up to that iteration',
    'app/run/logs.ts': '`logs` tells every row, or those of an iteration with the view they led to',
    'app/undo/traced-changes.ts': '`undo --task` follows one task through the runs that had it',
    'store/run-views.ts': 'another version saved the summary in its own shape',
  },
  /** After one that is known. */
  streamRowsAfter: {
    'store/digests.ts': 'after the last digest',
    'app/run/history.ts': 'of the iterations that are looked at',
    'app/report-page/iteration-trees.ts': 'of the newest iterations, for their diffs on the HTML page',
    'app/bash-commands/bash-status.ts': 'after what was kept of the past, or of the last call',
    'listeners/bash-files/bash-files-history.ts': 'after what was kept of the past',
  },
  /** A page. */
  loadRowsAfter: { 'watch/watch.ts': 'whoever watches reads on where it was' },
}

/** Knots of folders that import each other. May only shrink. */
const FOLDER_CYCLES: string[] = []

const REGISTRY = 'core/stages/stages.ts'

/** `core/stages/work/evaluate-task-iteration.ts` → `work`; null: it is no part of a stage. */
function stageIn(file: string): string | null {
  return /^core\/stages\/([^/]+)\/./.exec(file)?.[1] ?? null
}

function isForbiddenToStage(file: string, target: string): boolean {
  const stage = stageIn(file)
  const other = stageIn(target)
  if (other !== null && other !== stage) return file !== REGISTRY
  return stage !== null && (target.startsWith('core/workers/') || target === REGISTRY)
}

/** May only shrink. */
const UNREACHED: string[] = []

describe('nothing grows too large', () => {
  const FILES_MAX = 20
  const LINES_MAX = 70

  test('a folder has at most twenty files of code', () => {
    const folders = [...new Set(files.map((file) => dirname(file)))]
    const sizeOf = (folder: string): number => files.filter((file) => dirname(file) === folder).length
    const large = folders.filter((folder) => sizeOf(folder) > FILES_MAX)
    expect(large).toEqual([])
  })

  test('a function fits on a screen and a half', () => {
    const long = files.flatMap((file) => functionsOver(LINES_MAX, file).map((name) => `${file}: ${name}`))
    expect(long.toSorted()).toEqual(LONG_FUNCTIONS.toSorted())
  })
})

/** May only shrink. */
const LONG_FUNCTIONS = [
  'listeners/bash-files.ts: openBashFileWriter',
  'agents/transport/output-reader.ts: shapedReader',
  'app/project/init.ts: initProject',
  'core/agent-output/json-object-scan.ts: createJsonObjectScan',
  'core/agent-output/json-stream.ts: createJsonStreamReader',
  'engine/handlers/run-gate.ts: runGateHandler',
  'engine/handlers/classify-changes.ts: classifyChangesHandler',
  'store/db/sqlite.ts: openSqlite',
  'watch/watch.ts: watching',
  'workspace/classify-completion.ts: classifyCompletion',
]

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
  const watched = files.filter((file) => !['system', 'ui', 'index.ts'].includes(roomOf(file)))

  test.each(watched)('%s', (file) => {
    const text = textOf(file)
    const broken = bans.filter(([pattern]) => pattern.test(text)).map(([, retryPolicy]) => retryPolicy)
    expect(broken).toEqual([])
  })

  test('nobody else names the process, but where a program begins', () => {
    const naming = files
      .filter((file) => roomOf(file) !== 'system' && !ENTRIES.includes(file))
      .filter((file) => /\bprocess\.(?!ts\b)[a-z]|['"]node:process['"]/.test(withoutComments(file)))
    expect(naming).toEqual([])
  })

  test('core, compat, protection and the format of the Rust tool name no Node module at all', () => {
    const pure = files.filter(
      (file) => ['core', 'compat', 'protection'].includes(roomOf(file)) || file.startsWith('sources/rust-db/'),
    )
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
    .filter((file) => ['app', 'watch'].includes(roomOf(file)))
    .filter((file) => targetsOf(file).some((target) => roomOf(target) === 'engine'))
  expect(wrong).toEqual([])
})

test('no file of workspace keeps something of its own: workers in other trees would share it', () => {
  const kept = /^(?:export )?(?:let |const \w+ = new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\))/m
  const wrong = files
    .filter((file) => roomOf(file) === 'workspace')
    .filter((file) => kept.test(readFileSync(join(SRC, file), 'utf8')))
  expect(wrong).toEqual([])
})

test('only the bash tool has one worker for ever: whoever shows one asks `focus`', () => {
  const wrong = files
    .filter((file) => !file.startsWith('compat/bash/'))
    .filter((file) =>
      /workers(?:\[|\.)['"]?1\b|[wW]orker\b[^\n]{0,20}(?:\?\?|===|:) '1'/.test(readFileSync(join(SRC, file), 'utf8')),
    )
  expect(wrong).toEqual([])
})

test('JSON has one reader: nobody else parses it', () => {
  const parsing = files.filter((file) => /\bJSON\.parse\b/.test(withoutComments(file)))
  expect(parsing).toEqual(['core/text/json.ts'])
})

test('there are no barrels but src/index.ts', () => {
  expect(files.filter((file) => file.endsWith('/index.ts'))).toEqual([])
})

test('the glossary has the words that exist: each stands in the source, as a name or in a sentence', () => {
  // `openLongLivedGit`, `long-lived-git` and "a long-lived git" are the same words.
  const said = [...texts.values()]
    .join('\n')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_]/g, ' ')
    .toLowerCase()
  const heads = [...page('GLOSSARY.md').matchAll(/^\| ([^|]+?) \|/gm)]
    .flatMap(([, head = '']) => head.replaceAll(/\(.*?\)/g, '').split(/[/,]/))
    .map((head) => head.trim().replaceAll('-', ' ').toLowerCase())
    .filter((head) => head !== 'word' && !/^ *$/.test(head))
  expect(heads.length).toBeGreaterThan(40)
  expect(heads.filter((head) => !new RegExp(`\\b${head}s?\\b`).test(said))).toEqual([])
})

test('every file of ours that the pages name is there', () => {
  const rooms = Object.keys(MAY_IMPORT).filter((room) => room !== 'index.ts')
  const folders = ['src', 'scripted-agent', 'test', 'scripts', 'bin', 'assets']
  const path = new RegExp(`^(?:${[...rooms, ...folders].join('|')})/[\\w./-]*$|^[\\w.-]+\\.(?:ts|mjs|cjs|sql)$`)
  const pages = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'GLOSSARY.md', 'README.md', ...guides()]
  const named = pages.flatMap((name) =>
    [...page(name).matchAll(/`([^`\n]+)`/g)]
      .filter(([, word = '']) => path.test(word))
      .map(([, word = '']) => `${name}: ${word}`),
  )
  expect(named.length).toBeGreaterThan(100)
  const ours = folders.flatMap((folder) => [
    `/${folder}`,
    ...readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((one) => `/${folder}/${one}`),
  ])
  // A page may leave out `src`, or all but the name of a file that it has just spoken of.
  const isThere = (word: string): boolean =>
    ours.some((one) => [`/${word}`, `/${word}.ts`].some((end) => one.endsWith(end.replace(/\/$/, ''))))
  expect(named.filter((one) => !isThere(one.slice(one.indexOf(': ') + 2)))).toEqual([])
})

function page(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8')
}

function guides(): string[] {
  return readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name))
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => relative(SRC, join(entry.parentPath, entry.name)))
}

function roomOf(file: string): string {
  return file.split('/')[0] ?? ''
}

function textOf(file: string): string {
  return texts.get(file) ?? ''
}

function withoutComments(file: string): string {
  return textOf(file)
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '')
}

/** Our own modules that it imports, in whatever way. */
function targetsOf(file: string): string[] {
  return importsOf(file)
    .filter((target) => target.startsWith('.'))
    .map((target) => relative(SRC, resolve(SRC, dirname(file), target)))
}

function reached(): Set<string> {
  const found = new Set<string>()
  const walk = (file: string): void => {
    if (found.has(file)) return
    found.add(file)
    targetsOf(file).forEach(walk)
  }
  for (const entry of [...ENTRIES, ...PAGES]) walk(entry)
  return found
}

interface Node {
  type: string
  start: number
  end: number
  id?: { name?: string } | null
  key?: { name?: string }
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

/** Functions of more lines than this, by their own name or that of what holds them. */
function functionsOver(max: number, file: string): string[] {
  const text = textOf(file)
  const found: string[] = []
  const walk = (node: unknown, lockOwner: string): void => {
    if (typeof node !== 'object' || node === null) return
    if (Array.isArray(node)) return node.forEach((one) => walk(one, lockOwner))
    const { type, start, end, id, key } = node as Node
    const name = id?.name ?? key?.name ?? lockOwner
    if (FUNCTIONS.has(type) && text.slice(start, end).split('\n').length > max) found.push(name)
    for (const below of Object.values(node)) walk(below, name)
  }
  // A file that is no longer than this has no such function.
  if (text.split('\n').length > max) walk(parseAst(text, { lang: 'ts' }, file).body, '')
  return found
}

function importsOf(file: string): string[] {
  return importedBy(textOf(file))
}

function importedBy(text: string): string[] {
  // Type imports count for rooms too, so a pattern over the source says more than a parser of the compiled file.
  const statics = [...text.matchAll(/^\s*(?:import|export)\s[^'"]*?from\s+['"]([^'"]+)['"]/gm)].map(
    (match) => match[1] ?? '',
  )
  const bare = [...text.matchAll(/^\s*import\s+['"]([^'"]+)['"]/gm)].map((match) => match[1] ?? '')
  const lazy = [...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)].map((match) => match[1] ?? '')
  return [...statics, ...bare, ...lazy]
}

/** Only imports that exist at run time can make a cycle. */
function runtimeImportsOf(file: string): string[] {
  const text = textOf(file)
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

/** Folders of the core that reach themselves by imports of values. A folder counts with those inside it, but each stage is its own. */
function folderCycles(): string[] {
  const graph = new Map<string, Set<string>>()
  for (const file of files.filter((one) => one.startsWith('core/'))) {
    const targets = runtimeImportsOf(file).filter((target) => target.startsWith('core/'))
    const others = targets.map(folderOf).filter((folder) => folder !== folderOf(file))
    graph.set(folderOf(file), new Set([...(graph.get(folderOf(file)) ?? []), ...others]))
  }
  const reach = (from: string, seen: Set<string>): Set<string> => {
    for (const next of graph.get(from) ?? []) if (!seen.has(next)) reach(next, seen.add(next))
    return seen
  }
  const knots = [...graph.keys()].flatMap((folder) => {
    const found = reach(folder, new Set())
    if (!found.has(folder)) return []
    return [
      [...found]
        .filter((other) => reach(other, new Set()).has(folder))
        .toSorted()
        .join(' ⇄ '),
    ]
  })
  return [...new Set(knots)].toSorted()
}

/** A file at the top of the core is its own. */
function folderOf(file: string): string {
  const [, folder = '', below = ''] = file.split('/')
  return folder === 'stages' && stageIn(file) !== null ? `stages/${below}` : folder
}
