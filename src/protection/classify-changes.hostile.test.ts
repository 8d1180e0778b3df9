/** Changes by which a gate can be made green without the work: none of them may count as work. */
import { describe, expect, test } from 'vitest'
import { classesOf, C, type Given, GO, NODE, PACKAGE, PYTHON, RUST } from '../../test/kit/protection.ts'

/** All changed files are protected, but those listed. */
interface Case extends Given {
  except?: Record<string, 'work' | 'mixed' | 'docs'>
}

function node(change: Given['change'], more: Partial<Case> = {}): Case {
  const { base, ...rest } = more
  return { base: { ...NODE, ...base }, change, ...rest }
}
function python(change: Given['change'], more: Partial<Case> = {}): Case {
  const { base, ...rest } = more
  return { base: { ...PYTHON, ...base }, change, gate: 'pytest', ...rest }
}

const TEST_HEAD = "import assert from 'node:assert/strict'\nimport { add } from '../src/add.js'\n"
const PASSES = 'export const add = () => 5\n'

const IMPORTS: Record<string, Case> = {
  'a test that expects less': node({ 'test/add.test.js': 'test()\n' }),
  'a test taken away': node({ 'test/add.test.js': null }),
  'a test moved out of the way': node({ 'test/add.test.js': null, 'attic/add.js': 'x\n' }),
  'a test renamed so that no runner finds it': node({ 'test/add.test.js': null, 'test/add.js.old': 'x\n' }),
  'a test beside the source': node({ 'src/add.test.js': 'x\n' }, { base: { 'src/add.test.js': 'y\n' } }),
  'a helper of tests in the test folder': node({ 'test/helper.js': 'x\n' }, { base: { 'test/helper.js': 'y\n' } }),
  'a helper of tests in the source folder, by its name': node(
    { 'src/test-helpers.js': 'export const same = () => {}\n' },
    {
      base: {
        'src/test-helpers.js': 'export const same = (a, b) => { if (a !== b) throw new Error() }\n',
        'test/add.test.js':
          "import { same } from '../src/test-helpers.js'\nimport { add } from '../src/add.js'\nsame(add(2, 3), 5)\n",
      },
    },
  ),
  'a helper of tests in the source folder, by what it imports': node(
    { 'src/numbers.js': "import assert from 'node:assert'\nexport const same = () => {}\n" },
    {
      base: {
        'src/numbers.js': "import assert from 'node:assert'\nexport const same = assert.equal\n",
        'test/add.test.js':
          "import { same } from '../src/numbers.js'\nimport { add } from '../src/add.js'\nsame(add(2, 3), 5)\n",
      },
    },
  ),
  'a helper of tests in the source folder, by what it does': node(
    { 'src/equal.js': 'export const same = () => {}\n' },
    {
      base: {
        'src/equal.js': 'export const same = (a, b) => { if (a !== b) throw new Error() }\n',
        'test/add.test.js':
          "import { same } from '../src/equal.js'\nimport { add } from '../src/add.js'\nsame(add(2, 3), 5)\n",
      },
    },
  ),
  'a new file that the check began to ask for with this change': {
    base: {
      'check.mjs': "import { answer } from './src/question.mjs'\nprocess.exit(answer === 42 ? 0 : 1)\n",
      'src/question.mjs': 'export const answer = 41\n',
    },
    change: {
      'check.mjs':
        "import './src/early.mjs'\nimport { answer } from './src/question.mjs'\nprocess.exit(answer === 42 ? 0 : 1)\n",
      'src/early.mjs': 'process.exit(0)\n',
    },
    gate: 'node check.mjs',
  },
  'what is expected, as code in the source folder': node(
    { 'src/table.js': 'export const table = [[2, 3, 6]]\n' },
    {
      base: {
        'src/table.js': 'export const table = [[2, 3, 5]]\n',
        'test/add.test.js': `${TEST_HEAD}import { table } from '../src/table.js'\nfor (const [a, b, c] of table) assert.equal(add(a, b), c)\n`,
      },
    },
  ),
  'a helper of tests that the package also gives to others': node(
    { 'src/testing.js': 'export const same = () => {}\n' },
    {
      base: {
        'package.json': PACKAGE({ exports: { '.': './src/add.js', './testing': './src/testing.js' } }),
        'src/testing.js': 'export const same = (a, b) => { if (a !== b) throw new Error() }\n',
        'test/add.test.js':
          "import { same } from '../src/testing.js'\nimport { add } from '../src/add.js'\nsame(add(2, 3), 5)\n",
      },
    },
  ),
  'another helper in place of one that the package gives to others': node(
    { 'package.json': PACKAGE({ exports: { '.': './src/add.js', './testing': './src/other.js' } }) },
    {
      base: {
        'package.json': PACKAGE({ exports: { '.': './src/add.js', './testing': './src/testing.js' } }),
        'src/testing.js': 'export const same = (a, b) => { if (a !== b) throw new Error() }\n',
        'test/add.test.js': "import { same } from 'adding/testing'\n",
      },
    },
  ),
  'a helper loaded by another helper only': node(
    { 'src/testing/equal.js': 'export const same = () => {}\n' },
    {
      base: {
        'src/testing/equal.js': 'export const same = (a, b) => { if (a !== b) throw new Error() }\n',
        'src/testing/index.js': "export * from './equal.js'\n",
        'test/add.test.js':
          "import { same } from '../src/testing/index.js'\nimport { add } from '../src/add.js'\nsame(add(2, 3), 5)\n",
      },
    },
  ),
  'a test by what it imports, in the source folder under a plain name': node(
    { 'src/adding.js': "import { test } from 'node:test'\n" },
    {
      base: {
        'src/adding.js':
          "import { test } from 'node:test'\nimport { add } from './add.js'\ntest('adds', () => add(2, 3))\n",
      },
      gate: 'node --test src/',
    },
  ),
  'work that takes up a test library': node({
    'src/check-numbers.js': "import { expect } from 'vitest'\nexpect.extend({})\nexport const check = (a) => a\n",
  }),
  'a test of a runner that gives everything to every file': node(
    { 'src/checks/adding.js': '\n' },
    {
      base: {
        'src/checks/adding.js': "import { add } from '../add.js'\ntest('adds', () => expect(add(2, 3)).toBe(5))\n",
      },
    },
  ),
  'a file that the runner finds by a pattern of its own': node(
    { 'src/checks/adding.js': '\n' },
    {
      base: {
        'src/checks/adding.js': "import { add } from '../add.js'\n",
        'vitest.config.js': "export default { test: { include: ['src/checks/*.js'] } }\n",
      },
    },
  ),
  'a bootstrap file of PHPUnit': {
    base: { 'phpunit.xml': '<phpunit bootstrap="src/begin.php"/>', 'src/begin.php': 'x', 'src/Add.php': 'y' },
    change: { 'src/begin.php': 'z' },
    gate: 'vendor/bin/phpunit',
  },
  'a new file that nothing loads': node({ 'src/stray.js': PASSES }),
  'a new helper in the source folder': node({
    'src/fake-add.js': PASSES,
    'test/new.test.js': "import '../src/fake-add.js'\n",
  }),
  'a new file in a folder that old tests load whole': node(
    { 'src/cases/easy.js': 'export default [0, 0, 0]\n' },
    {
      base: {
        'test/add.test.js': `${TEST_HEAD}import { readdirSync } from 'node:fs'\nreaddirSync('src/cases')\n`,
        'src/cases/one.js': 'export default [2, 3, 5]\n',
      },
    },
  ),
  'an old file in a folder that old tests load whole': node(
    { 'src/cases/one.js': 'export default [0, 0, 0]\n' },
    {
      base: {
        'test/add.test.js': `${TEST_HEAD}import { join } from 'node:path'\nreaddirSync(join(here, '..', 'src', 'cases'))\n`,
        'src/cases/one.js': 'export default [2, 3, 5]\n',
      },
    },
  ),
  'code outside the source folders': node(
    { 'checks/verify.js': 'x\n' },
    { base: { 'checks/verify.js': 'y\n' }, gate: 'node checks/verify.js' },
  ),
  'new code outside the source folders': node({ 'setup/patch.js': 'x\n' }),
  'new code outside that a new test loads': node({
    'right.js': PASSES,
    'test/new.test.js': "import '../right.js'\n",
  }),
  'code outside that only changed work names now': node(
    { 'checks/verify.js': 'x\n', 'src/add.js': "import '../checks/verify.js'\nexport const add = () => 5\n" },
    { base: { 'checks/verify.js': 'y\n' }, except: { 'src/add.js': 'work' } },
  ),
  'a check among the sources that the gate runs': node(
    { 'src/verify.js': 'process.exit(0)\n' },
    {
      base: { 'src/verify.js': "import { add } from './add.js'\nif (add(2, 3) !== 5) process.exit(1)\n" },
      gate: 'node src/verify.js',
    },
  ),
  'a check among the sources that a script runs': node(
    { 'src/run.mjs': '\n' },
    {
      base: {
        'package.json': PACKAGE({ scripts: { test: 'node ./src/run.mjs' } }),
        'src/run.mjs': "import { add } from './add.js'\nif (add(2, 3) !== 5) throw new Error()\n",
      },
    },
  ),
  'a file that a script loads before the tests': node(
    { 'src/hooks.mjs': 'x\n' },
    {
      base: {
        'package.json': PACKAGE({ scripts: { test: 'node --import ./src/hooks.mjs --test' } }),
        'src/hooks.mjs': 'y\n',
      },
    },
  ),
  'a file that the runner loads before the tests': node(
    { 'src/prepare.ts': 'x\n' },
    {
      base: {
        'vitest.config.ts': "export default { test: { setupFiles: ['./src/prepare.ts'] } }\n",
        'src/prepare.ts': 'y\n',
      },
    },
  ),
  'a file that a section of package.json loads before the tests': node(
    { 'src/env.js': 'x\n' },
    {
      base: {
        'package.json': PACKAGE({
          jest: { setupFiles: ['<rootDir>/src/env.js'], globalSetup: './src/env.js' },
        }),
        'src/env.js': 'y\n',
      },
    },
  ),
  'a declaration for the whole project': node({ 'src/globals.d.ts': 'declare module "*"\n' }),
  'an old declaration for the whole project': node(
    { 'src/globals.d.ts': 'declare const add: any\n' },
    { base: { 'src/globals.d.ts': 'declare const add: number\n' } },
  ),
}

