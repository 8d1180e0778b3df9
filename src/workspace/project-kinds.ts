/** How each language shows itself in a folder: its manifest, its package manager, and the commands that go with it. */
import { basename, join } from 'node:path'
import { exists, listFolder, readIfThere } from '../system/files.ts'
import * as read from './read-json.ts'

export interface Found {
  name: string
  run: string
  why: string
}

export interface Kind {
  type: 'javascript' | 'typescript' | 'python' | 'rust' | 'go' | 'java' | 'ruby' | 'php' | 'elixir' | 'dotnet'
  /** As the manifest says. */
  name: string | null
  manager: string | null
  gates: Found[]
  build: string | null
  start: string | null
}

export function kindsIn(root: string): Kind[] {
  const files = look(root)
  const readers = [javascript, python, ruby, php, elixir, dotnet, java, rust, go]
  return readers.map((reader) => reader(files)).filter((kind) => kind !== null)
}

export interface Files {
  names: string[]
  has(name: string): boolean
  /** The first of these that is there. */
  first(...names: string[]): string | undefined
  text(name: string): string
  path(name: string): string
}

export function look(root: string): Files {
  const names = listFolder(root)
  const path = (name: string) => join(root, name)
  return {
    names,
    path,
    has: (name) => exists(path(name)),
    first: (...candidates) => candidates.find((name) => exists(path(name))),
    text(name) {
      try {
        return readIfThere(path(name)) ?? ''
      } catch {
        return '' // a folder of that name, or a file we may not read: then it tells nothing
      }
    },
  }
}

// JavaScript and TypeScript

function javascript(files: Files): Kind | null {
  if (!files.has('package.json')) return null
  const json = read.json(files.text('package.json'))
  const manager = javascriptManager(files, json)
  const scripts = read.record(read.field(json, 'scripts'), read.text)
  const script = (name: string) => (scripts[name] === undefined ? null : runScript(manager, name))
  const isTypeScript = files.has('tsconfig.json') || files.text('package.json').includes('"typescript"')
  return {
    type: isTypeScript ? 'typescript' : 'javascript',
    name: read.text(read.field(json, 'name')),
    manager,
    gates: scriptGates(scripts, manager),
    build: script('build'),
    start: script('start') ?? script('dev'),
  }
}

const LOCKS = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
] as const

function javascriptManager(files: Files, json: unknown): string {
  const named = /^(npm|pnpm|yarn|bun)@/.exec(read.text(read.field(json, 'packageManager')) ?? '')?.[1]
  return named ?? LOCKS.find(([lock]) => files.has(lock))?.[1] ?? 'npm'
}

function runScript(manager: string, script: string): string {
  // `bun test` is bun's own runner, not the script.
  const isShort = manager !== 'bun' && (script === 'test' || script === 'start')
  return isShort ? `${manager} ${script}` : `${manager} run ${script}`
}

/** Names under which scripts of one purpose go; the first that exists is taken. */
const PURPOSES: [name: string, scripts: string[]][] = [
  ['test', ['test']],
  ['typecheck', ['typecheck', 'type-check', 'check-types', 'tsc']],
  ['lint', ['lint']],
  ['build', ['build']],
]

function scriptGates(scripts: Record<string, string>, manager: string): Found[] {
  return PURPOSES.flatMap(([name, candidates]) => {
    const script = candidates.find((candidate) => isUseful(scripts[candidate]))
    if (script === undefined) return []
    const quiet = waitsForKeys(scripts[script] ?? '') ? 'CI=true ' : ''
    return [
      { name, run: `${quiet}${runScript(manager, script)}`, why: `package.json has the script "${script}"` },
    ]
  })
}

/** npm writes a test script that only says there is none; a watcher never ends. */
function isUseful(script: string | undefined): boolean {
  return script !== undefined && !/no test specified|--watch(All)?(?!=false)\b/.test(script)
}

function waitsForKeys(script: string): boolean {
  return /react-scripts test|craco test/.test(script)
}

// Python

