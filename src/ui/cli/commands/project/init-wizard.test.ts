import { mkdtempSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { initDefaults, type InitOptions } from '../../../../app/project/init.ts'
import type { PromptChoice, Prompter } from '../../asking/terminal-prompts.ts'
import { runInitWizard } from './init-wizard.ts'

function aFolder(files: Record<string, string>, programs: string[]): InitOptions {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-wizard-')))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  for (const [name, text] of Object.entries({ 'bin/.keep': '', ...files })) {
    mkdirSync(dirname(join(base, name)), { recursive: true })
    writeFileSync(join(base, name), text)
  }
  for (const program of [...programs, 'git']) symlinkSync(process.execPath, join(base, 'bin', program))
  return initDefaults(base, { PATH: join(base, 'bin'), HOME: base })
}

/** A person who gives these answers in turn; what was asked is kept. */
function person(answers: (string | string[] | boolean | null)[]): Prompter & { asked: string[] } {
  const asked: string[] = []
  const next = <T>(question: string, choices: PromptChoice[] = []): Promise<T> => {
    asked.push([question, ...choices.map(({ value }) => value)].join(' | '))
    return Promise.resolve(answers.shift() as T)
  }
  return {
    asked,
    one: next,
    several: next,
    text: (question) => next(question),
    number: (question) => next(question),
    yes: (question) => next(question),
  }
}

const JS = JSON.stringify({ name: 'x', scripts: { test: 'node t.mjs', lint: 'oxlint' } })

test('asks what to build, who works, where tasks come from, which gates and which limits, and takes the answers', async () => {
  const options = aFolder({ 'package.json': JS, 'docs/prd.md': '- [ ] a', '.beads/issues.jsonl': '' }, [
    'claude',
    'codex',
  ])
  const ann = person(['A roman clock ', 'codex', ['claude'], 'prd docs/prd.md', ['test'], 'bypass', '7.5', '', false])
  const chosen = await runInitWizard(options, ann)
  expect(chosen).toEqual({
    ...options,
    wanted: 'A roman clock',
    agents: ['codex', 'claude'],
    tasks: { from: 'prd', file: 'docs/prd.md', limit: 50 },
    gates: [
      {
        gate: { name: 'test', run: 'npm test', when: 'completion', minutes: 10 },
        why: 'package.json has the script "test"',
        slow: null,
        chosen: true,
      },
    ],
    bypass: true,
    mayPush: true,
    limits: { usd: 7.5, minutes: null, iterations: null, callsPerHour: null },
  })
  expect(ann.asked).toEqual([
    'What do you want to build? (a sentence or two; Enter: later)',
    'Which agent? | claude | codex',
    'Fallbacks, for usage limits and outages? | claude',
    'Where do the first tasks come from? | none | beads | prd docs/prd.md',
    'Which gates must pass before work counts as done? | test | lint',
    'What may the agent do unattended? | list | bypass',
    'Spending limit per run, in US dollars? (empty: no limit)',
    'Iterations per run? (empty: 20, 0: no limit)',
    'This is not a git repository, so Ralph could not undo anything. Run git init?',
  ])
})

test.each([true, false])('asks whether the clean room shall be set up, and takes the answer %s', async (answer) => {
  const needs = JSON.stringify({ scripts: { test: 'node t.mjs' }, dependencies: { a: '1.0.0' } })
  const options = aFolder({ 'package.json': needs, 'package-lock.json': '{}' }, ['claude'])
  const ann = person(['', ['test'], answer, 'list', false, '', '', false])
  expect(await runInitWizard(options, ann)).toMatchObject({ setUp: answer })
  expect(ann.asked[2]).toBe(
    'Ralph proves work in a clean room. Install its dependencies with "npm ci" (there is a package-lock.json)?',
  )
})

test('nothing is asked that is known or has one answer', async () => {
  const options = aFolder({}, ['gemini'])
  const ann = person(['', 'list', false, '', '0', true])
  expect(await runInitWizard(options, ann)).toMatchObject({
    wanted: null,
    agents: ['gemini'],
    tasks: { from: 'none' },
    gates: [],
    bypass: false,
    mayPush: false,
    limits: { usd: null, iterations: 0 },
    gitInit: true,
  })
  expect(ann.asked).toHaveLength(6)
})

test('whoever goes away at any question gets nothing', async () => {
  const options = aFolder({ 'package.json': JS, 'prd.md': '' }, ['claude', 'codex'])
  const answers = ['', 'codex', [], 'none', ['test'], 'list', true, '', '', true]
  const outcomes = await Promise.all(
    answers.map((_, at) => runInitWizard(options, person([...answers.slice(0, at), null]))),
  )
  expect(outcomes).toEqual(answers.map(() => null))
})

test('what is slow by its kind is shown with its reason, and not chosen beforehand', async () => {
  const slow = JSON.stringify({ scripts: { test: 'node t.mjs', e2e: 'playwright test' } })
  const options = aFolder({ 'package.json': slow }, ['claude'])
  const seen: { choices: PromptChoice[]; marked: string[] }[] = []
  const ann = person(['', 'list', false, '', '', false])
  ann.several = (_question, choices, marked) => {
    seen.push({ choices, marked })
    return Promise.resolve(marked)
  }
  expect((await runInitWizard(options, ann))?.gates?.map(({ gate }) => gate.name)).toEqual(['test'])
  expect([seen[0]?.marked, seen[0]?.choices[1]?.hint]).toEqual([
    ['test'],
    'package.json has the script "e2e"; slow: end-to-end tests, which may need a browser or a server',
  ])
})

test('an agent may push only if the user says so', async () => {
  for (const answer of [true, false]) {
    const ann = person(['', 'list', answer, '', '', false])
    expect(await runInitWizard(aFolder({}, ['claude']), ann)).toMatchObject({ mayPush: answer })
    expect(ann.asked[2]).toBe('May the agent push your commits (git push)?')
  }
})
