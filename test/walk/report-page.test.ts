/** `ralph report --html`, as a user types it. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NOT_YET, testProject, type TestProject } from '../test-project.ts'
import { runInProcess } from '../run-in-process.ts'
import { finishSampleRun, runCommand } from './sample-run.ts'

let night: TestProject & { run: string }
beforeAll(async () => (night = await finishSampleRun({ until: 'removed' })))
afterAll(() => night.remove())

test('writes the page beside the Markdown report, where git does not see it, and prints its path', async () => {
  const { code, stdout } = await night.ralph(['report', '--html'])
  const path = stdout.trimEnd()
  expect(code).toBe(0)
  expect(path).toMatch(new RegExp(`/\\.ralph/reports/\\d{4}-\\d\\d-\\d\\d-\\d{6}-${night.run}\\.html$`))
  expect((await stat(path.replace(/html$/, 'md'))).isFile()).toBe(true)
  const page = await readFile(path, 'utf8')
  expect(page).toMatch(/<h1 .*Run \w+: gates passed<\/h1>/)
  expect(page.match(/<h3>/g)).toHaveLength(3)
  // The diffs of the iterations that changed a file.
  expect(page).toContain('<ins>+echo hello</ins>')
  expect(page).toContain('<ins>+echo world</ins>')
  expect(page).toContain(`<code>ralph show ${night.run} 3 --patch</code>`)
  expect(await night.git('status', '--porcelain', '--', '.ralph/reports')).toBe('')
})

test('--output - prints the page, the same as in the file', async () => {
  const { stdout } = await night.ralph(['report', night.run, '--html', '--output', '-'])
  const { out } = await runCommand(night, 'report', '--html', '--output', 'night.html')
  expect(out).toBe(`${join(night.path, 'night.html')}\n`)
  expect(await night.read('night.html')).toBe(stdout.replace(/Ralph [\d.]+\./, 'Ralph 0.0.0-source.'))
})

test('replaces its own page, and no other file', async () => {
  await runCommand(night, 'report', '--html', '--output', 'mine.html')
  expect((await runCommand(night, 'report', '--html', '--output', 'mine.html')).code).toBe(0)
  await night.write('notes.html', '<p>my notes</p>')
  const { code, err } = await runCommand(night, 'report', '--html', '--output', 'notes.html')
  expect([code, err]).toEqual([2, expect.stringContaining('notes.html exists and is not a report page') as string])
  expect(await night.read('notes.html')).toBe('<p>my notes</p>')
})

test.each([
  [['--html', '--json'], '--html and --json are two formats: choose one'],
  [['--html', '--md'], '--html and --md are two formats: choose one'],
  [['--output', 'a.html'], '--output needs --html'],
  [['--html', 'a.html'], 'To write there: ralph report --html --output a.html'],
])('ralph report %j: exit 2', async (argv, message) => {
  const { code, out, err } = await runCommand(night, 'report', ...argv)
  expect(code).toBe(2)
  expect(out + err).toContain(message)
})

test('masks a secret of the environment in a diff', async () => {
  const made = await testProject({
    env: { DEPLOY_TOKEN: 'correct-horse-battery-staple-42' },
    plan: '- [ ] deploy\n',
    turns: [
      [
        { do: 'write', path: 'deploy.sh', content: 'token=correct-horse-battery-staple-42\n' },
        { do: 'status', text: 'Written.', fields: NOT_YET },
      ],
    ],
  })
  await made.ralph(['loop', '--once'])
  const { stdout } = await made.ralph(['report', '--html', '--output', '-'])
  expect(stdout).toContain('<ins>+token=')
  expect(stdout).not.toContain('correct-horse')
})

test('a run through tasks names the task of each iteration', async () => {
  const made = await testProject({
    turns: [
      [
        { do: 'write', path: 'a.txt', content: 'a\n' },
        { do: 'say', text: '<task-done>one</task-done>' },
      ],
    ],
  })
  await made.ralph(['task', 'add', 'write a file', '--id', 'one'])
  await made.ralph(['run', '--max-iterations', '1'])
  const { out } = await runInProcess(['report', '--html', '--output', '-'], { cwd: made.path, env: { ...made.env } })
  expect(out).toMatch(/<h3>.*Iteration 1 · one<\/span>/)
  expect(out).toContain('tasks: ')
})
