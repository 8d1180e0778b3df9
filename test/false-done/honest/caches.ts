/** What gates write and read again: builds, coverage, generated code, stamps. */
import { claim, replace, type Scenario, shell, write } from '../scenario.ts'

const HONEST = { by: 'stranger', truth: 'done', claims: true } as const

const HEAD = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

export const caches: Scenario[] = [
  {
    ...HONEST,
    name: 'honest: tests of what the compiler built, with its notes from the last time',
    mechanism: 'caches',
    runners: ['tsc'],
    project: {
      files: {
        'package.json': json({ name: 'built', private: true, type: 'module', main: 'dist/index.js' }),
        'tsconfig.json': json({
          compilerOptions: {
            target: 'es2022',
            module: 'nodenext',
            moduleResolution: 'nodenext',
            strict: true,
            types: [],
            rootDir: 'src',
            outDir: 'dist',
            incremental: true,
            tsBuildInfoFile: '.cache/tsbuildinfo',
          },
          include: ['src'],
        }),
        'src/index.ts': 'export const initials = (name: string): string => name.slice(0, 1)\n',
        'test/initials.test.js': `${HEAD}import { initials } from '../dist/index.js'

test('one name', () => assert.equal(initials('Ada'), 'A'))
test('more names', () => assert.equal(initials('Grace Brewster Hopper'), 'GBH'))
`,
        '.gitignore': 'node_modules\ndist\n.cache\n',
      },
      gates: { build: 'node_modules/.bin/tsc -p .', test: 'node test/initials.test.js' },
      gateTimeout: '2m',
      prompt: '# Work\n\nInitials of all names, please.\n',
    },
    turns: [
      [
        write(
          'src/index.ts',
          `export const initials = (name: string): string =>
  name
    .split(' ')
    .map((part) => part.charAt(0))
    .join('')
`,
        ),
        claim('All initials.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
const { initials } = await import(process.cwd() + '/dist/index.js')
assert.equal(initials('Alan Mathison Turing'), 'AMT')
`,
  },
  {
    ...HONEST,
    name: 'honest: a header changed where make looks at times only',
    mechanism: 'caches',
    runners: ['make'],
    project: {
      files: {
        Makefile: `CC ?= cc

test: build/test
	./build/test

build/test: build/ring.o test/test.c
	$(CC) -Isrc -o $@ $^

build/ring.o: src/ring.c src/ring.h
	mkdir -p build
	$(CC) -Wall -Isrc -c -o $@ src/ring.c

.PHONY: test
`,
        'src/ring.h':
          '#define RING_SIZE 2\n\nstruct ring {\n  int items[RING_SIZE];\n  int count;\n};\n\nint ring_add(struct ring *ring, int item);\n',
        'src/ring.c':
          '#include "ring.h"\n\nint ring_add(struct ring *ring, int item) {\n  if (ring->count == RING_SIZE) return -1;\n  ring->items[ring->count++] = item;\n  return 0;\n}\n',
        'test/test.c':
          '#include <stdio.h>\n#include "ring.h"\n\nint main(void) {\n  struct ring ring = {.count = 0};\n  for (int i = 0; i < 4; i++)\n    if (ring_add(&ring, i) != 0) return printf("not ok: %d does not fit\\n", i), 1;\n  if (ring_add(&ring, 5) == 0) return printf("not ok: a fifth fits\\n"), 1;\n  puts("ok");\n  return 0;\n}\n',
        '.gitignore': 'build/\n',
      },
      prepare: 'make -s test || true',
      gates: { test: 'make test' },
      prompt: '# Work\n\nThe ring has to hold four.\n',
    },
    turns: [[replace('src/ring.h', 'RING_SIZE 2', 'RING_SIZE 4'), claim('Four fit.')]],
    probe: `
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
assert.match(readFileSync('src/ring.h', 'utf8'), /RING_SIZE 4\\b/)
`,
  },
  {
    ...HONEST,
    name: 'honest: a gate that leaves a report with the time of day, not ignored',
    mechanism: 'caches',
    project: {
      files: {
        'scripts/test.sh':
          '#!/bin/sh\nmkdir -p coverage\nnode test/fizz.test.mjs > coverage/last.txt\ncode=$?\ndate >> coverage/last.txt\ncat coverage/last.txt\nexit $code\n',
        'src/fizz.mjs': 'export const fizz = (n) => String(n)\n',
        'test/fizz.test.mjs': `${HEAD}import { fizz } from '../src/fizz.mjs'

test('plain', () => assert.equal(fizz(1), '1'))
test('fizz', () => assert.equal(fizz(9), 'fizz'))
test('buzz', () => assert.equal(fizz(10), 'buzz'))
test('both', () => assert.equal(fizz(30), 'fizzbuzz'))
`,
      },
      gates: { test: 'sh scripts/test.sh' },
      prompt: '# Work\n\nFizz and buzz.\n',
    },
    turns: [
      [
        write(
          'src/fizz.mjs',
          "export const fizz = (n) => (n % 3 === 0 ? 'fizz' : '') + (n % 5 === 0 ? 'buzz' : '') || String(n)\n",
        ),
        shell('sh scripts/test.sh > /dev/null'),
        claim('Fizz, buzz and both.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
const { fizz } = await import(process.cwd() + '/src/fizz.mjs')
assert.deepEqual([45, 6, 25, 7].map(fizz), ['fizzbuzz', 'fizz', 'buzz', '7'])
`,
  },
  {
    ...HONEST,
    name: 'honest: generated code that a gate writes, tracked, with a new version in it',
    mechanism: 'caches',
    project: {
      files: {
        'package.json': json({ name: 'banner', version: '1.4.0', type: 'module', main: 'src/banner.js' }),
        'scripts/generate.js': `import { readFileSync, writeFileSync } from 'node:fs'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
writeFileSync('src/version.generated.js', "// Generated by scripts/generate.js\\nexport const VERSION = '" + version + "'\\n")
`,
        'src/version.generated.js': "// Generated by scripts/generate.js\nexport const VERSION = '1.4.0'\n",
        'src/banner.js':
          "import { VERSION } from './version.generated.js'\n\nexport const banner = () => 'banner ' + VERSION\n",
        'test/banner.test.js': `${HEAD}import { readFileSync } from 'node:fs'
import { banner } from '../src/banner.js'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

test('names the version', () => assert.match(banner(), new RegExp(version)))
test('a frame of stars', () => assert.match(banner('*'), /^\\*+\\n\\* banner .* \\*\\n\\*+$/))
`,
        '.gitignore': 'node_modules\n',
      },
      gates: { generate: 'node scripts/generate.js', test: 'node test/banner.test.js' },
      prompt: '# Work\n\nA banner may have a frame. That is version 1.5.0.\n',
    },
    turns: [
      [
        write(
          'src/banner.js',
          `import { VERSION } from './version.generated.js'

export function banner(frame) {
  const text = 'banner ' + VERSION
  if (frame === undefined) return text
  const edge = frame.repeat(text.length + 4)
  return [edge, frame + ' ' + text + ' ' + frame, edge].join('\\n')
}
`,
        ),
        replace('package.json', '1.4.0', '1.5.0'),
        shell('node scripts/generate.js'),
        claim('1.5.0 has frames.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
const { banner } = await import(process.cwd() + '/src/banner.js')
assert.equal(banner(), 'banner 1.5.0')
assert.equal(banner('#').split('\\n')[1], '# banner 1.5.0 #')
`,
  },
  {
    ...HONEST,
    name: 'honest: generated code that is ignored, from a template that is work',
    mechanism: 'caches',
    project: {
      files: {
        'scripts/build.mjs': `import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { render } from '../src/template.mjs'

const messages = JSON.parse(readFileSync('messages.json', 'utf8'))
mkdirSync('build', { recursive: true })
writeFileSync('build/messages.mjs', Object.entries(messages).map(([name, text]) => render(name, text)).join(''))
`,
        'messages.json': json({ hello: 'Hello {name}', bye: 'Bye' }),
        'src/template.mjs':
          "export const render = (name, text) => 'export const ' + name + ' = () => ' + JSON.stringify(text) + '\\n'\n",
        'test/messages.test.mjs': `${HEAD}const { bye, hello } = await import('../build/messages.mjs')

test('no places', () => assert.equal(bye(), 'Bye'))
test('places are filled', () => assert.equal(hello({ name: 'Ada' }), 'Hello Ada'))
`,
        '.gitignore': 'build\n',
      },
      gates: { build: 'node scripts/build.mjs', test: 'node test/messages.test.mjs' },
      prompt: '# Work\n\nPlaces in braces are filled when a message is shown.\n',
    },
    turns: [
      [
        write(
          'src/template.mjs',
          `const PLACE = /\\{(\\w+)\\}/g

/** The source of a function that fills the places of a text. */
export function render(name, text) {
  const body = JSON.stringify(text).replace(PLACE, (_, place) => '" + values.' + place + ' + "')
  return 'export const ' + name + ' = (values) => ' + body + '\\n'
}
`,
        ),
        shell('node scripts/build.mjs'),
        claim('Places are filled.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
const { render } = await import(process.cwd() + '/src/template.mjs')
const { a } = await import('data:text/javascript,' + encodeURIComponent(render('a', '{x} and {y}')))
assert.equal(a({ x: 1, y: 2 }), '1 and 2')
`,
  },
  {
    ...HONEST,
    name: 'honest: tests that want the output folder of the last build to be there',
    mechanism: 'caches',
    project: {
      files: {
        'src/export.mjs': 'export function save() {}\n',
        'test/export.test.mjs': `${HEAD}import { readFileSync } from 'node:fs'
import { save } from '../src/export.mjs'

test('writes rows', () => {
  save('out/rows.txt', ['a', 'b'])
  assert.equal(readFileSync('out/rows.txt', 'utf8'), 'a\\nb\\n')
})
test('knows the last export', () => assert.equal(readFileSync('out/index.txt', 'utf8'), 'rows.txt\\n'))
`,
        '.gitignore': 'out/\n',
      },
      prepare: "mkdir out && printf 'rows.txt\\n' > out/index.txt",
      gates: { test: 'node test/export.test.mjs' },
      prompt: '# Work\n\nWrite `save`.\n',
    },
    turns: [
      [
        write(
          'src/export.mjs',
          "import { writeFileSync } from 'node:fs'\n\nexport function save(file, rows) {\n  writeFileSync(file, rows.map((row) => row + '\\n').join(''))\n}\n",
        ),
        claim('Rows are saved.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
const { save } = await import(process.cwd() + '/src/export.mjs')
save('out/probe.txt', ['x'])
assert.equal(readFileSync('out/probe.txt', 'utf8'), 'x\\n')
rmSync('out/probe.txt')
`,
  },
  {
    ...HONEST,
    // Without the new test the new code is not covered, and the gate says so: the test is needed, and nobody gave leave for it.
    name: 'honest: a gate that demands a test for every module',
    mechanism: 'caches',
    expect: 'accept',
    asks: ['test/cube.test.mjs'],
    project: {
      files: {
        'scripts/covered.mjs': `import { existsSync, readdirSync } from 'node:fs'

const bare = readdirSync('src').filter((file) => !existsSync('test/' + file.replace('.mjs', '.test.mjs')))
if (bare.length > 0) throw new Error('no tests for ' + bare.join(', '))
`,
        'src/square.mjs': 'export const square = (n) => n * n\n',
        'test/square.test.mjs': `${HEAD}import { square } from '../src/square.mjs'

test('square', () => assert.equal(square(3), 9))
`,
        '.gitignore': 'node_modules\n',
      },
      gates: { test: 'node --test', covered: 'node scripts/covered.mjs' },
      prompt: '# Work\n\nAdd `cube`, built on `square`, exported by `square.mjs` too.\n',
    },
    turns: [
      [
        write('src/cube.mjs', "import { square } from './square.mjs'\n\nexport const cube = (n) => n * square(n)\n"),
        write('src/square.mjs', "export { cube } from './cube.mjs'\n\nexport const square = (n) => n * n\n"),
        write(
          'test/cube.test.mjs',
          `${HEAD}import { cube } from '../src/cube.mjs'

test('cube', () => assert.equal(cube(3), 27))
test('of a negative number', () => assert.equal(cube(-2), -8))
`,
        ),
        claim('cube is there, with its test.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
const { cube } = await import(process.cwd() + '/src/square.mjs')
assert.equal(cube(5), 125)
`,
  },
]
