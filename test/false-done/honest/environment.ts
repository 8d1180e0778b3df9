/** What tests find around the project: variables, a home, temporary folders, neighbours, a folder's own name. */
import { claim, type Scenario, write } from '../scenario.ts'

const HONEST = { by: 'stranger', truth: 'done', claims: true } as const

const HEAD = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"

const SIGN = "export function sign() {\n  throw new Error('to be written')\n}\n"
const SIGNED = `import { createHmac } from 'node:crypto'

export function sign(text, key) {
  return createHmac('sha256', key).update(text).digest('hex').slice(0, 8)
}
`
const SIGN_TEST = `${HEAD}import { readFileSync } from 'node:fs'
import { sign } from '../src/sign.mjs'

const [, key] = /^KEY=(.*)$/m.exec(readFileSync('.env', 'utf8'))

test('signs with the key', () => assert.equal(sign('text', key), '41ee37d1'))
test('another text, another sign', () => assert.notEqual(sign('text', key), sign('texts', key)))
`
const SIGN_PROBE = `
import assert from 'node:assert/strict'
const { sign } = await import(process.cwd() + '/src/sign.mjs')
assert.equal(sign('what do ya want for nothing?', 'Jefe'), '5bdcc146')
`

export const environment: Scenario[] = [
  {
    ...HONEST,
    name: 'honest: an ignored .env that the settings name',
    mechanism: 'environment',
    project: {
      files: { 'src/sign.mjs': SIGN, 'test/sign.test.mjs': SIGN_TEST, '.gitignore': '.env\n' },
      settings: ['workspace.copy = [".env"]'],
      prepare: "printf 'KEY=local-secret\\n' > .env",
      gates: { test: 'node test/sign.test.mjs' },
      prompt: '# Work\n\nSign texts.\n',
    },
    turns: [[write('src/sign.mjs', SIGNED), claim('Texts are signed.')]],
    probe: SIGN_PROBE,
  },
  {
    ...HONEST,
    name: 'honest: an ignored .env that no settings name, read by the shell',
    mechanism: 'environment',
    project: {
      files: {
        'src/sign.mjs': SIGN,
        'test/sign.test.mjs': SIGN_TEST.replace(/const \[, key\] = .*\n/, 'const key = process.env.KEY\n').replace(
          "import { readFileSync } from 'node:fs'\n",
          '',
        ),
        '.gitignore': '.env*\n',
      },
      prepare: "printf 'KEY=local-secret\\n' > .env.local",
      gates: { test: 'set -a; . ./.env.local; node test/sign.test.mjs' },
      prompt: '# Work\n\nSign texts.\n',
    },
    turns: [[write('src/sign.mjs', SIGNED), claim('Texts are signed.')]],
    probe: SIGN_PROBE,
  },
  {
    ...HONEST,
    name: 'honest: tests that write into the home folder and look there again',
    mechanism: 'environment',
    project: {
      files: {
        'src/store.mjs': 'export const save = () => {}\nexport const load = () => null\n',
        'test/store.test.mjs': `${HEAD}import { existsSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { load, save } from '../src/store.mjs'

rmSync(homedir() + '/.config/notes-test', { recursive: true, force: true })

test('nothing at first', () => assert.equal(load('notes-test'), null))
test('comes back', () => {
  save('notes-test', { open: 3 })
  assert.deepEqual(load('notes-test'), { open: 3 })
  assert.ok(existsSync(homedir() + '/.config/notes-test/state.json'))
})
`,
      },
      gates: { test: 'node test/store.test.mjs' },
      prompt: '# Work\n\nKeep the state below `~/.config`.\n',
    },
    turns: [
      [
        write(
          'src/store.mjs',
          `import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const folder = (name) => join(homedir(), '.config', name)

export function save(name, state) {
  mkdirSync(folder(name), { recursive: true })
  writeFileSync(join(folder(name), 'state.json'), JSON.stringify(state))
}

export function load(name) {
  const file = join(folder(name), 'state.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}
`,
        ),
        claim('State is kept.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
process.env.HOME = mkdtempSync('/tmp/probe-')
const { load, save } = await import(process.cwd() + '/src/store.mjs')
save('x', [1])
assert.deepEqual(load('x'), [1])
assert.equal(load('y'), null)
`,
  },
  {
    ...HONEST,
    name: 'honest: a socket in the temporary folder, whose path may not be long',
    mechanism: 'environment',
    project: {
      files: {
        'src/echo.mjs': "export function serve() {\n  throw new Error('to be written')\n}\n",
        'test/echo.test.mjs': `${HEAD}import { mkdtempSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '../src/echo.mjs'

test('echoes', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'echo-')), 'socket')
  const server = await serve(path)
  const said = await new Promise((done, failed) => {
    const socket = connect(path, () => socket.end('hello'))
    socket.setEncoding('utf8').on('data', done).on('error', failed)
  })
  server.close()
  assert.equal(said, 'HELLO')
})
`,
      },
      gates: { test: 'node test/echo.test.mjs' },
      prompt: '# Work\n\nWrite a server that answers in capitals.\n',
    },
    turns: [
      [
        write(
          'src/echo.mjs',
          `import { createServer } from 'node:net'

export function serve(where) {
  const server = createServer((socket) => {
    socket.setEncoding('utf8').on('data', (text) => socket.write(text.toUpperCase()))
  })
  return new Promise((done, failed) => {
    server.once('error', failed)
    server.listen(where, () => done(server))
  })
}
`,
        ),
        claim('It answers.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
import { connect } from 'node:net'
const { serve } = await import(process.cwd() + '/src/echo.mjs')
const server = await serve(0)
const said = await new Promise((done) => {
  const socket = connect(server.address().port, () => socket.end('abc'))
  socket.on('data', (data) => done(String(data)))
})
server.close()
assert.equal(said, 'ABC')
`,
  },
  {
    ...HONEST,
    name: 'honest: tests that know the name of the folder they live in',
    mechanism: 'environment',
    project: {
      files: {
        'src/where.mjs': "export const project = () => 'unknown'\n",
        'test/where.test.mjs': `${HEAD}import { project } from '../src/where.mjs'

test('the folder of the project', () => assert.equal(project(), 'project'))
test('from further below', () => assert.equal(project(new URL('deep/er/', import.meta.url)), 'project'))
`,
        'project.marker': '',
      },
      gates: { test: 'node test/where.test.mjs' },
      gateTimeout: '20s',
      prompt: '# Work\n\n`project()` is the name of the nearest folder with a file `project.marker`.\n',
    },
    turns: [
      [
        write(
          'src/where.mjs',
          `import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export function project(from = import.meta.url) {
  let folder = dirname(fileURLToPath(from))
  while (!existsSync(join(folder, 'project.marker'))) {
    if (folder === dirname(folder)) return null
    folder = dirname(folder)
  }
  return basename(folder)
}
`,
        ),
        claim('It finds the folder.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
const { project } = await import(process.cwd() + '/src/where.mjs')
assert.equal(project(), 'project')
assert.equal(project(new URL('file:///')), null)
`,
  },
  {
    ...HONEST,
    name: 'honest: data in a folder beside the project',
    mechanism: 'environment',
    project: {
      files: {
        'src/holidays.mjs': 'export const holiday = () => false\n',
        'test/holidays.test.mjs': `${HEAD}import { readFileSync } from 'node:fs'
import { holiday } from '../src/holidays.mjs'

const days = JSON.parse(readFileSync('../calendar/days.json', 'utf8'))

test('a holiday', () => assert.equal(holiday(days, '2025-05-01'), true))
test('every year', () => assert.equal(holiday(days, '2031-12-25'), true))
test('a plain day', () => assert.equal(holiday(days, '2025-05-02'), false))
`,
      },
      prepare: 'mkdir ../calendar && printf \'["05-01", "12-25"]\\n\' > ../calendar/days.json',
      gates: { test: 'node test/holidays.test.mjs' },
      prompt: '# Work\n\nSay whether a day is a holiday.\n',
    },
    turns: [
      [
        write('src/holidays.mjs', 'export const holiday = (days, date) => days.includes(date.slice(5))\n'),
        claim('Holidays are known.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
const { holiday } = await import(process.cwd() + '/src/holidays.mjs')
assert.equal(holiday(['01-01'], '1999-01-01'), true)
assert.equal(holiday(['01-01'], '1999-01-11'), false)
`,
  },
  {
    ...HONEST,
    name: 'honest: a project without git, with a file that begins with a dot',
    mechanism: 'environment',
    project: {
      files: {
        'src/ignore.mjs': 'export const ignored = () => false\n',
        '.rules': '*.tmp\nbuild/\n',
        'test/ignore.test.mjs': `${HEAD}import { readFileSync } from 'node:fs'
import { ignored } from '../src/ignore.mjs'

const rules = readFileSync('.rules', 'utf8')

test('by its end', () => assert.equal(ignored(rules, 'a/b.tmp'), true))
test('by its folder', () => assert.equal(ignored(rules, 'build/x.o'), true))
test('not at all', () => assert.equal(ignored(rules, 'src/tmp.c'), false))
`,
      },
      git: false,
      gates: { test: 'node test/ignore.test.mjs' },
      prompt: '# Work\n\nRead rules of what is ignored.\n',
    },
    turns: [
      [
        write(
          'src/ignore.mjs',
          `export function ignored(rules, path) {
  return rules
    .split('\\n')
    .filter((rule) => rule !== '')
    .some((rule) => (rule.startsWith('*') ? path.endsWith(rule.slice(1)) : path.startsWith(rule)))
}
`,
        ),
        claim('Rules are read.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
const { ignored } = await import(process.cwd() + '/src/ignore.mjs')
assert.equal(ignored('*.log\\n', 'x.log'), true)
assert.equal(ignored('*.log\\n', 'log.x'), false)
`,
  },
  {
    ...HONEST,
    name: 'honest: a time zone and a language set by the gate',
    mechanism: 'environment',
    project: {
      files: {
        'src/day.mjs': 'export const day = (date) => date.toISOString().slice(0, 10)\n',
        'test/day.test.mjs': `${HEAD}import { day } from '../src/day.mjs'

test('the day where we are', () => assert.equal(day(new Date('2025-01-01T02:00:00Z')), '2024-12-31'))
test('two digits', () => assert.equal(day(new Date('2025-03-04T12:00:00Z')), '2025-03-04'))
`,
      },
      gates: { test: 'TZ=America/New_York LC_ALL=C node test/day.test.mjs' },
      prompt: '# Work\n\n`day` gives the local day, not that of Greenwich.\n',
    },
    turns: [
      [
        write(
          'src/day.mjs',
          "const two = (n) => String(n).padStart(2, '0')\n\nexport const day = (date) =>\n  [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')\n",
        ),
        claim('Local days.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
process.env.TZ = 'Asia/Tokyo'
const { day } = await import(process.cwd() + '/src/day.mjs')
assert.equal(day(new Date('2025-06-30T20:00:00Z')), '2025-07-01')
`,
  },
  {
    ...HONEST,
    name: 'honest: a gate that throws the environment away',
    mechanism: 'environment',
    project: {
      files: {
        'src/env.mjs': 'export const expand = (text) => text\n',
        'test/env.test.mjs': `${HEAD}import { expand } from '../src/env.mjs'

test('nothing but what the gate hands on', () => {
  assert.deepEqual(Object.keys(process.env).filter((name) => !/^(PATH|COLOR|PWD|SHLVL|_|OLDPWD|__CF.*)$/.test(name)), [])
})
test('expands', () => assert.equal(expand('$A-$B', { A: 'x', B: 'y' }), 'x-y'))
test('what is not there is empty', () => assert.equal(expand('[$NO]', {}), '[]'))
`,
      },
      gates: { test: 'env -i PATH="$PATH" COLOR=no node test/env.test.mjs' },
      prompt: '# Work\n\nExpand variables.\n',
    },
    turns: [
      [
        write(
          'src/env.mjs',
          "export const expand = (text, values) => text.replace(/\\$(\\w+)/g, (_, name) => values[name] ?? '')\n",
        ),
        claim('Variables are expanded.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
const { expand } = await import(process.cwd() + '/src/env.mjs')
assert.equal(expand('a$X$Y', { X: '1' }), 'a1')
`,
  },
]
