/** A project of the Rust tool, opened as it is: its settings file, its database, an agent that speaks ACP. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testProject, type TestProject, type TestProjectOptions } from '../test-project.ts'
import { oldDatabase, rowsFor } from '../rust-project.ts'
import { PLAN, SPEC, writeDocumentTurn } from '../walk/draft-kit.ts'

/** Does what the first task in its prompt asks for, and leaves what it was told in its environment. */
const AGENT = `
const { writeFileSync } = require('node:fs')
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const answer = (result) => send({ id, result })
  if (method === 'initialize') answer({ protocolVersion: 1, agentInfo: { name: 'small', version: '0.1' } })
  if (method === 'session/new') answer({ sessionId: 's1' })
  if (method !== 'session/prompt') return
  const text = params.prompt.map((block) => block.text ?? '').join('')
  const task = /t-[0-9a-f]{6,8}/.exec(text)[0]
  const { RALPH_MODEL, RALPH_ITERATION, RALPH_TOTAL } = process.env
  writeFileSync('told.json', JSON.stringify({ task, args: process.argv.slice(2), RALPH_MODEL, RALPH_ITERATION, RALPH_TOTAL }))
  const content = { type: 'text', text: 'Did it. <task-done>' + task + '</task-done>' }
  send({ method: 'session/update', params: { sessionId: 's1', update: { sessionUpdate: 'agent_message_chunk', content } } })
  answer({ stopReason: 'end_turn' })
})
`

const TOML = `[execution]
max_retries = 1
verify = false
learn = true

[agent]
command = "node agent.cjs 'two words'"

[ui]
theme = "light"
`

async function rustProject({
  rows = [],
  ...options
}: TestProjectOptions & { rows?: string[] } = {}): Promise<TestProject> {
  const fixture = await testProject({
    toml: TOML,
    prompt: null,
    files: { 'agent.cjs': AGENT, '.gitignore': '.ralph/progress.db\n', 'src/a.txt': '' },
    ...options,
  })
  oldDatabase(join(fixture.path, '.ralph', 'progress.db'), { version: 5, rows: [...rowsFor(5), ...rows] })
  return fixture
}

const TOOK =
  'Imported 4 tasks, 2 dependencies, 2 features, 2 log lines and 2 journal entries from Rust Ralph. Ralph did not change .ralph/progress.db and will not read it again. Details: ralph migrate.'

