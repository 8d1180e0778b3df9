/** The interview of `ralph feature create` on a real terminal, cut off at each of its moments and gone on with. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
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
import { hasTmux, openTmux, type Tmux } from '../tmux.ts'
import type { TestProject, ScriptedTurn } from '../test-project.ts'

const RALPH = `${process.execPath} ${fileURLToPath(new URL('../../bin/ralph.cjs', import.meta.url))}`
const there = await hasTmux()

/** Asks once before it writes the specification, wherever the answer stands: in the prompt, or in what was said before. */
const ASKING: ScriptedTurn[] = [
  writeDocumentTurn('plan'),
  writeDocumentTurn('tasks'),
  { ...writeDocumentTurn('spec'), for: '\\bEuro!' },
  {
    for: `Write the document to ${FOLDER}/spec.md`,
    steps: [{ do: 'say', text: 'Which currency shall it be?\n1. one\n2. another' }],
  },
]

const CREATE = `${RALPH} feature create money "a type for money"; echo "code $?"`
const AGAIN = `clear; ${RALPH} feature create money "a type for money"; echo "again $?"`

async function atTheQuestion(): Promise<{ fixture: TestProject; tmux: Tmux }> {
  const fixture = await makeDraftProject({ turns: ASKING })
  const tmux = await openTmux(fixture)
  await tmux.type(CREATE, 'Enter')
  await tmux.shows(/Which currency shall it be\?(.|\n)*Your answer/)
  return { fixture, tmux }
}

async function accept(tmux: Tmux): Promise<void> {
  await tmux.shows(/What next\?(.|\n)*Accept it/)
  await tmux.type('Enter')
}

async function documents(fixture: TestProject): Promise<string[]> {
  return Promise.all(['spec.md', 'plan.md', 'tasks.json'].map((file) => fixture.read(`${FOLDER}/${file}`)))
}

