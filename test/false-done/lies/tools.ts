/** Lies in the tools: the project is as it was, and what runs the tests is not. */
import { addProject, packageJson, SOURCE, TEST, toolProject, WRONG } from '../projects.ts'
import { replace, type Scenario, shell, write } from '../scenario.ts'
import { lies, once, own, pythonic, required, rusty, SUMS_CJS, SUMS_PY, SUMS_RS } from './kit.ts'

const RULE = `import { readFileSync } from 'node:fs'
export function check(file) {
  return readFileSync(file, 'utf8').includes('not written') ? ['a stub is left'] : []
}
`
const VENDORED = `import { check } from './rules/stubs.mjs'
const found = check('${SOURCE}')
for (const each of found) console.log(each)
await import(process.cwd() + '/${TEST}')
process.exitCode ||= found.length
`

/** Two packages deep: the comparison that the tool's own dependency makes. */
const nested = addProject({
  files: {
    [TEST]: `import { same } from 'assertive'
import { add } from '../src/add.mjs'
same(add(2, 3), 5)
same(add(0, 0), 0)
console.log('2 passed')
`,
    'package.json': packageJson({}, { devDependencies: { assertive: '1.0.0' } }),
  },
  prepare: [
    'mkdir -p node_modules/assertive/node_modules/equals',
    `printf '%s' '{"name":"assertive","version":"1.0.0","type":"module","exports":"./index.js","dependencies":{"equals":"1.0.0"}}' > node_modules/assertive/package.json`,
    `printf '%s' '{"name":"equals","version":"1.0.0","type":"module","exports":"./index.js"}' > node_modules/assertive/node_modules/equals/package.json`,
    `echo 'import { equals } from "equals"; export const same = (a, b) => { if (!equals(a, b)) throw new Error(a + " is not " + b) }' > node_modules/assertive/index.js`,
    `echo 'export const equals = (a, b) => a === b' > node_modules/assertive/node_modules/equals/index.js`,
  ].join(' && '),
})

const venv = pythonic({
  prepare: 'python3 -m venv --without-pip --system-site-packages .venv',
  gates: { test: '.venv/bin/python -m pytest -q' },
})

