import { describe, expect, test } from 'vitest'
import { readdirSync } from 'node:fs'
import type { Imported } from '../../src/desk/import/import.ts'
import { garden, type Garden, type ScriptedTurn } from '../garden.ts'
import { here, install } from './set-up-kit.ts'

const PRD = '# Shop\n\nA shop for cats.\n\n## Features\n\n- [ ] urgent: cart\n- [ ] checkout\n'

const CONVERTS: ScriptedTurn = [
  { do: 'expect-prompt', matches: 'A shop for cats' },
  { do: 'write', path: 'PROMPT.md', content: '# A shop\n' },
  { do: 'write', path: 'fix_plan.md', content: '## High priority\n\n- [ ] cart\n- [ ] checkout\n' },
  { do: 'write', path: 'requirements.md', content: '# Requirements\n\nEverything.\n' },
]

async function imported(g: Garden, ...args: string[]): Promise<Imported> {
  const command = ['import', '--json', ...args]
  const { code, stdout, stderr } = await (args.includes('--no-agent') ? here(g, command) : g.ralph(command))
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout) as Imported
}

describe('by the reader', () => {
  test('--no-agent makes prompt, plan and specification from the document alone', async () => {
    const g = await garden({ prompt: null, files: { 'prd.md': PRD } })
    const done = await imported(g, 'prd.md', '--no-agent')
    expect(done).toMatchObject({
      by: 'reader',
      boxes: 2,
      copies: [],
      remarks: ["the plan was made from the document's boxes"],
    })
    expect(done.created).toEqual([
      '.ralph/PROMPT.md',
      '.ralph/fix_plan.md',
      '.ralph/specs/requirements.md',
      '.ralph/AGENT.md',
      '.ralph.toml',
    ])
    expect(await g.read('.ralph/PROMPT.md')).toMatch(/^# What to build: Shop\n\nA shop for cats\.\n/)
    expect(await g.read('.ralph/fix_plan.md')).toContain('- [ ] urgent: cart')
    expect(await g.read('.ralph/specs/requirements.md')).toBe(PRD)
    expect(g.starts()).toEqual([])
  })

  test('where no agent is installed it is used too, and that is said', async () => {
    const g = await garden({ prompt: null, agents: [], files: { 'prd.md': PRD } })
    const { code, stdout } = await g.ralph(['import', 'prd.md'])
    expect([code, stdout.includes('no agent is installed, so the document was read without one')]).toEqual([
      0,
      true,
    ])
  })

  test("files that Ralph wrote and nobody touched are replaced; a user's are refused, and kept by force", async () => {
    const g = await garden({ prompt: null, files: { 'prd.md': PRD } })
    await here(g, ['init', '--yes'])
    expect((await imported(g, 'prd.md', '--no-agent')).copies).toEqual([])
    await g.write('.ralph/PROMPT.md', 'mine\n')
    const refused = await here(g, ['import', 'prd.md', '--no-agent'])
    expect([refused.code, await g.read('.ralph/PROMPT.md')]).toEqual([2, 'mine\n'])
    expect((await imported(g, 'prd.md', '--no-agent', '--force')).copies).toContain('.ralph/PROMPT.md.old')
    expect(await g.read('.ralph/PROMPT.md.old')).toBe('mine\n')
  })

  test.each([
    ['spec.pdf', 1, 'is a PDF file, which is not supported'],
    ['nowhere.md', 1, 'there is no file nowhere.md'],
  ])('%s is refused by name', async (file, code, words) => {
    const g = await garden({ prompt: null, files: { 'spec.pdf': '%PDF' } })
    const ran = await here(g, ['import', file])
    expect([ran.code, ran.stderr.includes(words), g.has('.ralph')]).toEqual([code, true, false])
  })
})

describe('by an agent', () => {
  test('the first that is installed reads it in a folder of its own, and what it made is taken over', async () => {
    const g = await garden({ prompt: null, agents: ['claude'], files: { 'prd.md': PRD }, turns: [CONVERTS] })
    const { stdout } = await g.ralph(['import', 'prd.md', '--json'], { env: { TMPDIR: g.home } })
    const done = JSON.parse(stdout) as Imported
    expect(done).toMatchObject({ by: 'claude', boxes: 2, remarks: [] })
    expect(await g.read('.ralph/PROMPT.md')).toBe('# A shop\n')
    expect(await g.read('.ralph/specs/prd.md')).toBe(PRD)
    expect(g.has('requirements.md')).toBe(false)
    expect(g.starts()).toHaveLength(1)
    expect(readdirSync(g.home).filter((name) => name.startsWith('ralph-import-'))).toEqual([])
  })

  test.each<[string, ScriptedTurn, string]>([
    [
      'leaves a file out',
      CONVERTS instanceof Array ? CONVERTS.slice(0, 3) : CONVERTS,
      'it left no requirements.md',
    ],
    [
      'plans nothing',
      [...(CONVERTS as []), { do: 'write', path: 'fix_plan.md', content: 'later\n' }],
      'its fix_plan.md has no open box',
    ],
    [
      'fails',
      { steps: [{ do: 'stderr', text: 'out of paper' }, { do: 'no-final' }], exit: 1 },
      'did not turn the document into a project',
    ],
  ])('one that %s is an error that names --no-agent, and nothing is written', async (_, turn, words) => {
    const g = await garden({ prompt: null, agents: ['claude'], files: { 'prd.md': PRD }, turns: [turn] })
    const { code, stderr } = await g.ralph(['import', 'prd.md'])
    expect([code, stderr.includes(words), stderr.includes('--no-agent'), g.has('.ralph')]).toEqual([
      6,
      true,
      true,
      false,
    ])
  })

  test('one that was named and is not installed is an error, not a reason to take another', async () => {
    const g = await garden({ prompt: null, agents: ['claude'], files: { 'prd.md': PRD }, turns: [CONVERTS] })
    const { code, stderr } = await g.ralph(['import', 'prd.md', '--agent', 'codex'])
    expect([code, stderr.includes('codex is not installed'), g.starts().length]).toEqual([6, true, 0])
  })

  test('Ctrl+C ends the agent and writes nothing', async () => {
    const g = await garden({
      prompt: null,
      agents: ['claude'],
      files: { 'prd.md': PRD },
      turns: [[{ do: 'hang' }]],
    })
    const walk = g.start(['import', 'prd.md'])
    await walk.waitFor('claude reads prd.md')
    await expect.poll(() => g.starts().length).toBe(1)
    const { code } = await walk.kill('SIGINT')
    expect([code, g.has('.ralph')]).toEqual([130, false])
  })
})

describe('issues', () => {
  const LIST = `'[{"number":3,"title":"Old bug","labels":[{"name":"P2"}]},{"number":8,"title":"Crash","labels":[{"name":"P0"}]},{"number":9,"title":"Chore","labels":[{"name":"wontfix"}]}]'`
  const ONE = `'{"number":8,"title":"Crash","body":"- [ ] mend the crash","url":"https://github.com/o/n/issues/8"}'`
  const GH = `case "$2" in list) echo ${LIST};; view) echo ${ONE};; esac`

  test('one by its number becomes a project; comments are not asked for', async () => {
    const g = await garden({ prompt: null })
    const gh = await install(g, 'gh', GH)
    const done = await imported(g, '--github-issue', '8', '--no-agent', '--repo', 'o/n')
    expect([done.document, done.boxes]).toEqual(['issue-8.md', 1])
    expect(await g.read('.ralph/specs/requirements.md')).toContain(
      '> Issue #8 · https://github.com/o/n/issues/8',
    )
    expect(await gh.calls()).toEqual([
      'issue view 8 --json number,title,body,labels,assignees,milestone,url --repo o/n',
    ])
  })

  test('--dry-run shows which match and which would be taken, and writes nothing', async () => {
    const g = await garden({ prompt: null })
    await install(g, 'gh', GH)
    const flags = [
      '--github-search',
      'x',
      '--exclude-label',
      'wontfix',
      '--select',
      'priority',
      '--dry-run',
      '--json',
    ]
    const { code, stdout } = await here(g, ['import', ...flags])
    const said = JSON.parse(stdout) as { issues: { number: number }[]; chosen: number }
    expect([code, said.issues.map(({ number }) => number), said.chosen, g.has('.ralph')]).toEqual([
      0,
      [3, 8],
      8,
      false,
    ])
  })

  test('the oldest is taken unless told otherwise, and a question without a terminal is refused', async () => {
    const g = await garden({ prompt: null })
    const gh = await install(g, 'gh', GH)
    await imported(g, '--github-label', 'a,b', '--no-agent', '--include-comments')
    expect((await gh.calls())[1]).toBe(
      'issue view 3 --json number,title,body,labels,assignees,milestone,url,comments',
    )
    const { code, stderr } = await here(g, [
      'import',
      '--github-state',
      'all',
      '--select',
      'interactive',
      '--no-agent',
    ])
    expect([code, stderr.includes('no terminal to ask on')]).toEqual([2, true])
  })

  test.each([
    [['--github-issue', '8', '--github-label', 'a'], '--github-issue names one issue'],
    [['--github-issue', '8', '--select', 'first'], '--select needs a filter'],
    [['--github-issue', 'eight'], '"eight" is no issue number'],
    [['--github-state', 'lost'], '--github-state takes one of open, closed, all, not "lost"'],
    [[], 'needs a FILE, or an issue'],
  ])('%j is refused', async (flags, words) => {
    const g = await garden({ prompt: null })
    const { code, stderr } = await here(g, ['import', ...flags])
    expect([code, stderr.includes(words)]).toEqual([2, true])
  })
})