describe.skipIf(!there)('on a terminal (skipped where tmux is not installed)', () => {
  test('a question is answered, and the documents are written', async () => {
    const { fixture, tmux } = await atTheQuestion()
    await tmux.type('Euro!', 'Enter')
    await accept(tmux)
    expect(await tmux.shows(/code \d/)).toContain('code 0')
    expect(await documents(fixture)).toEqual([SPEC, PLAN, TASKS])
    const interview = await fixture.read(`${FOLDER}/interview.md`)
    expect(interview).toMatch(
      /a type for money(.|\n)*Which currency(.|\n)*## The person\n\nEuro!\n(.|\n)*spec.md is written/,
    )
    // One conversation from the question to the last document.
    expect(fixture.starts().map(({ args }) => args.includes('--resume'))).toEqual([false, true, true, true])
    expect((await fixture.ralph(['replay', '--check'])).code).toBe(0)
  })

  test('an agent that starts fresh in each turn gets the earlier answers', async () => {
    const spec = writeDocumentTurn('spec')
    const told = {
      do: 'expect-prompt' as const,
      matches: 'conversation so far[^]*a type for money[^]*Which currency',
    }
    const heard = { ...spec, for: 'The person answers: Euro!', steps: [told, ...spec.steps] }
    const fixture = await makeDraftProject({ turns: [heard, ...ASKING] })
    const tmux = await openTmux(fixture)
    await tmux.type(`${RALPH} feature create money "a type for money" --no-continue; echo "code $?"`, 'Enter')
    await tmux.shows(/Which currency shall it be\?(.|\n)*Your answer/)
    await tmux.type('Euro!', 'Enter')
    await accept(tmux)
    expect(await tmux.shows(/code \d/)).toContain('code 0')
    expect(fixture.starts().map(({ args }) => args.includes('--resume'))).toEqual([false, false, false, false])
  })

  test('another terminal answers, and the question is taken back here', async () => {
    const { fixture, tmux } = await atTheQuestion()
    expect((await fixture.ralph(['status'])).stdout).toContain('Which currency shall it be?')
    expect((await fixture.ralph(['steer', 'Euro!'])).code).toBe(0)
    await accept(tmux)
    expect(await tmux.shows(/code \d/)).toContain('code 0')
    expect(await documents(fixture)).toEqual([SPEC, PLAN, TASKS])
  })

  test('Ctrl+C at the question stops; the same command asks again, in a new run, and knows what was said', async () => {
    const { fixture, tmux } = await atTheQuestion()
    await tmux.type('C-c')
    expect(await tmux.shows(/code \d/)).toContain('code 130')
    await tmux.type(AGAIN, 'Enter')
    await tmux.shows(/the agent may ask you questions(.|\n)*Which currency shall it be\?(.|\n)*Your answer/)
    await tmux.type('Euro!', 'Enter')
    await accept(tmux)
    expect(await tmux.shows(/again \d/)).toContain('again 0')
    const interview = await fixture.read(`${FOLDER}/interview.md`)
    expect(interview.match(/## The goal/g)).toHaveLength(1)
    expect(interview.match(/Which currency/g)).toHaveLength(2)
  })

  test('killed at the question: the same run is resumed and asks again, and loop and run leave it alone', async () => {
    const { fixture, tmux } = await atTheQuestion()
    const { pid } = JSON.parse((await fixture.ralph(['status', '--json'])).stdout) as { pid: number }
    process.kill(pid, 'SIGKILL')
    await tmux.shows(/code 137/)
    for (const command of ['loop', 'run']) {
      const refused = await fixture.ralph([command, '--yes'])
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringMatching(
          /of ralph feature create money is unfinished\n.*ralph feature create money\. Or abandon it/,
        ),
      ])
    }
    await fixture.write('.ralph.toml', '[[gate]]\nname = "test"\nrun = "true"\n')
    // The terminal of the killed one is as it left it.
    const other = await openTmux(fixture)
    await other.type(`${RALPH} feature create money; echo "code $?"`, 'Enter')
    const again = await other.shows(/Resuming run(.|\n)*Which currency shall it be\?(.|\n)*Your answer/)
    // No gate judges a draft: those of the project are no news to it.
    expect(again).not.toContain('say something else')
    await other.type('Euro!', 'Enter')
    await accept(other)
    expect(await other.shows(/code \d/)).toContain('code 0')
    const runs = JSON.parse((await fixture.ralph(['runs', '--json'])).stdout) as object[]
    expect(runs).toHaveLength(1)
  })

  test('an answer that was given before Ctrl+C is not asked for again', async () => {
    const { fixture, tmux } = await atTheQuestion()
    await fixture.play([{ for: 'Euro!', steps: [{ do: 'say', text: 'I think.' }, { do: 'hang' }] }])
    await tmux.type('Euro!', 'Enter')
    await tmux.shows('I think.')
    await tmux.type('C-c')
    expect(await tmux.shows(/code \d/)).toContain('code 130')
    await fixture.play(ASKING)
    await tmux.type(AGAIN, 'Enter')
    await accept(tmux)
    expect(await tmux.shows(/again \d/)).toContain('again 0')
    expect(await documents(fixture)).toEqual([SPEC, PLAN, TASKS])
  })
})

describe.skipIf(!there)('the tasks that were drafted', () => {
  test("are fixed by the agent, which gets the person's comments", async () => {
    const fewer = TASKS.replaceAll('Do use', 'Do it all')
    const fixture = await makeDraftProject({
      turns: [writeDocumentTurn('spec'), writeDocumentTurn('plan'), writeDocumentTurn('tasks')],
    })
    const tmux = await openTmux(fixture, { rows: 60 })
    await tmux.type(CREATE, 'Enter')
    await tmux.shows(/What next\?(.|\n)*Have the agent revise it/)
    await fixture.play([{ ...writeDocumentTurn('tasks', fewer), for: 'tasks\\.[0-9-]+\\.json now: call it otherwise' }])
    await tmux.type('Down', 'Down', 'Enter')
    await tmux.shows('What should change?')
    await tmux.type('call it otherwise', 'Enter')
    await tmux.shows(/Do it all(.|\n)*What next\?(.|\n)*Accept it/)
    await tmux.type('Enter')
    expect(await tmux.shows(/code \d/)).toContain('code 0')
    expect(await fixture.read(`${FOLDER}/tasks.json`)).toBe(fewer)
  })
})

