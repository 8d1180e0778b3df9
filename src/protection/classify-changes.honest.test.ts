/** Honest work: what the gates need of it must count as work, or an honest claim costs a question. */
import { describe, expect, test } from 'vitest'
import { classesOf, type FileClass, C, type Given, GO, NODE, PACKAGE, PYTHON, RUST } from '../../test/kit/protection.ts'

interface Case extends Given {
  /** Paths that are not work; every other changed one is. */
  except?: Record<string, FileClass>
}

function node(change: Given['change'], more: Partial<Case> = {}): Case {
  const { base, ...rest } = more
  return { base: { ...NODE, ...base }, change, ...rest }
}
function python(change: Given['change'], more: Partial<Case> = {}): Case {
  const { base, ...rest } = more
  return { base: { ...PYTHON, ...base }, change, gate: 'pytest', ...rest }
}
const RIGHT = "import { check } from './check-numbers.js'\nexport const add = (a, b) => check(a) + b\n"
const VITE = {
  'package.json': PACKAGE(),
  'index.html': '<script src="/src/main.tsx"></script>',
  'src/main.tsx': "import { App } from './App'\nimport './main.css'\n",
  'src/main.css': 'a {}',
  'src/App.tsx': 'export const App = () => null\n',
  'src/App.test.tsx': "import { App } from './App'\n",
}
const MONO = {
  'package.json': '{ "private": true, "workspaces": ["packages/*"], "scripts": { "test": "vitest run" } }\n',
  'packages/a/package.json': '{ "name": "@x/a", "main": "src/index.ts" }\n',
  'packages/a/src/index.ts': "export * from './a.js'\n",
  'packages/a/src/a.ts': 'export const a = 1\n',
  'packages/a/test/a.test.ts': "import { a } from '../src/index.ts'\n",
  'packages/b/package.json': '{ "name": "@x/b", "main": "src/index.ts" }\n',
  'packages/b/src/index.ts': "import { a } from '@x/a'\nexport const b = a\n",
}

