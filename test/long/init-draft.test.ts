/** `ralph init "what I want"`: the prompt and the plan are drafted as the documents of a feature are. */
import { expect, test } from 'vitest'
import { testProject, type ScriptedTurn } from '../test-project.ts'
import { ended } from '../walk/draft-kit.ts'

const PROMPT = '# Photos\n\nA command that renames photos by date.\n'
const PLAN = '# Plan\n\n## High priority\n\n- [ ] read the date of a photo\n'

function writes(file: string, content: string): ScriptedTurn {
  return {
    for: `Write the document to .ralph/${file}`,
    steps: [
      { do: 'write', path: `.ralph/${file}`, content },
      { do: 'write', path: 'sneaky.txt', content: 'x\n' },
      { do: 'write', path: '.ralph/AGENT.md', content: 'sneaky\n' },
      { do: 'say', text: 'Written.' },
    ],
  }
}

test('the templates are written over, what else the agent changed is reverted, and the advice is typed', async () => {
  const fixture = await testProject({
    prompt: null,
    turns: [writes('PROMPT.md', PROMPT), writes('fix_plan.md', PLAN)],
  })
  const ran = await fixture.ralph(['init', 'rename photos by date', '--yes', '--json', '--agent', 'claude'])
  expect([ran.code, ran.stderr]).toEqual([0, ''])
  expect(ended(ran.stdout)).toMatchObject({ outcome: 'drafted', next: ['ralph loop', expect.anything()] })
  expect([await fixture.read('.ralph/PROMPT.md'), await fixture.read('.ralph/fix_plan.md')]).toEqual([PROMPT, PLAN])
  expect([fixture.has('sneaky.txt'), await fixture.read('.ralph/AGENT.md')]).toEqual([
    false,
    expect.not.stringContaining('sneaky'),
  ])
  expect(await fixture.read('.ralph/interview.md')).toContain('rename photos by date')
  const again = await fixture.ralph(['init', 'rename photos by date', '--yes'])
  expect([again.code, again.stderr, fixture.starts().length]).toEqual([
    0,
    expect.stringContaining('Nothing was drafted: PROMPT.md and fix_plan.md exist'),
    2,
  ])
  await fixture.play([[{ do: 'say', text: 'I hang.' }, { do: 'hang' }]])
  const loop = fixture.start(['loop', '--yes', '--live'])
  await loop.waitFor('I hang.')
  expect((await loop.kill('SIGINT')).code).toBe(130)
})

test('killed at the plan: the advice that gives it up is one that init takes', async () => {
  const hang: ScriptedTurn = { for: 'Write the document to', steps: [{ do: 'say', text: 'I hang.' }, { do: 'hang' }] }
  const fixture = await testProject({ prompt: null, turns: [hang] })
  const made = fixture.start(['init', 'rename photos by date', '--yes', '--agent', 'claude'])
  await made.waitFor('stop        Ctrl+C')
  // An agent begins with what was said here: what comes next is said when it has ended.
  expect(made.output()).not.toContain('Next:')
  while (fixture.starts().length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  await made.kill('SIGKILL')
  const { next } = JSON.parse((await fixture.ralph(['status', '--json'])).stdout) as { next: string[] }
  expect(next).toContain("ralph init 'rename photos by date' --fresh")
  await fixture.play([writes('PROMPT.md', PROMPT), writes('fix_plan.md', PLAN)])
  const anew = await fixture.ralph(['init', 'rename photos by date', '--fresh', '--yes', '--json'])
  expect(ended(anew.stdout)).toMatchObject({ outcome: 'drafted', iterations: 2 })
})