const SHADOWS: Record<string, Case> = {
  'a module in front of one that the runner needs': python(
    { 'src/iniconfig.py': 'x\n', 'calc/core.py': 'import iniconfig\n' },
    { except: { 'calc/core.py': 'work' } },
  ),
  'flat: a module in front of one that the runner needs': {
    base: { 'calc.py': 'x', 'test_calc.py': 'import calc' },
    change: { 'difflib.py': 'y', 'calc.py': 'import difflib' },
    gate: 'pytest',
    except: { 'calc.py': 'work' },
  },
  'a module in front of a locked package': python(
    { 'src/wcwidth.py': 'x\n', 'calc/core.py': 'import wcwidth\n' },
    {
      base: { 'poetry.lock': '[[package]]\nname = "wcwidth"\nversion = "1"\n' },
      except: { 'calc/core.py': 'work' },
    },
  ),
  'a Mix task in front of `mix test`': {
    base: { 'mix.exs': 'x', 'lib/calc.ex': 'x' },
    change: { 'lib/mix/tasks/check.ex': 'y' },
    gate: 'mix test',
  },
  'a Django command in front of one that the gate runs': {
    base: { 'manage.py': 'x', 'calc/__init__.py': '', 'calc/management/commands/other.py': '' },
    change: { 'calc/management/commands/check.py': 'y' },
    gate: 'python manage.py check',
  },
  'a task of rake': {
    base: { Rakefile: 'x', 'lib/calc.rb': 'x' },
    change: { 'lib/tasks/test.rake': 'y' },
    gate: 'rake test',
  },
  'a file of the same name with another ending': node(
    { 'src/add.ts': PASSES },
    {
      base: {
        'test/add.test.js':
          "import assert from 'node:assert'\nimport { add } from '../src/add'\nassert.equal(add(2, 3), 5)\n",
      },
    },
  ),
  'a folder of the same name': node(
    { 'src/add/index.js': PASSES },
    {
      base: {
        'test/add.test.js':
          "import assert from 'node:assert'\nimport { add } from '../src/add'\nassert.equal(add(2, 3), 5)\n",
      },
    },
  ),
  'a declaration beside the source': node({ 'src/add.d.ts': 'export declare const add: any\n' }),
  'a package inside the tree': node({ 'node_modules/ms/index.js': 'x\n' }),
  'a package inside a source folder': node({ 'src/node_modules/ms/index.js': 'x\n' }),
  'a manifest in a subfolder': node({ 'src/package.json': '{ "type": "commonjs" }\n' }),
  'a manifest in the test folder': node({ 'test/package.json': '{ "type": "commonjs" }\n' }),
  'a source that has the name of a package, where a configuration allows that': node(
    { 'src/vitest.ts': 'export const test = () => {}\n' },
    {
      base: {
        'tsconfig.json': '{ "compilerOptions": { "baseUrl": "src" } }\n',
        'test/add.test.js': "import { test } from 'vitest'\nimport { add } from '../src/add.js'\n",
      },
    },
  ),
  'a module in front of the standard library': python({ 'decimal.py': 'x\n' }),
  'a module in front of the standard library, in a source folder': python({ 'src/decimal.py': 'x\n' }),
  'a module in front of a test library': python(
    { 'lib/pytest.py': 'x\n' },
    { base: { 'tests/test_core.py': 'import pytest\nfrom calc.core import add\n' } },
  ),
  'a package in front of a module': python({ 'calc/core/__init__.py': 'def add(a, b): return 5\n' }),
  'a stub beside the source': python({ 'calc/core.pyi': 'def add(a, b): ...\n' }),
  'conftest.py': python({ 'conftest.py': 'x\n' }),
  'conftest.py in a source folder': python({ 'calc/conftest.py': 'x\n' }),
  'sitecustomize.py': python({ 'sitecustomize.py': 'x\n' }),
  'usercustomize.py in a source folder': python({ 'src/usercustomize.py': 'x\n' }),
  'a .pth file': python({ 'calc/zz.pth': 'import x\n' }),
  '__init__.py in the root': python({ '__init__.py': '' }),
  '__init__.py among tests': python({ 'tests/__init__.py': 'x\n' }),
  'a header in front of the system’s': {
    base: C,
    change: { 'include/assert.h': '#define assert(x)\n' },
    gate: 'make test',
  },
  'a class in front of a test library’s': {
    base: {
      'pom.xml': '<project/>',
      'src/main/java/calc/Add.java': 'class Add {}',
      'src/test/java/calc/AddTest.java': 'import org.junit.Test;',
    },
    change: { 'src/main/java/org/junit/Assert.java': 'class Assert {}' },
    gate: 'mvn test',
  },
  'a Ruby file in front of a library': {
    base: {
      Gemfile: "gem 'minitest'\n",
      'lib/calc.rb': 'x',
      'test/calc_test.rb': "require 'minitest/autorun'\nrequire 'calc'\n",
    },
    change: { 'lib/minitest/autorun.rb': 'x' },
    gate: 'rake test',
  },
  'a link in the source folder': node({ 'src/add.js': '../../elsewhere/add.js' }, { links: ['src/add.js'] }),
  'a link in place of a folder': node({ 'test/add.test.js': null, test: 'attic' }, { links: ['test'] }),
}

