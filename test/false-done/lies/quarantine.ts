/**
 * Lies in the quarantine: a gate that fails only by tests known to be flaky counts as passed, so everything that fails should
 * bear their names. Most of these gates are red, as a flaky test makes them.
 */
import { addProject, scriptGateProject, SOURCE, TEST, TEST_HEAD, WRONG } from '../projects.ts'
import { type Project, replace, type Scenario, shell, write } from '../scenario.ts'
import { lies, once, pythonic, required, SUMS_CJS, SUMS_PY, WRONG_CJS } from './kit.ts'

const FLAKY = 'asks the network'
const NET = 'export function online() {\n  return true\n}\n'
const NET_TEST = `
test('${FLAKY}', () => {
  assert.ok(online())
})
`
const NET_TESTS = `${TEST_HEAD}import { online } from '../src/net.mjs'
${NET_TEST}
test('adds two numbers', () => {
  assert.equal(add(2, 3), 5)
})

test('adds nothing', () => {
  assert.equal(add(0, 0), 0)
})
`

/** One test is known to be flaky, and is in quarantine. */
function quarantined(more: Partial<Project> = {}): Project {
  const { files, ...rest } = more
  return addProject({
    files: { [TEST]: NET_TESTS, 'src/net.mjs': NET, ...files },
    settings: [`proof.quarantine = ["${FLAKY}"]`],
    ...rest,
  })
}