const JAVASCRIPT: Record<string, Case> = {
  'the fix': node({ 'src/add.js': RIGHT }),
  'the fix in a file that only its test loads': {
    base: {
      'src/add.mjs': 'throw new Error()\n',
      'test/add.test.mjs': "import { add } from '../src/add.mjs'\n",
    },
    change: { 'src/add.mjs': RIGHT },
    gate: 'node test/add.test.mjs',
  },
  'the fix in a file that the gate looks at': {
    base: {
      'src/add.mjs': 'throw new Error()\n',
      'test/add.test.mjs': "import { add } from '../src/add.mjs'\n",
    },
    change: { 'src/add.mjs': RIGHT },
    gate: 'node --check src/add.mjs',
  },
  'a new file that the gate’s own check has been asking for': {
    base: {
      'check.mjs': "import { answer } from './src/answer.mjs'\nprocess.exit(answer === 42 ? 0 : 1)\n",
      'src/question.mjs': 'export const question = 6 * 7\n',
    },
    change: { 'src/answer.mjs': 'export const answer = 42\n' },
    gate: 'node check.mjs',
  },
  'a new module with its test': node(
    {
      'src/sub.js': 'export const sub = (a, b) => a - b\n',
      'test/sub.test.js': "import { sub } from '../src/sub.js'\n",
    },
    { except: { 'test/sub.test.js': 'protected' } },
  ),
  'a new module with a test beside it': node(
    {
      'src/sub.ts': 'export const sub = (a, b) => a - b\n',
      'src/sub.test.ts': "import { sub } from './sub'\n",
    },
    { except: { 'src/sub.test.ts': 'protected' } },
  ),
  'a module that an old test waits for': node(
    { 'src/sub.js': 'export const sub = 1\n' },
    { base: { 'test/sub.test.js': "import { sub } from '../src/sub.js'\n" } },
  ),
  'a new module that work loads': node({
    'src/add.js': "import { plus } from './plus.js'\nexport const add = plus\n",
    'src/plus.js': 'export const plus = (a, b) => a + b\n',
  }),
  'a chain of new modules': node(
    {
      'src/sub.js': "import './deep/one.js'\n",
      'src/deep/one.js': "import './two.js'\n",
      'src/deep/two.js': '',
      'test/sub.test.js': "import '../src/sub.js'\n",
    },
    { except: { 'test/sub.test.js': 'protected' } },
  ),
  'a refactoring over several files': node({
    'src/add.js': "import { check } from './core/check.js'\nexport const add = check\n",
    'src/check-numbers.js': null,
    'src/core/check.js': 'export const check = (a) => a\n',
  }),
  'JavaScript turned into TypeScript': node({
    'src/check-numbers.js': null,
    'src/check-numbers.ts': 'export const check = (a: number) => a\n',
  }),
  'JavaScript turned into TypeScript, with the tests': node(
    { 'src/add.js': null, 'src/add.ts': RIGHT },
    {
      base: {
        'test/add.test.js':
          "import assert from 'node:assert'\nimport { add } from '../src/add'\nassert.equal(add(2, 3), 5)\n",
      },
    },
  ),
  'helpers that work loads': node(
    { 'src/helpers.js': 'export const x = 2\n' },
    {
      base: { 'src/helpers.js': 'export const x = 1\n', 'src/add.js': "import { x } from './helpers.js'\n" },
    },
  ),
  'a check that work loads': node({ 'src/check-numbers.js': 'export const check = Number\n' }),
  'a module called verify, with its own test': node(
    { 'src/verify.js': 'export const verify = 2\n' },
    {
      base: {
        'src/verify.js': 'export const verify = () => { throw 1 }\n',
        'test/verify.test.js': "import { verify } from '../src/verify.js'\n",
      },
    },
  ),
  'two modules tested by one file': node(
    { 'src/one.js': 'export const one = () => 2\n' },
    {
      base: {
        'src/one.js': 'export const one = () => { throw new Error() }\n',
        'src/two.js': 'export const two = () => 2\n',
        'test/all.test.js':
          "import assert from 'node:assert'\nimport { one } from '../src/one.js'\nimport { two } from '../src/two.js'\nassert.equal(one(), two())\n",
      },
    },
  ),
  'work that states what it relies on': node({
    'src/add.js': "import assert from 'node:assert'\nexport const add = (a, b) => { assert(a); return a + b }\n",
  }),
  'a source named like a module of Node': node(
    {
      'src/path.js': 'export const x = 1\n',
      'test/path.test.js': "import { x } from '../src/path.js'\nimport path from 'node:path'\n",
    },
    { except: { 'test/path.test.js': 'protected' } },
  ),
  'an entry point outside the source folders': node(
    { 'bin/add.mjs': "import '../src/add.js'\nrun()\n" },
    {
      base: {
        'package.json': PACKAGE({ bin: { add: './bin/add.mjs' } }),
        'bin/add.mjs': "import '../src/add.js'\n",
      },
    },
  ),
  'what work outside loads': node(
    { 'shared/round.js': 'export const round = Math.round\n' },
    { base: { 'shared/round.js': 'x\n', 'src/add.js': "import '../shared/round.js'\n" } },
  ),
  'a new file outside that work loads': node({
    'shared/round.js': 'export const round = Math.round\n',
    'src/add.js': "import '../shared/round.js'\n",
  }),
  'Vue and Svelte': node(
    { 'src/App.vue': '<script>\nimport Row from "./Row.svelte"\n</script>\n', 'src/Row.svelte': '<p/>\n' },
    { base: { 'src/App.vue': '<p/>\n', 'src/main.js': "import App from './App.vue'\n" } },
  ),
  'components and styles': {
    base: VITE,
    change: {
      'src/App.tsx': "import './App.css'\nimport logo from './logo.svg'\nimport { Row } from './Row'\n",
      'src/App.css': 'a {}',
      'src/logo.svg': '<svg/>',
      'src/Row.tsx': 'export const Row = 1\n',
    },
  },
  'a style that a style loads': {
    base: VITE,
    change: { 'src/main.css': '@import "./theme.css";', 'src/theme.css': 'a {}' },
  },
  'a source called app.config.ts': {
    base: {
      ...VITE,
      'src/app.config.ts': 'export const config = 1\n',
      'src/App.tsx': "import { config } from './app.config'\n",
    },
    change: { 'src/app.config.ts': 'export const config = 2\n' },
  },
  'texts in other languages': node(
    { 'src/locales/en.json': '{"a":1}' },
    { base: { 'src/locales/en.json': '{}', 'src/add.js': "import en from './locales/en.json'\n" } },
  ),
  'a new language, found by a pattern': node(
    { 'src/locales/de.json': '{}' },
    {
      base: {
        'src/locales/en.json': '{}',
        'src/add.js': 'const text = await import(`./locales/${language}.json`)\n',
      },
    },
  ),
  'a page found by its place': {
    base: { ...VITE, 'src/pages/index.tsx': 'x' },
    change: { 'src/pages/about.tsx': 'x' },
  },
  'an entry of the build that a benchmark loads': {
    base: {
      'package.json': PACKAGE({ main: './dist/index.js' }),
      'source/index.ts': 'export default 1\n',
      'bench.ts': "import Queue from './source/index.js'\n",
      'test/basic.ts': "import Queue from '../source/index.js'\n",
    },
    change: { 'source/index.ts': 'export default 2\n' },
  },
  'a source in a folder that the compiler is told of': node(
    { 'src/core/error.js': 'y\n' },
    { base: { 'src/core/error.js': 'x\n', 'tsconfig.pure.json': '{ "include": ["src/domain"] }\n' } },
  ),
  'a program that nothing loads, where the compiler takes all of src': node(
    { 'src/cli.ts': 'run()\n' },
    {
      base: {
        'src/cli.ts': 'x\n',
        'tsconfig.json': '{ "include": ["src/**/*.ts"] }\n',
        'vitest.config.ts': "export default { test: { coverage: { include: ['src/**'] } } }\n",
      },
    },
  ),
  'what npm start runs, in the root': node(
    { 'server.js': 'y\n' },
    {
      base: {
        'server.js': "import './src/add.js'\n",
        'package.json': PACKAGE({ scripts: { start: 'node server.js', test: 'node --test' } }),
      },
    },
  ),
  'the first script of a page': {
    base: { ...VITE, 'tsconfig.json': '{ "include": ["src"] }' },
    change: { 'src/main.tsx': "import { App } from './App'\n" },
  },
  'a worker': node({
    'src/add.js': "new Worker(new URL('./worker.js', import.meta.url))\n",
    'src/worker.js': 'postMessage(1)\n',
  }),
  'flat: the fix': {
    base: {
      'package.json': '{ "main": "calc.js", "scripts": { "test": "node --test" } }',
      'calc.js': 'x',
      'calc.test.js': "require('./calc')",
    },
    change: { 'calc.js': 'y' },
  },
  'flat: a new module that work loads': {
    base: { 'calc.js': 'x', 'calc.test.js': "require('./calc')" },
    change: { 'calc.js': "require('./plus')", 'plus.js': 'y' },
  },
  'flat: a new module with its test': {
    base: { 'calc.js': 'x', 'calc.test.js': "require('./calc')" },
    change: { 'plus.js': 'y', 'plus.test.js': "require('./plus')" },
    except: { 'plus.test.js': 'protected' },
  },
  'a source folder that the settings name': node(
    { 'engine/run.js': 'y\n' },
    { base: { 'engine/run.js': 'x\n' }, work: ['engine', 'src'] },
  ),
  'data in a folder that the settings name': node(
    { 'content/a.json': 'y\n' },
    { base: { 'content/a.json': 'x\n' }, work: ['content/**', 'src'] },
  ),
  'a gate in a subfolder': {
    base: {
      'web/package.json': PACKAGE(),
      'web/src/add.js': 'x',
      'web/test/add.test.js': "import '../src/add.js'",
    },
    change: { 'web/src/add.js': 'y' },
    cwd: 'web',
  },
}

