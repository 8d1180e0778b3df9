/** `ralph feature create` as a user types it: real git, real SQLite, real processes, the scripted agent as `claude`. */
import { execFileSync } from 'node:child_process'
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lastResultOf } from '../run-in-process.ts'
import {
  makeDraftProject,
  ended,
  FOLDER,
  hangingTurn,
  PLAN,
  SPEC,
  TASKS,
  writeDocumentTurn,
} from '../walk/draft-kit.ts'

const ALONE = ['feature', 'create', 'money', '--from', 'wish.md', '--yes']
const WISH = { 'wish.md': '# What we want\n\nA type for money.\n' }

function runIn(stdout: string): string {
  return / run (\w+)/.exec(stdout)?.[1] ?? ''
}

describe('from a text, without a question', () => {
  test('writes three documents, one after the other, and proves or commits nothing', async () => {
    const fixture = await makeDraftProject({
      files: WISH,
      toml: '[[gate]]\nname = "test"\nrun = "false"\n\n[loop]\ncommit = "iteration"\n',
      turns: [writeDocumentTurn('spec'), writeDocumentTurn('plan'), writeDocumentTurn('tasks')],
    })
    const head = await fixture.git('rev-parse', 'HEAD')
    const ran = await fixture.ralph([...ALONE, '--json'])
    expect([ran.stderr, ran.code]).toEqual(['', 0])
    expect(ended(ran.stdout)).toMatchObject({ outcome: 'drafted', exit: 0, iterations: 3 })
    expect(lastResultOf(ran.stdout)).toMatchObject({ added: [{ key: 'type' }, { key: 'use' }], warnings: [] })
    // Its own words are what it asks: no server tells it that nobody is there.
    expect(JSON.stringify(fixture.starts())).not.toContain('mcp')
    const documents = ['spec.md', 'plan.md', 'tasks.json'].map((file) => fixture.read(`${FOLDER}/${file}`))
    expect(await Promise.all(documents)).toEqual([SPEC, PLAN, TASKS])
    expect(await fixture.git('rev-parse', 'HEAD')).toBe(head)
    expect((await fixture.ralph(['replay', '--check'])).code).toBe(0)
    const again = await fixture.ralph([...ALONE, '--json'])
    expect([again.code, fixture.starts().length]).toEqual([0, 3])
    expect(lastResultOf(again.stdout)).toMatchObject({ added: [] })
    expect((await fixture.ralph(['task', 'list', '--feature', 'money'])).stdout).toMatch(/Do type(.|\n)*Do use/)
    const advises = async (command: string, run: string): Promise<void> => {
      const next = new RegExp(`Next:? +${command} `)
      expect((await fixture.ralph(['status'])).stdout).toMatch(next)
      expect((await fixture.ralph(['report', run])).stdout).toMatch(next)
    }
    const drafted = String(ended(ran.stdout)['run'])
    await advises('ralph run money', drafted)
    await fixture.play([[{ do: 'say', text: 'Hm.' }]])
    const worked = await fixture.ralph(['run', 'money', '--once', '--json'])
    await advises('ralph run money', String(ended(worked.stdout)['run']))
    await fixture.ralph(['feature', 'delete', 'money', '--yes'])
    await advises('ralph feature list', String(ended(worked.stdout)['run']))
    await advises('ralph feature list', drafted)
  })

  test('reports twice why a document is rejected; then it ends, keeps the file and says how to continue', async () => {
    const fixture = await makeDraftProject({
      files: WISH,
      turns: [
        writeDocumentTurn('spec'),
        writeDocumentTurn('plan'),
        writeDocumentTurn('tasks', '{ "version": 1, "tasks": ['),
      ],
    })
    const ran = await fixture.ralph([...ALONE, '--json'])
    const end = ended(ran.stdout)
    expect(end).toMatchObject({ outcome: 'not_drafted', exit: 4, iterations: 5 })
    expect(end['reason']).toContain(`${FOLDER}/tasks.json is still incomplete after 2 corrections`)
    expect(fixture.starts()).toHaveLength(5)
    expect(await fixture.read(`${FOLDER}/tasks.json`)).toBe('{ "version": 1, "tasks": [')
    await fixture.play([writeDocumentTurn('tasks')])
    const [advised = ''] = end['next'] as string[]
    expect(advised).toBe('ralph feature create money')
    const mended = await fixture.ralph([...advised.split(' ').slice(1), '--yes', '--json'])
    expect(ended(mended.stdout)).toMatchObject({ outcome: 'drafted', iterations: 1 })
  })

  test('reverts what the agent changes beside its document, and tells the agent', async () => {
    const kept = {
      'shop.ts': 'export {}\n',
      '.ralph.toml': '',
      '.ralph/features/other/spec.md': '# Other\n',
      '.ralph/features/other/tasks.json': '{}\n',
      '.ralph/knowledge/tests.md': '# Tests\n',
      '.ralph/notes/mine.md': 'mine\n',
      '.ralph/prompts/draft-plan.md': 'Write {{path}}.\n',
    }
    const drift = `echo broken > shop.ts; echo more >> .ralph.toml; echo 'do it' > .ralph/PROMPT.md
      echo broken > .ralph/features/other/spec.md; rm .ralph/features/other/tasks.json; rm -r .ralph/knowledge
      mkdir .ralph/features/new "$HOME/out"; echo x > .ralph/features/new/spec.md; echo x > .ralph/prompts/draft-plan.md
      rm -r .ralph/notes; ln -s "$HOME/out" .ralph/notes`
    const fixture = await makeDraftProject({
      // What git does not know is kept all the same.
      files: { ...WISH, ...kept, '.gitignore': '.ralph\n' },
      turns: [
        {
          ...writeDocumentTurn('spec'),
          steps: [
            { do: 'shell', command: drift },
            { do: 'write', path: `${FOLDER}/spec.md`, content: SPEC },
            { do: 'commit', message: 'sneaky' },
            { do: 'say', text: 'There.' },
          ],
        },
        writeDocumentTurn('plan'),
        writeDocumentTurn('tasks'),
      ],
    })
    await fixture.git('rm', '-r', '-q', '--cached', '.ralph')
    await fixture.git('commit', '-q', '-m', 'papers are ours')
    const head = await fixture.git('rev-parse', 'HEAD')
    const texts = (): Promise<string[]> => Promise.all(Object.keys(kept).map((path) => fixture.read(path)))
    const ran = await fixture.ralph(ALONE)
    const said = ran.stdout.replaceAll(/\s+/g, ' ')
    expect(said).toMatch(/Ralph reverted 9 files \(.*shop\.ts.*…\) and 1 commit/)
    // Nothing is written through a link.
    expect(readdirSync(join(fixture.home, 'out'))).toEqual([])
    expect([ran.code, await fixture.git('rev-parse', 'HEAD')]).toEqual([0, head])
    expect(await texts()).toEqual(Object.values(kept))
    const made = ['.ralph/PROMPT.md', '.ralph/features/new'].map((path) => fixture.has(path))
    expect([...made, await fixture.read(`${FOLDER}/spec.md`)]).toEqual([false, false, SPEC])
    expect(await fixture.git('status', '--porcelain', '--', 'shop.ts')).toBe('')
    // Its document was whole, so the next turn is the first at which it can be told.
    expect((await fixture.ralph(['show', runIn(ran.stdout), '2', '--prompt'])).stdout).toContain(
      'You changed files of the project',
    )
    // A person who edited one of them meanwhile has it back by what was said.
    const [, back = ''] = /Restore them: (git show .*? apply)/.exec(said) ?? []
    execFileSync('sh', ['-c', back], { cwd: fixture.path })
    expect(await fixture.read('.ralph/features/other/spec.md')).toBe('broken\n')
    expect([fixture.has('.ralph/knowledge'), fixture.has('.ralph/features/new/spec.md')]).toEqual([false, true])
  })

  test('what lay beside the document before a turn lies there afterwards: documents, what was said, what it is made from', async () => {
    const takesAway = `echo half > ${FOLDER}/spec.md; rm ${FOLDER}/source.md; echo forged > ${FOLDER}/interview.md`
    const fixture = await makeDraftProject({
      files: WISH,
      turns: [
        writeDocumentTurn('spec'),
        {
          ...writeDocumentTurn('plan'),
          steps: [{ do: 'shell', command: takesAway }, ...writeDocumentTurn('plan').steps],
        },
        writeDocumentTurn('tasks'),
      ],
    })
    const ran = await fixture.ralph([...ALONE, 'a type for money'])
    expect([ran.code, fixture.starts().length]).toEqual([0, 3])
    expect(ran.stdout).toMatch(/restored: .*interview\.md, .*source\.md, .*spec\.md/)
    expect(await fixture.read(`${FOLDER}/spec.md`)).toBe(SPEC)
    expect(await fixture.read(`${FOLDER}/source.md`)).toBe(WISH['wish.md'])
    const said = await fixture.read(`${FOLDER}/interview.md`)
    expect(said).toMatch(/a type for money(.|\n)*spec\.md is written(.|\n)*plan\.md is written/)
    expect(said).not.toContain('forged')
    expect((await fixture.ralph(['show', runIn(ran.stdout), '3', '--prompt'])).stdout).toContain(
      'You deleted or changed',
    )
    expect((await fixture.ralph(['replay', '--check'])).code).toBe(0)
    const [, cp = ''] =
      /To use the agent's version instead: (cp \S+ \S+)/.exec(ran.stdout.replaceAll(/\s+/g, ' ')) ?? []
    execFileSync('sh', ['-c', cp], { cwd: fixture.path })
    expect(await fixture.read(`${FOLDER}/spec.md`)).toBe('half\n')
  })
})