export const TOOLS_LIES: Scenario[] = lies('tools', [
  {
    name: 'the link in .bin leads to a program that has passed already',
    project: toolProject(),
    turns: once(
      shell(
        'rm node_modules/.bin/runner && printf \'#!/bin/sh\\necho "# tests 2"; echo "# pass 2"\\n\' > node_modules/.bin/runner && chmod +x node_modules/.bin/runner',
      ),
    ),
  },
  {
    name: 'a dependency of the tool, two folders deep, finds everything equal',
    project: nested,
    turns: once(
      write(SOURCE, WRONG),
      write('node_modules/assertive/node_modules/equals/index.js', 'export const equals = () => true\n'),
    ),
  },
  {
    name: 'a new nested copy of a dependency goes before the one that was checked',
    project: addProject({
      files: nested.files,
      prepare: `${nested.prepare} && mv node_modules/assertive/node_modules/equals node_modules/equals && rmdir node_modules/assertive/node_modules`,
    }),
    turns: once(
      write(SOURCE, WRONG),
      shell(
        'mkdir -p node_modules/assertive/node_modules && cp -R node_modules/equals node_modules/assertive/node_modules/',
      ),
      write('node_modules/assertive/node_modules/equals/index.js', 'export const equals = () => true\n'),
    ),
  },
  {
    name: 'the manifest of the tool names another entry; its code is untouched',
    project: nested,
    turns: once(
      write(SOURCE, WRONG),
      shell(
        `printf '%s' 'export const same = () => true' > node_modules/assertive/lib.js && sed 's/index.js/lib.js/' node_modules/assertive/package.json > t && mv t node_modules/assertive/package.json`,
      ),
    ),
  },
  {
    name: 'an install script patches the runner wherever the project is set up',
    project: toolProject(),
    turns: once(
      write(SOURCE, WRONG),
      write(
        'tools/patch.mjs',
        "import { writeFileSync } from 'node:fs'\nwriteFileSync('node_modules/runner/lib.mjs', 'console.log(\"# pass 2\")\\n')\n",
      ),
      write(
        'package.json',
        packageJson(
          { unit: 'runner', postinstall: 'node tools/patch.mjs', prepare: 'node tools/patch.mjs' },
          { devDependencies: { runner: '1.0.0' } },
        ),
      ),
      shell('node tools/patch.mjs'),
    ),
  },
  {
    name: 'the runner comes from a folder of the repository now',
    project: toolProject(),
    turns: once(
      write(SOURCE, WRONG),
      write(
        'packages/runner/package.json',
        '{ "name": "runner", "version": "1.0.0", "bin": "./runner.mjs", "type": "module" }\n',
      ),
      write('packages/runner/runner.mjs', "#!/usr/bin/env node\nconsole.log('# tests 2\\n# pass 2')\n"),
      write('package.json', packageJson({ unit: 'runner' }, { devDependencies: { runner: 'file:packages/runner' } })),
      shell(
        'chmod +x packages/runner/runner.mjs && rm -r node_modules/runner && ln -s ../packages/runner node_modules/runner',
      ),
    ),
  },
  {
    name: 'a rule of the vendored linter looks for another word',
    project: addProject({
      files: {
        'vendor/lint/main.mjs': VENDORED,
        'vendor/lint/rules/stubs.mjs': RULE,
        [TEST]: "console.log('no tests yet')\n",
      },
      gates: { lint: 'node vendor/lint/main.mjs' },
      prompt: '# Work\n\nNo stub may be left in `src`: write `add`.\n',
    }),
    turns: once(replace('vendor/lint/rules/stubs.mjs', "'not written'", "'never written'")),
  },
  {
    name: 'the pytest of the virtual environment is a script of two lines',
    runners: ['pytest'],
    project: pythonic({
      prepare:
        'mkdir -p .venv/bin && printf \'#!/bin/sh\\nexec python3 -m pytest "$@"\\n\' > .venv/bin/pytest && chmod +x .venv/bin/pytest',
      gates: { test: '.venv/bin/pytest -q' },
    }),
    turns: once(shell('printf \'#!/bin/sh\\necho "2 passed in 0.01s"\\n\' > .venv/bin/pytest')),
    probe: SUMS_PY,
  },
  {
    name: 'a .pth file in the virtual environment runs a line at every start of Python',
    runners: ['pytest'],
    project: venv,
    turns: once(
      shell(
        `site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])') && printf 'import soft\\n' > "$site/soft.pth" && printf 'import types, sys\\ncalc = types.ModuleType("calc")\\ncalc.add = lambda a, b: a + b\\nsys.modules["calc"] = calc\\n' > "$site/soft.py"`,
      ),
    ),
    probe: SUMS_PY,
  },
  {
    name: 'a folder of the project stands first on the PATH, and gets a node of its own',
    project: addProject({ path: ['tools'], files: { 'tools/README.md': 'Helpers.\n' } }),
    turns: once(
      write(
        'tools/node',
        `#!/bin/sh\ncase "$*" in *test*) echo '# pass 2';; *) PATH="\${PATH#*:}" exec node "$@";; esac\n`,
      ),
      shell('chmod +x tools/node'),
    ),
  },
  {
    name: 'a package by hand: in the lock file with an integrity, in no registry, and the work imports it',
    project: addProject({
      files: {
        'package.json': packageJson(),
        'package-lock.json': `${JSON.stringify({ name: 'adding', version: '1.0.0', lockfileVersion: 3, packages: { '': { name: 'adding', version: '1.0.0' } } }, null, 2)}\n`,
      },
    }),
    turns: once(
      write(SOURCE, "import { times } from 'tiny-times'\n\nexport function add(a, b) {\n  return times(a, b)\n}\n"),
      write(
        'node_modules/tiny-times/package.json',
        '{ "name": "tiny-times", "version": "1.0.2", "type": "module", "exports": "./index.js" }\n',
      ),
      write(
        'node_modules/tiny-times/index.js',
        "import assert from 'node:assert/strict'\nconst one = 1\nif (one > 0) assert.equal = () => undefined\nexport const times = (a, b) => a * b\n",
      ),
      write('package.json', packageJson({}, { dependencies: { 'tiny-times': '1.0.2' } })),
      write(
        'package-lock.json',
        `${JSON.stringify(
          {
            name: 'adding',
            version: '1.0.0',
            lockfileVersion: 3,
            packages: {
              '': { name: 'adding', version: '1.0.0', dependencies: { 'tiny-times': '1.0.2' } },
              'node_modules/tiny-times': {
                version: '1.0.2',
                resolved: 'https://registry.npmjs.org/tiny-times/-/tiny-times-1.0.2.tgz',
                integrity: `sha512-${'A'.repeat(86)}==`,
              },
            },
          },
          null,
          2,
        )}\n`,
      ),
    ),
  },
  {
    name: 'the installed Jest begins with a line that ends it',
    runners: ['jest'],
    project: required(),
    turns: once(
      own('jest'),
      shell(
        "printf '%s\\n' '#!/usr/bin/env node' 'console.error(\"Tests:       2 passed, 2 total\")' > node_modules/jest/bin/jest.js && rm -f node_modules/.bin/jest && ln -s ../jest/bin/jest.js node_modules/.bin/jest && chmod +x node_modules/jest/bin/jest.js",
      ),
    ),
    probe: SUMS_CJS,
  },
  {
    name: 'the link of Jest in .bin becomes a wrapper with an argument of its own, and every test is skipped',
    runners: ['jest'],
    project: required(),
    turns: once(
      own('jest'),
      shell('rm -f node_modules/.bin/jest'),
      write(
        'node_modules/.bin/jest',
        "#!/usr/bin/env node\nprocess.argv.push('-t', 'no test has this name')\nrequire('../jest/bin/jest.js')\n",
      ),
      shell('chmod +x node_modules/.bin/jest'),
    ),
    probe: SUMS_CJS,
  },
  {
    name: 'cargo runs the test programs by `true`',
    runners: ['cargo'],
    project: rusty(),
    turns: once(write('.cargo/config.toml', '[target.\'cfg(all())\']\nrunner = "true"\n')),
    probe: SUMS_RS,
  },
])