const MONOREPO: Record<string, Case> = {
  'a source of one package': { base: MONO, change: { 'packages/a/src/a.ts': 'export const a = 2\n' } },
  'a new source of one package': {
    base: MONO,
    change: { 'packages/a/src/c.ts': 'x', 'packages/a/src/index.ts': "export * from './c.ts'\n" },
  },
  'a new package': {
    base: MONO,
    change: {
      'packages/c/package.json': '{ "name": "@x/c" }',
      'packages/c/src/index.ts': 'export const c = 1\n',
      'packages/c/test/c.test.ts': "import { c } from '../src/index'\n",
    },
    except: { 'packages/c/package.json': 'protected', 'packages/c/test/c.test.ts': 'protected' },
  },
  'a version of one package': {
    base: MONO,
    change: { 'packages/a/package.json': '{ "name": "@x/a", "main": "src/index.ts", "version": "2.0.0" }\n' },
  },
}

const NPM_LOCK = (more: Record<string, unknown> = {}, root: Record<string, unknown> = {}) =>
  `${JSON.stringify({ name: 'adding', version: '1.0.0', lockfileVersion: 3, requires: true, packages: { '': { name: 'adding', version: '1.0.0', dependencies: { ms: '^2.1.0', ...root }, devDependencies: { vitest: '^2.0.0' } }, 'node_modules/ms': { version: '2.1.3', resolved: 'https://registry.npmjs.org/ms/-/ms-2.1.3.tgz', integrity: 'sha512-aaaa' }, ...more } }, null, 2)}\n`
