/** The gates of a Python project: its tests, and the checkers that it configures or depends on. */
import {
  findTestFolder,
  hasTomlTable,
  listFolderNames,
  tomlName,
  type ProjectFiles,
  type FoundGate,
  type DetectedLanguage,
} from './project-files.ts'

export function detectPython(files: ProjectFiles): DetectedLanguage | null {
  const manifest = files.first('pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'Pipfile', 'tox.ini')
  if (manifest === undefined && !isLoose(files)) return null
  const [manager, prefix] = managerOf(files)
  return {
    type: 'python',
    name:
      tomlName(files.text('pyproject.toml'), ['project', 'tool.poetry']) ??
      /name\s*=\s*['"]([^'"]+)/.exec(files.text('setup.py'))?.[1] ??
      null,
    manager,
    gates: [
      ...testGates(files, prefix),
      ...lintGates(files, prefix),
      ...typeGates(files, prefix),
      ...slowGates(files, prefix),
    ],
    build: manager === 'uv' ? 'uv build' : manager === 'poetry' ? 'poetry build' : null,
    start: files.has('main.py') ? `${prefix}python main.py` : null,
  }
}

/** Scripts and their tests without any manifest; other build files know better how to run the tests. */
function isLoose(files: ProjectFiles): boolean {
  const told = /^(?:Makefile|makefile|GNUmakefile|\.?[jJ]ustfile|package\.json|Cargo\.toml|go\.mod|CMakeLists\.txt)$/
  return (
    files.names.some((name) => name.endsWith('.py')) &&
    !files.names.some((name) => told.test(name)) &&
    findTestFolder(files, /^test_.*\.py$/) !== undefined
  )
}

function managerOf(files: ProjectFiles): [manager: string, prefix: string] {
  if (files.has('uv.lock')) {
    const isWorkspace = hasTomlTable(files.text('pyproject.toml'), 'tool.uv.workspace')
    return ['uv', isWorkspace ? 'uv run --all-packages ' : 'uv run ']
  }
  if (files.has('poetry.lock')) return ['poetry', 'poetry run ']
  if (files.has('pdm.lock')) return ['pdm', 'pdm run ']
  if (files.has('Pipfile')) return ['pipenv', 'pipenv run ']
  if (files.has('.venv/bin/python')) return ['pip', '.venv/bin/']
  return ['pip', '']
}

/** Without a package manager the interpreter runs the module, so that the module comes from its own packages. */
function runModule(prefix: string, command: string): string {
  return prefix === '' ? `python3 -m ${command}` : `${prefix}${command}`
}

function testGates(files: ProjectFiles, prefix: string): FoundGate[] {
  const sign = pytestSign(files)
  if (sign !== null) return [{ name: 'test', run: runModule(prefix, 'pytest'), why: sign }]
  const own = prefix === '.venv/bin/' ? prefix : ''
  if (files.has('tox.ini')) return [{ name: 'test', run: `${own}tox`, why: 'there is a tox.ini' }]
  if (files.has('noxfile.py')) return [{ name: 'test', run: `${own}nox`, why: 'there is a noxfile.py' }]
  if (files.has('manage.py')) {
    const run = `${prefix || ''}${prefix === '' ? 'python3' : 'python'} manage.py test`
    return [{ name: 'test', run, why: 'there is a manage.py (Django)' }]
  }
  return []
}

function pytestSign(files: ProjectFiles): string | null {
  if (files.has('pytest.ini')) return 'there is a pytest.ini'
  const named = dependencyIn(files, 'pytest')
  if (named !== null) return named
  if (files.has('conftest.py') || files.has('tests/conftest.py')) return 'there is a conftest.py'
  const tests = findTestFolder(files, /^test_.*\.py$/)
  if (tests === undefined) return null
  return tests === '.' ? 'there are test_*.py' : `${tests}/ has test_*.py`
}

function lintGates(files: ProjectFiles, prefix: string): FoundGate[] {
  const config = files.first('ruff.toml', '.ruff.toml')
  const sign = config === undefined ? configuredIn(files, 'ruff') : `there is a ${config}`
  if (sign !== null) return [{ name: 'lint', run: `${prefix}ruff check .`, why: sign }]
  if (!files.has('.flake8') && dependencyIn(files, 'flake8') === null) return []
  return [{ name: 'lint', run: runModule(prefix, 'flake8'), why: 'flake8 is set up' }]
}

function typeGates(files: ProjectFiles, prefix: string): FoundGate[] {
  const config = files.first('mypy.ini', '.mypy.ini')
  const sign =
    config !== undefined
      ? `there is a ${config}`
      : hasTomlTable(files.text('setup.cfg'), 'mypy')
        ? 'setup.cfg configures mypy'
        : configuredIn(files, 'mypy')
  if (sign !== null) {
    const said = [config, 'pyproject.toml', 'setup.cfg'].some((name) =>
      /^\s*(?:files|packages|modules)\s*=/m.test(mypyPart(files.text(name ?? ''))),
    )
    return [{ name: 'typecheck', run: runModule(prefix, said ? 'mypy' : 'mypy .'), why: sign }]
  }
  if (files.has('pyrightconfig.json'))
    return [{ name: 'typecheck', run: `${prefix}pyright`, why: 'there is a pyrightconfig.json' }]
  const pyright = configuredIn(files, 'pyright')
  return pyright === null ? [] : [{ name: 'typecheck', run: `${prefix}pyright`, why: pyright }]
}

/** Only mypy's own table says which files mypy reads. */
function mypyPart(text: string): string {
  return /^\s*\[(?:tool\.)?mypy\]\n([\s\S]*?)(?=^\s*\[|(?![\s\S]))/m.exec(text)?.[1] ?? ''
}

function slowGates(files: ProjectFiles, prefix: string): FoundGate[] {
  const isSetUp =
    hasTomlTable(files.text('pyproject.toml'), 'tool.mutmut') || hasTomlTable(files.text('setup.cfg'), 'mutmut')
  if (!isSetUp) return []
  return [{ name: 'mutation', run: `${prefix}mutmut run`, why: 'mutmut is set up', slow: 'mutation' }]
}

/** `[tool.ruff]` in the pyproject.toml, or a dependency anywhere. */
function configuredIn(files: ProjectFiles, tool: string): string | null {
  if (hasTomlTable(files.text('pyproject.toml'), `tool.${tool}`)) return `pyproject.toml configures ${tool}`
  return dependencyIn(files, tool)
}

function dependencyIn(files: ProjectFiles, name: string): string | null {
  const lists = [
    'pyproject.toml',
    'setup.cfg',
    'tox.ini',
    'Pipfile',
    ...files.names.filter((file) => /^(?:dev[-_])?requirements.*\.txt$/.test(file)),
    ...listFolderNames(files, 'requirements')
      .filter((file) => file.endsWith('.txt'))
      .map((file) => `requirements/${file}`),
  ]
  // Not inside another name: `ruff-lsp`, `types-mypy` and `pytest-cov` are other packages.
  const pattern = new RegExp(String.raw`(?<![\w.-])${name}(?![\w-])`)
  const loose = name === 'pytest' ? /\bpytest\b/ : pattern
  const found = lists.find((file) => loose.test(withoutComments(files.text(file))))
  return found === undefined ? null : `${found} names ${name}`
}

function withoutComments(text: string): string {
  return text.replace(/^\s*#.*$/gm, '')
}