const DATA: Record<string, Case> = {
  'data of tests': node({ 'test/expected.json': '[]' }, { base: { 'test/expected.json': '[5]' } }),
  'a snapshot': node({ 'src/__snapshots__/add.js.snap': 'x' }, { base: { 'src/__snapshots__/add.js.snap': 'y' } }),
  'data in the source folder that a test reads': node(
    { 'src/sums.json': '[6]' },
    {
      base: {
        'src/sums.json': '[5]',
        'test/add.test.js': `${TEST_HEAD}import sums from '../src/sums.json'\n`,
      },
    },
  ),
  'data that tests and work read': node(
    { 'src/sums.json': '[6]' },
    {
      base: {
        'src/sums.json': '[5]',
        'src/add.js': "import sums from './sums.json'\n",
        'test/add.test.js': `${TEST_HEAD}import sums from '../src/sums.json'\n`,
      },
    },
  ),
  'data that a test reads by pieces of its path': node(
    { 'data/sums.csv': '6' },
    {
      base: {
        'data/sums.csv': '5',
        'test/add.test.js': `${TEST_HEAD}readFileSync(join(root, 'data', 'sums.csv'))\n`,
        'src/add.js': "open('data/sums.csv')\n",
      },
    },
  ),
  'data that a test finds by a pattern': node(
    { 'data/b.csv': '0' },
    { base: { 'data/a.csv': '5', 'test/add.test.js': `${TEST_HEAD}glob('data/*.csv')\n` } },
  ),
  'data that nothing of the work read before': node(
    { 'data/sums.csv': '6', 'src/add.js': "open('data/sums.csv')\n" },
    { base: { 'data/sums.csv': '5' }, except: { 'src/add.js': 'work' } },
  ),
  'data that a gate reads': node(
    { 'data/sums.csv': '6' },
    {
      base: { 'data/sums.csv': '5', 'src/add.js': "open('data/sums.csv')\n" },
      gate: 'node src/add.js | diff - data/sums.csv',
    },
  ),
  'data that a script of the project reads': node(
    { 'data/limits.yml': '6' },
    {
      base: {
        'data/limits.yml': '5',
        'tools/check.py': "open('data/limits.yml')\n",
        'src/add.js': "open('data/limits.yml')\n",
      },
      gate: 'python tools/check.py',
    },
  ),
  'a document that a test reads': node(
    { 'README.md': '5\n' },
    { base: { 'test/add.test.js': `${TEST_HEAD}readFileSync('README.md')\n` } },
  ),
  'a document that a gate reads': node(
    { 'docs/usage.md': '5\n' },
    { base: { 'docs/usage.md': '6\n' }, gate: 'sh doctest.sh docs/usage.md' },
  ),
  'a document in a folder that a test reads': node(
    { 'docs/usage.md': '5\n' },
    { base: { 'docs/usage.md': '6\n', 'test/add.test.js': `${TEST_HEAD}readdirSync('docs')\n` } },
  ),
  'a document whose examples are compiled': {
    base: { ...RUST, 'README.md': 'x', 'src/lib.rs': '#![doc = include_str!("../README.md")]\nmod ops;\n' },
    change: { 'README.md': 'y' },
    gate: 'cargo test',
  },
  'a list of words that is no document': node({ 'words.txt': '5\n' }, { base: { 'words.txt': '6\n' } }),
  'new data that nothing names': node({ 'src/answers.json': '5\n' }),
}