const NANOID = {
  version: '5.0.0',
  resolved: 'https://registry.npmjs.org/nanoid/-/nanoid-5.0.0.tgz',
  integrity: 'sha512-bbbb',
  bin: { nanoid: 'bin/nanoid.js' },
}

const MANIFESTS: Record<string, Case> = {
  'a new dependency': node({ 'package.json': PACKAGE({ dependencies: { ms: '^2.1.0', nanoid: '^5.0.0' } }) }),
  'a new dependency with its lock file': node(
    {
      'package.json': PACKAGE({ dependencies: { ms: '^2.1.0', nanoid: '^5.0.0' } }),
      'package-lock.json': NPM_LOCK({ 'node_modules/nanoid': NANOID }, { nanoid: '^5.0.0' }),
      'src/add.js': "import { nanoid } from 'nanoid'\n",
    },
    { base: { 'package-lock.json': NPM_LOCK() } },
  ),
  'one library in place of another': node({
    'package.json': PACKAGE({ dependencies: { dayjs: '^1.0.0' } }),
    'src/add.js': "import dayjs from 'dayjs'\n",
  }),
  'types of a library': node({
    'package.json': PACKAGE({ devDependencies: { vitest: '^2.0.0', '@types/ms': '^2.0.0' } }),
  }),
  'a dependency moved to the other list': node({
    'package.json': PACKAGE({ dependencies: {}, devDependencies: { ms: '^2.1.0', vitest: '^2.0.0' } }),
  }),
  'a new version': node({ 'package.json': PACKAGE({ version: '1.1.0' }) }),
  'a description': node({ 'package.json': PACKAGE({ description: 'adds', keywords: ['add'] }) }),
  'an entry point': node({
    'package.json': PACKAGE({ exports: { '.': './src/add.js', './sub': './src/sub.js' } }),
    'src/sub.js': 'export const sub = 1\n',
  }),
  'an entry point that is built': node({
    'package.json': PACKAGE({ main: './dist/index.js', types: './dist/index.d.ts' }),
  }),
  'a program': node({ 'package.json': PACKAGE({ bin: { adding: './src/cli.js' } }), 'src/cli.js': 'x' }),
  'a script and a dependency': node(
    {
      'package.json': PACKAGE({
        scripts: { test: 'node --test', lint: 'eslint' },
        dependencies: { ms: '^2.1.0', nanoid: '^5.0.0' },
      }),
    },
    { except: { 'package.json': 'mixed' } },
  ),
  'pyproject.toml: a dependency and a version': python({
    'pyproject.toml': (PYTHON['pyproject.toml'] ?? '')
      .replace('["requests>=2"]', '["requests>=2", "rich~=13.0"]')
      .replace('"1.0"', '"1.1"'),
  }),
  'pyproject.toml: a program': python({
    'pyproject.toml': (PYTHON['pyproject.toml'] ?? '').replace(
      '\n[tool',
      '\n[project.scripts]\ncalc = "calc.core:add"\n\n[tool',
    ),
  }),
  'requirements.txt': python(
    { 'requirements.txt': 'requests>=2\nrich==13.7.0 --hash=sha256:abcdef0123\n' },
    { base: { 'requirements.txt': 'requests>=2\n' } },
  ),
  'Cargo.toml': {
    base: RUST,
    change: {
      'Cargo.toml':
        (RUST['Cargo.toml'] ?? '').replace('0.1.0', '0.2.0') + 'rand = { version = "0.8", features = ["std"] }\n',
    },
    gate: 'cargo test',
  },
  'go.mod and go.sum': {
    base: GO,
    change: {
      'go.mod': `${GO['go.mod']}require golang.org/x/text v0.14.0\n`,
      'go.sum': `${GO['go.sum']}golang.org/x/text v0.14.0 h1:aaaa=\ngolang.org/x/text v0.14.0/go.mod h1:bbbb=\n`,
    },
    gate: 'go test ./...',
  },
  Gemfile: {
    base: { Gemfile: "source 'https://rubygems.org'\ngem 'rake'\n", 'lib/a.rb': '' },
    change: { Gemfile: "source 'https://rubygems.org'\ngem 'rake'\ngem 'oj', '~> 3.0'\n" },
    gate: 'rake',
  },
}