describe('a project of the Rust tool', () => {
  test('runs as it is: its tasks are taken over once, its agent is spoken to by ACP', async () => {
    const fixture = await rustProject()
    const file = join(fixture.path, '.ralph', 'progress.db')
    const before = readFileSync(file)
    // From a folder below, as it was found there.
    const first = await fixture.ralph(['run', '--once', '--model', 'opus'], { cwd: 'src' })
    expect(first.stderr).toContain(TOOK)
    expect(JSON.parse(await fixture.read('told.json'))).toEqual({
      task: 't-22222222',
      args: ['two words'],
      RALPH_MODEL: 'opus',
      RALPH_ITERATION: '1',
      RALPH_TOTAL: '1',
    })
    expect(first.stdout + first.stderr).toContain(
      'execution.learn, ui.theme have no effect (reasons: ralph config list)',
    )
    expect(readFileSync(file).equals(before)).toBe(true)
    // One task had failed there, and a run with failed tasks is no success.
    const second = await fixture.ralph(['run'])
    expect([second.code, second.stderr.includes('Imported')]).toEqual([4, false])
  })

  test('migrate tells all of it, and the same again', async () => {
    const fixture = await rustProject()
    const first = await fixture.ralph(['migrate'], { cwd: 'src' })
    expect([first.code, first.stdout.replaceAll(/ +\n/g, '\n')]).toEqual([
      0,
      `Imported the tasks of Rust Ralph.
  taken   4 tasks, 2 dependencies, 2 features, 2 log lines and 2 journal entries, from .ralph/progress.db (version 5)
  mapped  1 task was in progress; now pending:
            t-22222222
  left    1 note about a choice of model which Ralph does not use:
            iteration 2
  note    .ralph/progress.db is unchanged and will not be read again
`,
    ])
    const again = await fixture.ralph(['migrate', '--json'])
    expect(JSON.parse(again.stdout)).toMatchObject({
      is: 'nothing',
      tasks: {
        isNew: false,
        report: { version: 5, tasks: 4, mapped: [{ is: 'in_progress', some: ['t-22222222'] }] },
      },
    })
    expect((await fixture.ralph(['migrate'])).stdout).toContain('were imported on ')
  })

  test('status and doctor know of tasks that nobody has taken over yet, and take nothing over', async () => {
    const fixture = await rustProject()
    const status = await fixture.ralph(['status'])
    expect(status.stdout).toMatch(/tasks +from Rust Ralph; ralph run and ralph task import them/)
    expect(status.stdout).toContain('start: ralph run')
    expect(status.stdout).not.toContain('PROMPT.md')
    const doctor = await fixture.ralph(['doctor'])
    expect(doctor.stdout).toMatch(/✓ prompt +.*`ralph run` does not/)
    expect((await fixture.ralph(['migrate', '--json'])).stdout).toContain('"isNew":true')
    expect((await fixture.ralph(['status'])).stdout).toContain('1 of 3 done')
  })

  test('a program that its file names is asked about first', async () => {
    const fixture = await rustProject({ trustsProject: false })
    const ran = await fixture.ralph(['run', '--once'])
    expect([ran.code, fixture.has('told.json')]).toEqual([2, false])
    expect(ran.stderr).toContain('agent.cjs')
  })

  test('documents in a folder whose name is none here are found, and nobody is paid to write them again', async () => {
    const old = '.ralph/features/money?'
    const fixture = await rustProject({
      toml: '',
      files: { [`${old}/spec.md`]: SPEC, [`${old}/plan.md`]: PLAN },
      turns: [writeDocumentTurn('tasks')],
      rows: [
        // The plan was cut off before its path was noted.
        `insert into features values ('f-aaaaaa', 'money?', '/home/x/${old}/spec.md', null, 'draft', '2026-01-01', '2026-01-01'),
          ('f-bbbbbb', 'v1.2', null, null, 'draft', '2026-01-01', '2026-01-01')`,
      ],
    })
    const said = async (...words: string[]) => {
      const { stdout, stderr } = await fixture.ralph(['feature', ...words])
      return stdout + stderr
    }
    expect(await said('show', 'v1.2')).toContain('ralph task add "what to do" --feature v1.2')
    expect(await said('show', 'money')).toMatch(/money\?\/spec\.md[^]*money\?\/plan\.md[^]*ralph feature create money/)
    expect(await said('create', 'money', '--dry-run')).toMatch(/would write \S+tasks\.json\. /)
    expect(await said('create', 'money')).toContain(
      `${old}/spec.md was copied to .ralph/features/money/spec.md. Ralph works on the copy and leaves the original unchanged.`,
    )
    expect([fixture.starts().length, await fixture.read(`${old}/spec.md`)]).toEqual([1, SPEC])
    expect(await said('show', 'money')).toContain('ralph feature accept money')
    // What is to be written anew does not come back from there.
    expect(await said('reopen', 'money', '--from', 'plan')).toContain('plan.md was saved as')
    expect(await said('create', 'money', '--dry-run')).toMatch(/would write \S+plan\.md, \S+tasks\.json\. /)
  })

  test('reports a database that cannot be read and leaves it alone; there is no plan then', async () => {
    const fixture = await rustProject()
    await fixture.write('.ralph/progress.db', 'no database at all\n'.repeat(99))
    const ran = await fixture.ralph(['run'])
    expect([ran.code, ran.stderr.includes('were not imported')]).toEqual([3, true])
    expect((await fixture.ralph(['migrate'])).code).toBe(1)
  })

  test('models are chosen as there, if nobody says a word about them', async () => {
    const fixture = await rustProject()
    await fixture.ralph(['run', '--once'], { env: { RALPH_MODELS_MEDIUM: 'middle' } })
    expect(JSON.parse(await fixture.read('told.json'))).toMatchObject({ RALPH_MODEL: 'middle' })
    const status = await fixture.ralph(['status'])
    expect(status.stdout).toMatch(/model +cost-optimized: medium \(middle\), because that is the default/)
    const fixed = await fixture.ralph(['run', '--model-strategy', 'fixed'])
    expect([fixed.code, fixed.stderr]).toEqual([
      2,
      expect.stringMatching(
        /--model-strategy: found "fixed", which needs a model: --model NAME\n +See: ralph run --help/,
      ),
    ])
  })

  test('a command line as --agent is spoken to by ACP', async () => {
    const fixture = await rustProject({ toml: '[execution]\nverify = false\n' })
    const ran = await fixture.ralph(['run', '--once', '--agent', 'node agent.cjs'], {
      env: { RALPH_LIMIT: '7' },
    })
    expect(JSON.parse(await fixture.read('told.json'))).toMatchObject({ task: 't-22222222', args: [] })
    expect(ran.stderr + ran.stdout).not.toContain('unknown agent')
  })
})