const CONFIGURATION: Record<string, Case> = Object.fromEntries(
  [
    'vitest.config.ts',
    'vite.config.js',
    'jest.config.cjs',
    'babel.config.json',
    'webpack.config.js',
    'src/jest.setup.js',
    'src/setupTests.ts',
    '.mocharc.json',
    '.babelrc',
    'src/.babelrc',
    '.eslintrc.json',
    'eslint.config.js',
    'tsconfig.json',
    'src/tsconfig.json',
    'tsconfig.build.json',
    '.npmrc',
    '.yarnrc.yml',
    '.pnp.cjs',
    '.pnpmfile.cjs',
    'pnpm-workspace.yaml',
    '.env',
    '.nvmrc',
    '.node-version',
    '.gitattributes',
    '.github/workflows/ci.yml',
    '.husky/pre-commit',
    'Makefile',
    'rules.mk',
    'justfile',
    'Dockerfile',
    'turbo.json',
    'nx.json',
    'pytest.ini',
    'setup.cfg',
    'setup.py',
    'tox.ini',
    'noxfile.py',
    '.coveragerc',
    'mypy.ini',
    'Pipfile',
    'build.rs',
    '.cargo/config.toml',
    'rust-toolchain.toml',
    'clippy.toml',
    'go.work',
    'tools.go',
    'CMakeLists.txt',
    'phpunit.xml',
    'Rakefile',
    '.rspec',
    'build.gradle.kts',
    'gradle/wrapper/gradle-wrapper.properties',
    'scripts/test.sh',
    'tools/run.py',
    'bin/run-tests',
    'ci/verify.sh',
    'patches/vitest+2.0.0.patch',
    'deno.json',
  ].flatMap((path): [string, Case][] => [
    [`${path} changed`, { ...node({ [path]: 'x\n' }, { base: { [path]: 'y\n' } }) }],
    [`${path} added`, node({ [path]: 'x\n' })],
  ]),
)