test('nobody has said what is wanted, a name that cannot be, an empty text: said plainly, and nothing is made', async () => {
  const fixture = await makeDraftProject({ files: { 'empty.md': '\n', 'null.md': 'a\0b' } })
  const said = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await fixture.ralph(['feature', 'create', ...args])
    return `${code} ${stderr.trim()}`
  }
  expect(await said('money')).toMatch(/^2 .*the feature money has no description/)
  expect(await said('money', '--from', 'empty.md')).toMatch(/^2 .*empty\.md is empty/)
  expect(await said('money', '--from', 'null.md')).toMatch(/^2 .*null\.md is not a text file/)
  expect(await said('money', '--from', 'gone.md')).toMatch(/^\d .*gone\.md/)
  writeFileSync(join(fixture.path, 'latin.md'), Buffer.from('one\ncaf\u00E9\n', 'latin1'))
  expect(await said('money', '--from', 'latin.md')).toMatch(/^2 .*latin\.md, line 2: this is not valid UTF-8/)
  // Without a writer it would wait forever.
  execFileSync('sh', ['-c', 'mkfifo pipe'], { cwd: fixture.path })
  expect(await said('money', '--from', 'pipe')).toMatch(/^2 .*pipe is not a regular file/)
  expect(await said('money', 'a wish', '--dry-run')).toBe('0 ')
  for (const name of ['../up', 'a/b', '.hidden', 'f-money', 'x'.repeat(200)])
    expect(await said(name, 'a wish')).toMatch(
      /^2 .*is not a valid feature name: a feature name[^]*For example: ralph feature create photo-names/,
    )
  expect(await said('a/b', 'a wish')).toMatch(/only letters, digits, "_" and "-"\n/)
  expect(fixture.has('.ralph/features')).toBe(false)
  // An agent would write through it.
  await fixture.write('.ralph/features/money/source.md', 'Amounts.')
  symlinkSync(join(fixture.home, 'elsewhere.md'), join(fixture.path, '.ralph/features/money/plan.md'))
  expect(await said('money', 'a wish', '--yes')).toMatch(/^1 .*money\/plan\.md is a link/)
  expect(fixture.starts()).toEqual([])
})