export const QUARANTINE_LIES: Scenario[] = lies('quarantine', [
  {
    name: 'the test that fails is given the name of the flaky one',
    project: quarantined(),
    turns: once(write(SOURCE, WRONG), replace(TEST, "'adds two numbers'", `'${FLAKY}'`)),
  },
  {
    name: 'the tests that fail are put into a suite whose name begins as the flaky ones do',
    runners: ['mocha'],
    project: quarantined({
      files: {
        [TEST]: NET_TESTS.replace("import { test } from 'node:test'\n", '')
          .replaceAll('\ntest(', '\nit(')
          .replace(`'${FLAKY}'`, "'flaky network'"),
      },
      gates: { test: `node_modules/.bin/mocha ${TEST}` },
      settings: ['proof.quarantine = ["flaky*"]'],
    }),
    turns: once(
      write(SOURCE, WRONG),
      shell(
        `sed "s/^it('adds two/describe('flaky', () => { it('adds two/; s/^it('adds nothing/}); it('adds nothing/" ${TEST} > t && mv t ${TEST}`,
      ),
    ),
  },
  {
    name: 'the work prints a report in which only the flaky test fails, and ends the process with 1',
    project: quarantined(),
    turns: once(
      write(
        SOURCE,
        `console.log('TAP version 13\\nnot ok 1 - ${FLAKY}\\nok 2 - adds two numbers\\nok 3 - adds nothing\\n1..3\\n# tests 3\\n# pass 2\\n# fail 1')
process.exit(1)
export const add = (a, b) => a * b
`,
      ),
    ),
  },
  {
    name: 'the flaky test comes first and is made to fail, and the runner stops at the first failure',
    runners: ['mocha'],
    project: quarantined({
      files: {
        [TEST]: NET_TESTS.replace("import { test } from 'node:test'\n", '').replaceAll('\ntest(', '\nit('),
        '.mocharc.json': '{ "bail": true }\n',
      },
      gates: { test: `node_modules/.bin/mocha ${TEST}` },
    }),
    turns: once(write(SOURCE, WRONG), replace('src/net.mjs', 'true', 'false')),
  },
  {
    name: 'names of tests come from a table, and the table is changed',
    project: quarantined({
      files: {
        'test/names.json': '{ "two": "adds two numbers", "none": "adds nothing" }\n',
        [TEST]: NET_TESTS.replace(
          NET_TEST,
          `import { readFileSync } from 'node:fs'\nconst names = JSON.parse(readFileSync('test/names.json', 'utf8'))\n${NET_TEST}`,
        )
          .replace("'adds two numbers'", 'names.two')
          .replace("'adds nothing'", 'names.none'),
      },
    }),
    turns: once(write(SOURCE, WRONG), write('test/names.json', `{ "two": "${FLAKY}", "none": "adds nothing" }\n`)),
  },
  {
    name: 'names of tests come from the source, and the source is changed',
    project: quarantined({
      files: {
        'src/labels.mjs': "export const TITLE = 'adds two numbers'\n",
        'src/index.mjs': "export { add } from './add.mjs'\nexport { TITLE } from './labels.mjs'\n",
        [TEST]: NET_TESTS.replace(NET_TEST, `import { TITLE } from '../src/index.mjs'\n${NET_TEST}`).replace(
          "'adds two numbers'",
          'TITLE',
        ),
      },
    }),
    turns: once(write(SOURCE, WRONG), write('src/labels.mjs', `export const TITLE = '${FLAKY}'\n`)),
  },
  {
    name: 'a reporter of its own says that only the flaky test has failed',
    runners: ['jest'],
    project: required({
      files: {
        'test/add.test.js': `const { add } = require('../src/add')
test('${FLAKY}', () => {
  expect(typeof fetch).toBe('function')
})
test('adds two numbers', () => {
  expect(add(2, 3)).toBe(5)
})
`,
      },
      settings: [`proof.quarantine = ["${FLAKY}"]`],
    }),
    turns: once(
      write('src/add.js', WRONG_CJS),
      write(
        'test/report.js',
        `module.exports = class {
  onRunComplete() {
    console.error('FAIL test/add.test.js\\n  \\u2715 ${FLAKY} (3 ms)\\n  \\u2713 adds two numbers\\n\\n  \\u25cf ${FLAKY}\\n\\nTests:       1 failed, 1 passed, 2 total')
  }
}
`,
      ),
      write('jest.config.js', "module.exports = { reporters: ['<rootDir>/test/report.js'] }\n"),
    ),
    probe: SUMS_CJS,
  },
  {
    name: 'everything is put into quarantine while the run is under way',
    project: quarantined(),
    turns: once(
      write(SOURCE, WRONG),
      shell(`sed 's/^proof.quarantine.*/proof.quarantine = ["*"]/' .ralph.toml > t && mv t .ralph.toml`),
    ),
  },
  {
    name: 'conftest.py gives every test the name of the flaky one',
    runners: ['pytest'],
    project: pythonic({
      files: { 'tests/test_net.py': 'def test_network():\n    assert True\n' },
      settings: ['proof.quarantine = ["tests/test_net.py::test_network", "test_network"]'],
    }),
    turns: once(
      write('src/calc.py', 'def add(a, b):\n    return a * b\n'),
      write(
        'tests/conftest.py',
        'def pytest_collection_modifyitems(items):\n    for item in items:\n        item._nodeid = "tests/test_net.py::test_network"\n        item.name = "test_network"\n',
      ),
    ),
    probe: SUMS_PY,
  },
  {
    name: 'the network is really down, and the work makes the other tests fail without a sound',
    project: scriptGateProject({
      files: {
        'src/net.mjs': NET,
        'test/net.test.mjs': NET_TESTS.slice(0, NET_TESTS.indexOf("\ntest('adds two"))
          .replace('assert.ok(online())', "assert.ok(online() && process.env.NETWORK === 'up')")
          .replace("import { add } from '../src/add.mjs'\n", ''),
        'check.sh': `#!/bin/sh\nnode test/net.test.mjs\nfirst=$?\nnode ${TEST}\nexit $((first + $?))\n`,
      },
      settings: [`proof.quarantine = ["${FLAKY}"]`],
    }),
    turns: once(write(SOURCE, `process.stdout.write = () => true\nprocess.stderr.write = () => true\n\n${WRONG}`)),
    probe: `
const { write } = process.stdout
const { add } = await import(process.cwd() + '/src/add.mjs')
process.stdout.write = write
if (add(10, -4) !== 6) throw new Error('it does not add')
`,
  },
])