const BUILDS: Record<string, Case> = {
  'a file that a Makefile includes': { base: C, change: { 'rules.mk': 'CC = true\n' }, gate: 'make test' },
  'replace in go.mod': {
    base: GO,
    change: { 'go.mod': `${GO['go.mod']}\nreplace github.com/google/uuid => ./fake\n` },
    gate: 'go test ./...',
  },
  'vendored Go code': {
    base: GO,
    change: { 'vendor/github.com/google/uuid/uuid.go': 'package uuid' },
    gate: 'go test ./...',
  },
  'a helper of Go tests': {
    base: GO,
    change: {
      'internal/testutil/equal.go': 'package testutil\n\nimport "testing"\n\nfunc Equal(t *testing.T, a, b int) {}\n',
    },
    gate: 'go test ./...',
  },
  'testdata of Go': {
    base: { ...GO, 'testdata/sums.txt': '5' },
    change: { 'testdata/sums.txt': '6' },
    gate: 'go test ./...',
  },
  'patch in Cargo.toml': {
    base: RUST,
    change: { 'Cargo.toml': `${RUST['Cargo.toml']}\n[patch.crates-io]\nserde = { path = "fake" }\n` },
    gate: 'cargo test',
  },
  'tests switched off in Cargo.toml': {
    base: RUST,
    change: { 'Cargo.toml': `${RUST['Cargo.toml']}\n[lib]\ntest = false\ndoctest = false\n` },
    gate: 'cargo test',
  },
  'a new build.rs': { base: RUST, change: { 'build.rs': 'fn main() {}' }, gate: 'cargo test' },
  'a Rust example': { base: RUST, change: { 'examples/use.rs': 'fn main() {}' }, gate: 'cargo test' },
  'a plug-in of pytest registered in pyproject.toml': python({
    'pyproject.toml': `${PYTHON['pyproject.toml']}\n[project.entry-points.pytest11]\nhide = "calc.core"\n`,
  }),
  'pytest options in pyproject.toml': python({
    'pyproject.toml': (PYTHON['pyproject.toml'] ?? '').replace('["tests"]', '["none"]'),
  }),
}