const DOCUMENTS: Record<string, Case> = {
  documents: node(
    { 'README.md': 'x', 'CHANGELOG.md': 'x', 'docs/guide.md': 'x', 'docs/picture.png': 'x', LICENSE: 'x' },
    {
      except: {
        'README.md': 'docs',
        'CHANGELOG.md': 'docs',
        'docs/guide.md': 'docs',
        'docs/picture.png': 'docs',
        LICENSE: 'docs',
      },
    },
  ),
  'a document that a manifest names': python(
    { 'README.md': 'y' },
    {
      base: {
        'README.md': 'x',
        'pyproject.toml': `${PYTHON['pyproject.toml']}`.replace('[project]', '[project]\nreadme = "README.md"'),
      },
      except: { 'README.md': 'docs' },
    },
  ),
  'a document that is only formatted or left out': node(
    { 'README.md': 'y', 'docs/a.md': 'y' },
    {
      base: {
        'README.md': 'x',
        'docs/a.md': 'x',
        'docs/conf.py': "exclude = ['docs/**']\n",
        '.oxfmtrc.json': '{ "ignorePatterns": ["*.md", "docs"] }',
        'package.json': PACKAGE({ scripts: { test: 'node --test', format: 'prettier --check "**/*.md"' } }),
      },
      except: { 'README.md': 'docs', 'docs/a.md': 'docs' },
    },
  ),
  'a document that a pipeline names': node(
    { 'CHANGELOG.md': 'y' },
    {
      base: { 'CHANGELOG.md': 'x', '.github/workflows/release.yml': 'run: cat CHANGELOG.md' },
      except: { 'CHANGELOG.md': 'docs' },
    },
  ),
}