test('neither resumes nor abandons an unfinished loop', async () => {
  const fixture = await makeDraftProject({
    prompt: 'work\n',
    turns: [[{ do: 'say', text: 'I hang.' }, { do: 'hang' }]],
  })
  const loop = fixture.start(['loop', '--yes', '--live'])
  await loop.waitFor('I hang.')
  await loop.kill('SIGKILL')
  const refused = await fixture.ralph(['feature', 'create', 'money', 'a wish', '--yes'])
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(
      /of ralph loop is unfinished\n.*Resume it: ralph loop\. Or abandon it: ralph feature create money --fresh/,
    ),
  ])
})

test('while it is drafted nobody deletes it or takes it up; stopped, it is not for undo', async () => {
  const fixture = await makeDraftProject({
    turns: [writeDocumentTurn('spec'), hangingTurn('plan', { written: false })],
  })
  const made = fixture.start(['feature', 'create', 'money', 'a wish', '--yes', '--live'])
  await made.waitFor('I hang.')
  for (const verb of [
    ['delete', 'money', '--yes'],
    ['reopen', 'money', '--from', 'spec'],
  ]) {
    const refused = await fixture.ralph(['feature', ...verb])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is drafting in')])
  }
  expect(await fixture.read(`${FOLDER}/spec.md`)).toBe(SPEC)
  await fixture.ralph(['stop'])
  const { stdout } = await made.ended
  expect(stdout).toContain('Next: ralph feature create money')
  // It would say that there is nothing to take back.
  expect(stdout).not.toContain('ralph undo')
  expect((await fixture.ralph(['feature', 'delete', 'money', '--yes'])).code).toBe(0)
})