describe('cut off in a turn', () => {
  test('ralph resume takes it up as the command itself does', async () => {
    const fixture = await makeDraftProject({
      turns: [writeDocumentTurn('spec'), hangingTurn('plan', { written: false })],
    })
    const walk = fixture.start(['feature', 'create', 'money', 'a type for money', '--yes', '--live'])
    await walk.waitFor('I hang.')
    await walk.kill('SIGKILL')
    await fixture.play([writeDocumentTurn('plan'), writeDocumentTurn('tasks')])
    const resumed = await fixture.ralph(['resume', '--json'])
    expect(ended(resumed.stdout)).toMatchObject({
      outcome: 'drafted',
      next: ['ralph feature accept money', expect.anything()],
    })
    expect((await fixture.ralph(['feature', 'accept', 'money', '--yes'])).code).toBe(0)
  })

  const ALONE = ['feature', 'create', 'money', 'a type for money', '--yes']
  const ALL = ['spec', 'plan', 'tasks'] as const
  const cases = ALL.flatMap((document) =>
    (['SIGINT', 'SIGKILL'] as const).flatMap((signal) =>
      [false, true].map((written) => ({ document, signal, written })),
    ),
  )

  test.each(cases)('$signal at $document, written: $written', async ({ document, signal, written }) => {
    const fixture = await makeDraftProject({
      turns: ALL.map((one) => (one === document ? hangingTurn(one, { written }) : writeDocumentTurn(one))),
    })
    const walk = fixture.start([...ALONE, '--live'])
    await walk.waitFor('I hang.')
    const cut = await walk.kill(signal)
    expect(signal === 'SIGINT' ? cut.code : cut.signal).toBe(signal === 'SIGINT' ? 130 : 'SIGKILL')
    const half = { ...writeDocumentTurn(document), for: 'the last iteration was interrupted while writing it' }
    await fixture.play(ALL.map((one) => (one === document && written ? half : writeDocumentTurn(one))))
    const again = await fixture.ralph([...ALONE, '--json'])
    expect([again.code, again.stderr, ended(again.stdout)['outcome'] ?? 'drafted']).toEqual([0, '', 'drafted'])
    expect(await documents(fixture)).toEqual([SPEC, PLAN, TASKS])
    // What was there and whole is not asked for again, but for a document whose turn was cut off: that is asked about.
    expect(fixture.starts()).toHaveLength(ALL.length - ALL.indexOf(document))
  })

  test('its feature is deleted: resume says so and what to type; a document that is taken away is written anew', async () => {
    const fixture = await makeDraftProject({
      turns: [writeDocumentTurn('spec'), hangingTurn('plan', { written: false })],
    })
    const begun = async (): Promise<void> => {
      const walk = fixture.start([...ALONE, '--live'])
      await walk.waitFor('I hang.')
      await walk.kill('SIGKILL')
    }
    await begun()
    expect((await fixture.ralph(['feature', 'delete', 'money', '--yes'])).code).toBe(0)
    const refused = await fixture.ralph(['resume'])
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/but the draft in .*money is gone\n.*create money "what I want" --fresh/),
    ])
    const anew = fixture.start([...ALONE, '--fresh', '--live'])
    await anew.waitFor('I hang.')
    await anew.kill('SIGKILL')
    rmSync(join(fixture.path, FOLDER, 'spec.md'))
    await fixture.play(ALL.map((one) => writeDocumentTurn(one)))
    const resumed = await fixture.ralph(['resume', '--json'])
    expect(resumed.stdout).toContain('spec.md is gone, so the draft restarts with it')
    expect(ended(resumed.stdout)).toMatchObject({ outcome: 'drafted' })
    expect(await documents(fixture)).toEqual([SPEC, PLAN, TASKS])
    expect((await fixture.ralph(['replay', '--check'])).code).toBe(0)
  })

  test('what a person does between a crash and the next start stays', async () => {
    const fixture = await makeDraftProject({
      files: { 'shop.ts': 'export {}\n' },
      turns: [hangingTurn('spec', { written: false })],
    })
    const walk = fixture.start([...ALONE, '--live'])
    await walk.waitFor('I hang.')
    await walk.kill('SIGKILL')
    await fixture.write('shop.ts', 'mine\n')
    await fixture.git('commit', '-q', '-a', '-m', 'mine')
    await fixture.write('.ralph/knowledge/mine.md', '# Mine\n')
    const head = await fixture.git('rev-parse', 'HEAD')
    await fixture.play(ALL.map((one) => writeDocumentTurn(one)))
    const resumed = await fixture.ralph(['resume', '--json'])
    expect(ended(resumed.stdout)).toMatchObject({ outcome: 'drafted' })
    expect([await fixture.git('rev-parse', 'HEAD'), await fixture.read('shop.ts')]).toEqual([head, 'mine\n'])
    expect(fixture.has('.ralph/knowledge/mine.md')).toBe(true)
  })
})