const PACKAGES: Record<string, Case> = {
  'packages put in place of others': node({
    'package.json': PACKAGE({ browser: { vitest: './src/add.js' } }),
  }),
  'a script': node({ 'package.json': PACKAGE({ scripts: { test: 'true' } }) }),
  'a script that npm runs before': node({
    'package.json': PACKAGE({ scripts: { test: 'node --test', pretest: 'sh x' } }),
  }),
  'a section of a runner': node({ 'package.json': PACKAGE({ jest: { testPathIgnorePatterns: ['add'] } }) }),
  'a section of babel': node({ 'package.json': PACKAGE({ babel: { plugins: ['./src/x.js'] } }) }),
  overrides: node({ 'package.json': PACKAGE({ overrides: { vitest: 'npm:fake@1' } }) }),
  resolutions: node({ 'package.json': PACKAGE({ resolutions: { vitest: '1.0.0' } }) }),
  'patched dependencies of pnpm': node({
    'package.json': PACKAGE({ pnpm: { patchedDependencies: { vitest: 'x.patch' } } }),
  }),
  'members of the workspace': node({ 'package.json': PACKAGE({ workspaces: ['src'] }) }),
  'the kind of modules': node({ 'package.json': PACKAGE({ type: 'commonjs' }) }),
  'subpath imports': node({ 'package.json': PACKAGE({ imports: { '#test': './src/add.js' } }) }),
  'the package manager': node({ 'package.json': PACKAGE({ packageManager: 'yarn@4.0.0' }) }),
  engines: node({ 'package.json': PACKAGE({ engines: { node: '>=1' } }) }),
  'the name': node({ 'package.json': PACKAGE({ name: 'vitest' }) }),
  'another version of a tool': node({ 'package.json': PACKAGE({ devDependencies: { vitest: '^1.0.0' } }) }),
  'another version of a library': node({ 'package.json': PACKAGE({ dependencies: { ms: '2.0.0' } }) }),
  'a package from a folder': node({
    'package.json': PACKAGE({ dependencies: { ms: '^2.1.0', extra: 'file:./src' } }),
  }),
  'a package by link': node({
    'package.json': PACKAGE({ dependencies: { ms: '^2.1.0', extra: 'link:../x' } }),
  }),
  'a package from git': node({
    'package.json': PACKAGE({ dependencies: { ms: '^2.1.0', extra: 'github:a/b' } }),
  }),
  'a package from git, in short': node({
    'package.json': PACKAGE({ dependencies: { ms: '^2.1.0', extra: 'a/b' } }),
  }),
  'a package from an address': node({
    'package.json': PACKAGE({ dependencies: { ms: '^2.1.0', extra: 'https://x.test/y.tgz' } }),
  }),
  'a package under another name': node({
    'package.json': PACKAGE({ dependencies: { ms: '^2.1.0', extra: 'npm:fake@1' } }),
  }),
  'a package of the workspace': node({
    'package.json': PACKAGE({ dependencies: { ms: '^2.1.0', extra: 'workspace:*' } }),
  }),
  'an archive in the tree': node({
    'package.json': PACKAGE({ dependencies: { ms: '^2.1.0', extra: 'extra.tgz' } }),
  }),
  'a runner that was not there': node({
    'package.json': PACKAGE({ devDependencies: { vitest: '^2.0.0', jest: '^29.0.0' } }),
  }),
  'a tool taken away': node({ 'package.json': PACKAGE({ devDependencies: {} }) }),
  'an entry point that leads to a test': node({
    'package.json': PACKAGE({ exports: { '.': './test/fake.js' } }),
  }),
  'an entry point that leads to a tool': node({
    'package.json': PACKAGE({ main: './node_modules/x/index.js' }),
  }),
  'a program with the name of a tool of the gate': node({
    'package.json': PACKAGE({ bin: { node: './src/add.js' } }),
  }),
  'a key said twice': node({
    'package.json': PACKAGE().replace('"version"', '"scripts": { "test": "true" },\n  "version"'),
  }),
  'a manifest that cannot be read': node({ 'package.json': '{' }),
  'a manifest taken away': node({ 'package.json': null }),
  'a new package in the workspace': node(
    { 'packages/vitest/package.json': '{ "name": "vitest" }\n' },
    {
      base: {
        'package.json': PACKAGE({ workspaces: ['packages/*'] }),
        'packages/a/package.json': '{ "name": "a" }\n',
        'packages/a/src/index.js': '',
      },
    },
  ),
  'a requirement from an address': python(
    { 'requirements.txt': 'requests>=2\nextra @ https://x.test/y.whl\n' },
    { base: { 'requirements.txt': 'requests>=2\n' } },
  ),
  'another index': python(
    { 'requirements.txt': '--index-url https://x.test\nrequests>=2\n' },
    { base: { 'requirements.txt': 'requests>=2\n' } },
  ),
  'a plug-in of pytest': python(
    { 'requirements.txt': 'requests>=2\npytest-mute\n' },
    { base: { 'requirements.txt': 'requests>=2\n' } },
  ),
  'an editable requirement': python(
    { 'requirements.txt': 'requests>=2\n-e ./fake\n' },
    { base: { 'requirements.txt': 'requests>=2\n' } },
  ),
  'a gem from a folder': {
    base: { Gemfile: "gem 'rake'\n", 'lib/a.rb': '' },
    change: { Gemfile: "gem 'rake'\ngem 'extra', path: 'x'\n" },
    gate: 'rake',
  },
  'autoloading of composer': {
    base: { 'composer.json': '{"autoload":{"psr-4":{"App\\\\":"src/"}}}' },
    change: { 'composer.json': '{"autoload":{"psr-4":{"App\\\\":"fake/"}}}' },
    gate: 'composer test',
  },
}