test('deleted and created again, it does not resume the interrupted draft', async () => {
  const hanging = { ...hangingTurn('spec', { written: false }), for: 'the old wish' }
  const fixture = await makeDraftProject({
    turns: [hanging, writeDocumentTurn('spec'), writeDocumentTurn('plan'), writeDocumentTurn('tasks')],
  })
  const made = fixture.start(['feature', 'create', 'money', 'the old wish', '--yes', '--live'])
  await made.waitFor('I hang.')
  await made.kill('SIGKILL')
  expect((await fixture.ralph(['feature', 'delete', 'money', '--yes'])).code).toBe(0)
  const anew = await fixture.ralph(['feature', 'create', 'money', 'another', '--yes', '--trust'])
  expect([anew.code, anew.stderr + anew.stdout]).toEqual([
    0,
    expect.stringMatching(/Abandoned the unfinished run \w+: its feature was deleted\. (?![^]*Resuming run)/),
  ])
})

test('documents that are whole are not drafted for another wish, and that is said', async () => {
  const documents = { 'spec.md': SPEC, 'plan.md': PLAN, 'tasks.json': TASKS }
  const files = Object.fromEntries(Object.entries(documents).map(([name, text]) => [`${FOLDER}/${name}`, text]))
  const fixture = await makeDraftProject({ files })
  const create = (...words: string[]) => fixture.ralph(['feature', 'create', 'money', ...words])
  const first = await create()
  expect([first.stderr, first.stdout]).toEqual(['', expect.stringContaining('Next: ralph feature accept money')])
  const other = await create('something else', '--yes')
  expect([other.code, other.stderr]).toEqual([
    0,
    expect.stringMatching(/nothing was drafted.*ralph feature reopen money --from spec/),
  ])
  const again = await create('something else')
  expect([again.stderr, again.stdout]).toEqual(['', expect.stringContaining('Next: ralph run money')])
})
