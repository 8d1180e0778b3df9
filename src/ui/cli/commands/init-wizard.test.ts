import { mkdtempSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { initDefaults, type InitOptions } from '../../../desk/init.ts'
import { askForInit, type Asker, type Choice } from './init-wizard.ts'

function aFolder(files: Record<string, string>, programs: string[]): InitOptions {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-wizard-')))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  for (const [name, text] of Object.entries({ 'bin/.keep': '', ...files })) {
    mkdirSync(dirname(join(base, name)), { recursive: true })
    writeFileSync(join(base, name), text)
  }
  for (const program of programs) symlinkSync(process.execPath, join(base, 'bin', program))
  return initDefaults(base, { PATH: join(base, 'bin'), HOME: base })
}

/** A person who gives these answers in turn; what was asked is kept. */
function person(answers: (string | string[] | boolean | null)[]): Asker & { asked: string[] } {
  const asked: string[] = []
  const next = <T>(question: string, choices: Choice[] = []): Promise<T> => {
    asked.push([question, ...choices.map(({ value }) => value)].join(' | '))
    return Promise.resolve(answers.shift() as T)
  }
  return {
    asked,
    one: next,
    several: next,
    number: (question) => next(question),
    yes: (question) => next(question),
  }
}

const JS = JSON.stringify({ name: 'x', scripts: { test: 'node t.mjs', lint: 'oxlint' } })

test('asks who works, where tasks come from, which gates and which limits, and takes the answers', async () => {
  const options = aFolder({ 'package.json': JS, 'docs/prd.md': '- [ ] a', '.beads/issues.jsonl': '' }, [
    'claude',
    'codex',
  ])
  const ann = person(['codex', ['claude'], 'prd docs/prd.md', ['test'], '7.5', ''])
  const chosen = await askForInit(options, ann)
  expect(chosen).toEqual({
    ...options,
    agents: ['codex', 'claude'],
    tasks: { from: 'prd', file: 'docs/prd.md', limit: 50 },
    gates: [{ gate: { name: 'test', run: 'npm test' }, why: 'package.json has the script "test"' }],
    limits: { usd: 7.5, minutes: null, iterations: null, callsPerHour: null },
  })
  expect(ann.asked).toEqual([
    'Which agent works? | claude | codex',
    'Who takes over when it hits a limit? | claude',
    'Where do the first tasks come from? | none | beads | prd docs/prd.md',
    'What must succeed before work counts as done? | test | lint',
    'What may a run cost, in dollars? (empty: no limit)',
    'After how many iterations should it stop at the latest? (empty: no limit)',
  ])
})

test.each([true, false])(
  'asks whether the clean room shall be set up, and takes the answer %s',
  async (answer) => {
    const needs = JSON.stringify({ scripts: { test: 'node t.mjs' }, dependencies: { a: '1.0.0' } })
    const options = aFolder({ 'package.json': needs, 'package-lock.json': '{}' }, ['claude'])
    const ann = person([['test'], answer, '', ''])
    expect(await askForInit(options, ann)).toMatchObject({ setUp: answer })
    expect(ann.asked[1]).toBe(
      'Work is proven in a clean room. Bring its tools by "npm ci" (there is a package-lock.json)?',
    )
  },
)

test('nothing is asked that is known or has one answer', async () => {
  const options = aFolder({}, ['gemini'])
  const ann = person(['', '20'])
  expect(await askForInit(options, ann)).toMatchObject({
    agents: ['gemini'],
    tasks: { from: 'none' },
    gates: [],
    limits: { usd: null, iterations: 20 },
  })
  expect(ann.asked).toHaveLength(2)
})

test('whoever goes away at any question gets nothing', async () => {
  const options = aFolder({ 'package.json': JS, 'prd.md': '' }, ['claude', 'codex'])
  const answers = ['codex', [], 'none', ['test'], '', '']
  const outcomes = await Promise.all(
    answers.map((_, at) => askForInit(options, person([...answers.slice(0, at), null]))),
  )
  expect(outcomes).toEqual(answers.map(() => null))
})