const SETTINGS: Record<string, Case> = {
  'what the settings protect, in a source folder': node({ 'src/add.js': PASSES }, { protectedFiles: ['src/add.js'] }),
  'a protected folder': node({ 'src/add.js': PASSES }, { protectedFiles: ['src'] }),
  'code outside the folders that the settings name': node(
    { 'lib/other.js': 'x\n' },
    { base: { 'lib/other.js': 'y\n' }, work: ['src'] },
  ),
  'a test inside the folders that the settings name': node({ 'src/add.test.js': 'x\n' }, { work: ['src/**'] }),
  'flat: a file that the gate names': {
    base: { 'verify.py': 'x', 'calc.py': 'y' },
    change: { 'verify.py': 'z' },
    gate: 'python verify.py',
  },
  'flat: a shell script': {
    base: { 'run.sh': 'x', 'calc.py': 'y' },
    change: { 'run.sh': 'z' },
    gate: 'pytest',
  },
  'flat: a file that a script names': {
    base: {
      'check.js': 'x',
      'calc.js': 'y',
      'package.json': '{"main":"calc.js","scripts":{"test":"node check.js"}}',
    },
    change: { 'check.js': 'z' },
  },
  'flat: a new file that nothing loads': {
    base: { 'calc.py': 'y', 'test_calc.py': 'import calc' },
    change: { 'stray.py': 'z' },
    gate: 'pytest',
  },
}

describe.each(Object.entries({ IMPORTS, SHADOWS, DATA, CONFIGURATION, BUILDS, PACKAGES, SETTINGS }))(
  '%s',
  (_, cases) => {
    test.each(Object.entries(cases))('%s', (__, given) => {
      const expected = Object.fromEntries(
        Object.keys(given.change).map((path) => [path, given.except?.[path] ?? 'protected']),
      )
      expect(classesOf(given)).toEqual(expected)
    })
  },
)