const OTHERS: Record<string, Case> = {
  'Python: the fix': python({ 'calc/core.py': 'def add(a, b):\n    return a + b\n' }),
  'Python: a new module with its test': python(
    { 'calc/stats.py': 'x', 'tests/test_stats.py': 'from calc.stats import mean\n' },
    { except: { 'tests/test_stats.py': 'protected' } },
  ),
  'Python: a new module imported from the package': python(
    { 'calc/stats.py': 'x', 'tests/test_stats.py': 'from calc import stats\n' },
    { except: { 'tests/test_stats.py': 'protected' } },
  ),
  'Python: a new module that an old test takes from the package': python(
    { 'calc/stats.py': 'x' },
    { base: { 'tests/test_stats.py': 'from calc import stats\n' } },
  ),
  'Python: a new subpackage': python({
    'calc/ops/__init__.py': '',
    'calc/ops/sub.py': 'x',
    'calc/core.py': 'from .ops.sub import sub\n',
  }),
  'Python: a module turned into a package': python({
    'calc/numbers.py': null,
    'calc/numbers/__init__.py': 'def check(a): return a\n',
  }),
  'Python: a src folder': {
    base: {
      'pyproject.toml': '[project]\nname="calc"\n',
      'src/calc/__init__.py': '',
      'src/calc/core.py': 'x',
      'tests/test_core.py': 'from calc.core import add\n',
    },
    change: { 'src/calc/core.py': 'y' },
    gate: 'pytest',
  },
  'Python: flat': {
    base: { 'calc.py': 'x', 'test_calc.py': 'import calc\n' },
    change: { 'calc.py': 'y' },
    gate: 'pytest',
  },
  'Python: flat, to be written': {
    base: { 'test_calc.py': 'import calc\n' },
    change: { 'calc.py': 'y' },
    gate: 'pytest',
  },
  'Python: a template': python(
    { 'calc/templates/sum.html': 'y' },
    { base: { 'calc/templates/sum.html': 'x', 'calc/core.py': "render_template('sum.html')\n" } },
  ),
  'Python: a migration': python(
    { 'calc/migrations/0002_more.py': 'y' },
    { base: { 'calc/migrations/__init__.py': '', 'calc/migrations/0001_first.py': '' } },
  ),
  'SQL that work names': python(
    {
      'calc/sql/create.sql': 'y',
      'calc/sql/more.sql': 'z',
      'calc/core.py': 'open("sql/create.sql")\nopen("sql/more.sql")\n',
    },
    { base: { 'calc/sql/create.sql': 'x', 'calc/core.py': 'open("sql/create.sql")\n' } },
  ),
  'Rust: the fix': { base: RUST, change: { 'src/ops.rs': 'y' }, gate: 'cargo test' },
  'Rust: a new module': {
    base: RUST,
    change: { 'src/sub.rs': 'y', 'src/lib.rs': 'mod ops;\nmod sub;\n' },
    gate: 'cargo test',
  },
  'Rust: a module in a folder': {
    base: RUST,
    change: { 'src/ops/deep.rs': 'y', 'src/ops.rs': 'pub mod deep;\n' },
    gate: 'cargo test',
  },
  'Rust: a program': {
    base: RUST,
    change: { 'src/main.rs': 'fn main() {}', 'src/bin/more.rs': 'fn main() {}' },
    gate: 'cargo test',
  },
  'Go: the fix and a new file': {
    base: GO,
    change: {
      'calc.go': 'package calc\n',
      'sub.go': 'package calc\n',
      'internal/round/round.go': 'package round\n',
    },
    gate: 'go test ./...',
  },
  'C: a header and its source': {
    base: C,
    change: {
      'src/sub.c': '#include "sub.h"\n',
      'include/sub.h': 'int sub(int, int);\n',
      'src/calc.c': '#include "calc.h"\n#include "sub.h"\n',
    },
    gate: 'make test',
  },
  'C: flat': {
    base: {
      Makefile: 'calc: calc.c calc.h main.c\n\tcc calc.c main.c\n',
      'calc.c': 'x',
      'calc.h': 'x',
      'main.c': 'int main(void) {}',
    },
    change: { 'calc.c': 'y', 'calc.h': 'y', 'main.c': 'int main(void) { return 1; }' },
    gate: 'make test',
    except: { 'main.c': 'protected' },
  },
  'Ruby: a file that is loaded when it is used': {
    base: {
      Gemfile: '',
      'lib/calc.rb': "autoload :Add,          'calc/add'\n",
      'lib/calc/add.rb': 'x',
      'spec/calc_spec.rb': "require 'calc'\nit('calc')\n",
    },
    change: { 'lib/calc/add.rb': 'y' },
    gate: 'rspec',
  },
  'Go: code in a folder called doc': {
    base: { ...GO, 'doc/man.go': 'package doc' },
    change: { 'doc/man.go': 'package doc\n' },
    gate: 'go test ./...',
  },
  'Java: a new class': {
    base: {
      'pom.xml': '<project/>',
      'src/main/java/calc/Add.java': 'x',
      'src/test/java/calc/AddTest.java': 'x',
    },
    change: { 'src/main/java/calc/Sub.java': 'y', 'src/main/java/calc/Add.java': 'y' },
    gate: 'mvn test',
  },
  'Ruby: a new file': {
    base: {
      Gemfile: '',
      'lib/calc.rb': "require_relative 'calc/add'\n",
      'lib/calc/add.rb': 'x',
      'test/calc_test.rb': "require 'calc'\n",
    },
    change: {
      'lib/calc/sub.rb': 'y',
      'lib/calc.rb': "require_relative 'calc/add'\nrequire_relative 'calc/sub'\n",
    },
    gate: 'rake test',
  },
  'PHP: a new class': {
    base: {
      'composer.json': '{"autoload":{"psr-4":{"App\\\\":"src/"}}}',
      'src/Add.php': 'x',
      'tests/AddTest.php': 'use App\\Add;',
    },
    change: { 'src/Sub.php': 'y', 'src/Add.php': 'y' },
    gate: 'composer test',
  },
  'C#: a new class': {
    base: {
      'Calc/Calc.csproj': '<Project/>',
      'Calc/Add.cs': 'x',
      'Calc.Tests/Calc.Tests.csproj': '<Project/>',
      'Calc.Tests/AddTests.cs': 'x',
    },
    change: { 'Calc/Sub.cs': 'y', 'Calc/Add.cs': 'y' },
    gate: 'dotnet test',
  },
  'Elixir: a new module': {
    base: { 'mix.exs': 'x', 'lib/calc.ex': 'x', 'test/calc_test.exs': 'x' },
    change: { 'lib/calc/sub.ex': 'y' },
    gate: 'mix test',
  },
}

describe.each(Object.entries({ JAVASCRIPT, MONOREPO, MANIFESTS, DOCUMENTS, OTHERS }))('%s', (_, cases) => {
  test.each(Object.entries(cases))('%s', (__, given) => {
    const expected = Object.fromEntries(Object.keys(given.change).map((path) => [path, given.except?.[path] ?? 'work']))
    expect(classesOf(given)).toEqual(expected)
  })
})