function python(files: Files): Kind | null {
  const project = files.text('pyproject.toml')
  const manifest = files.first(
    'pyproject.toml',
    'setup.py',
    'setup.cfg',
    'requirements.txt',
    'Pipfile',
    'tox.ini',
  )
  if (manifest === undefined) return null
  const [manager, prefix] = pythonManager(files)
  return {
    type: 'python',
    name:
      tomlName(project, ['project', 'tool.poetry']) ??
      /name\s*=\s*['"]([^'"]+)/.exec(files.text('setup.py'))?.[1] ??
      null,
    manager,
    gates: pythonGates(files, prefix),
    build: manager === 'uv' ? 'uv build' : manager === 'poetry' ? 'poetry build' : null,
    start: files.has('main.py') ? `${prefix}python main.py` : null,
  }
}

function pythonManager(files: Files): [manager: string, prefix: string] {
  if (files.has('uv.lock')) return ['uv', 'uv run ']
  if (files.has('poetry.lock')) return ['poetry', 'poetry run ']
  if (files.has('pdm.lock')) return ['pdm', 'pdm run ']
  if (files.has('Pipfile')) return ['pipenv', 'pipenv run ']
  if (files.has('.venv/bin/python')) return ['pip', '.venv/bin/']
  return ['pip', '']
}

function pythonGates(files: Files, prefix: string): Found[] {
  const sign = pytestSign(files)
  if (sign !== null) {
    const run = prefix === '' ? 'python3 -m pytest' : `${prefix}pytest`
    return [{ name: 'test', run, why: sign }]
  }
  if (files.has('tox.ini'))
    return [{ name: 'test', run: `${prefix === '.venv/bin/' ? prefix : ''}tox`, why: 'there is a tox.ini' }]
  if (files.has('manage.py')) {
    const run = `${prefix || ''}${prefix === '' ? 'python3' : 'python'} manage.py test`
    return [{ name: 'test', run, why: 'there is a manage.py (Django)' }]
  }
  return []
}

function pytestSign(files: Files): string | null {
  if (files.has('pytest.ini')) return 'there is a pytest.ini'
  const lists = [
    'pyproject.toml',
    'setup.cfg',
    'tox.ini',
    'Pipfile',
    ...files.names.filter((name) => /^requirements.*\.txt$/.test(name)),
  ]
  const named = lists.find((name) => /\bpytest\b/.test(files.text(name)))
  if (named !== undefined) return `${named} names pytest`
  if (files.has('conftest.py') || files.has('tests/conftest.py')) return 'there is a conftest.py'
  const tests = ['tests', 'test'].find((folder) =>
    listFolder(files.path(folder)).some((name) => /^test_.*\.py$/.test(name)),
  )
  return tests === undefined ? null : `${tests}/ has test_*.py`
}

// The others, which mostly have one way only

function rust(files: Files): Kind | null {
  if (!files.has('Cargo.toml')) return null
  const name = tomlName(files.text('Cargo.toml'), ['package'])
  const gates = [{ name: 'test', run: 'cargo test', why: 'there is a Cargo.toml' }]
  return { type: 'rust', name, manager: 'cargo', gates, build: 'cargo build', start: 'cargo run' }
}

function go(files: Files): Kind | null {
  if (!files.has('go.mod')) return null
  const module = /^module\s+(\S+)/m.exec(files.text('go.mod'))?.[1]
  const gates = [{ name: 'test', run: 'go test ./...', why: 'there is a go.mod' }]
  const name = module === undefined ? null : basename(module)
  return {
    type: 'go',
    name,
    manager: 'go',
    gates,
    build: 'go build ./...',
    start: files.has('main.go') ? 'go run .' : null,
  }
}

function java(files: Files): Kind | null {
  const gradle = files.first('build.gradle', 'build.gradle.kts')
  if (files.has('pom.xml')) {
    const maven = files.has('mvnw') ? './mvnw' : 'mvn'
    const gates = [{ name: 'test', run: `${maven} -q test`, why: 'there is a pom.xml' }]
    const name =
      /<artifactId>([^<]+)</.exec(files.text('pom.xml').replace(/<parent>.*?<\/parent>/s, ''))?.[1] ?? null
    return { type: 'java', name, manager: 'maven', gates, build: `${maven} -q package`, start: null }
  }
  if (gradle === undefined) return null
  const tool = files.has('gradlew') ? './gradlew' : 'gradle'
  const gates = [{ name: 'test', run: `${tool} test`, why: `there is a ${gradle}` }]
  return { type: 'java', name: null, manager: 'gradle', gates, build: `${tool} build`, start: null }
}

function ruby(files: Files): Kind | null {
  if (!files.has('Gemfile') && !files.has('Rakefile')) return null
  const prefix = files.has('Gemfile') ? 'bundle exec ' : ''
  const rspec = { name: 'test', run: `${prefix}rspec`, why: 'there is an .rspec or a spec folder' }
  const rake = { name: 'test', run: `${prefix}rake test`, why: 'the Rakefile has a test task' }
  const hasRspec = files.has('.rspec') || files.has('spec/spec_helper.rb')
  const gates = hasRspec
    ? [rspec]
    : /TestTask|task :?test|minitest/i.test(files.text('Rakefile'))
      ? [rake]
      : []
  return { type: 'ruby', name: null, manager: 'bundler', gates, build: null, start: null }
}

function php(files: Files): Kind | null {
  if (!files.has('composer.json')) return null
  const json = read.json(files.text('composer.json'))
  const hasScript = read.field(read.field(json, 'scripts'), 'test') !== null
  const config = files.first('phpunit.xml', 'phpunit.xml.dist')
  const script = { name: 'test', run: 'composer test', why: 'composer.json has the script "test"' }
  const phpunit = { name: 'test', run: 'vendor/bin/phpunit', why: `there is a ${config}` }
  const gates = hasScript ? [script] : config === undefined ? [] : [phpunit]
  return {
    type: 'php',
    name: read.text(read.field(json, 'name')),
    manager: 'composer',
    gates,
    build: null,
    start: null,
  }
}

function elixir(files: Files): Kind | null {
  if (!files.has('mix.exs')) return null
  const name = /app:\s*:(\w+)/.exec(files.text('mix.exs'))?.[1] ?? null
  const gates = [{ name: 'test', run: 'mix test', why: 'there is a mix.exs' }]
  return { type: 'elixir', name, manager: 'mix', gates, build: 'mix compile', start: 'mix run' }
}

function dotnet(files: Files): Kind | null {
  const project = files.names.find((name) => /\.(sln|slnx|csproj|fsproj)$/.test(name))
  if (project === undefined) return null
  const gates = [{ name: 'test', run: 'dotnet test', why: `there is ${project}` }]
  const name = project.replace(/\.\w+$/, '')
  return { type: 'dotnet', name, manager: 'dotnet', gates, build: 'dotnet build', start: 'dotnet run' }
}

/** The `name` in one of these tables. A line or two of TOML need no parser. */
function tomlName(text: string, tables: string[]): string | null {
  let table = ''
  for (const line of text.split('\n')) {
    table = /^\s*\[([^[\]]+)\]\s*(#.*)?$/.exec(line)?.[1]?.trim() ?? table
    const name = /^\s*name\s*=\s*["']([^"']+)["']/.exec(line)?.[1]
    if (name !== undefined && tables.includes(table)) return name
  }
  return null
}
