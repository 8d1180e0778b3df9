/** The bash tool's commands, each through the file that npm links: old flags, old words, old exit codes. */
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testProject } from '../test-project.ts'
import { install, JS, runBashCommand, runBashCommandInProcess } from '../walk/setup-kit.ts'

const COMPLETE = { '.ralph/PROMPT.md': 'p\n', '.ralph/fix_plan.md': '- [ ] a\n', '.ralph/AGENT.md': 'a\n' }

describe('ralph-enable-ci', () => {
  test('enables, tells in the old JSON, and the second time exits with 2', async () => {
    const g = await testProject({ prompt: null, files: { 'package.json': JS } })
    const first = await runBashCommand(g, 'ralph-enable-ci', ['--json'])
    expect([first.code, JSON.parse(first.stdout)]).toEqual([
      0,
      {
        success: true,
        project_name: 'roman',
        project_type: 'javascript',
        files_created: ['.ralph/PROMPT.md', '.ralph/fix_plan.md', '.ralph/AGENT.md', '.ralphrc'],
        tasks_imported: 0,
        message: 'Ralph enabled successfully',
      },
    ])
    const second = await runBashCommandInProcess(g, 'ralph-enable-ci', ['--json'])
    expect([second.code, JSON.parse(second.stdout)]).toEqual([
      2,
      { success: false, code: 2, message: 'Ralph already enabled. Use --force to override.' },
    ])
  })

  test('without --from the first source that is there gives the tasks', async () => {
    const g = await testProject({ prompt: null, files: { 'docs/requirements.md': '1. first\n2. second\n' } })
    const { stdout } = await runBashCommandInProcess(g, 'ralph-enable-ci', [
      '--json',
      '--project-name',
      'shop',
      '--project-type',
      'rust',
    ])
    expect(JSON.parse(stdout)).toMatchObject({
      tasks_imported: 2,
      project_name: 'shop',
      project_type: 'rust',
    })
  })

  test.each([
    [['--wrong'], 3],
    [['--from'], 3],
    [['--from', 'jira'], 3],
    [['--from', 'prd', '--prd', 'no.md'], 4],
    [['--from', 'beads'], 1],
  ])('%j exits with %i and an error object', async (args, code) => {
    const g = await testProject({ prompt: null })
    const ran = await runBashCommandInProcess(g, 'ralph-enable-ci', [...args, '--json'])
    expect([ran.code, (JSON.parse(ran.stderr) as { code: number }).code, g.has('.ralph')]).toEqual([code, code, false])
  })

  test('--quiet says nothing', async () => {
    const g = await testProject({ prompt: null })
    expect(await runBashCommandInProcess(g, 'ralph-enable-ci', ['--quiet', '--from', 'none'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })
})

describe('ralph-enable', () => {
  test('--from prd FILE, as it was documented', async () => {
    const g = await testProject({ prompt: null, files: { 'todo.md': '- [ ] one\n' } })
    const { code, stdout } = await runBashCommand(g, 'ralph-enable', ['--from', 'prd', 'todo.md', '--non-interactive'])
    expect([code, stdout.includes('Tasks imported: 1')]).toEqual([0, true])
  })

  test('--from github asks for the label ralph-task', async () => {
    const g = await testProject({ prompt: null })
    const gh = await install(g, 'gh', `echo '[]'`)
    const { code } = await runBashCommandInProcess(g, 'ralph-enable', ['--from', 'github', '--limit', '0'])
    expect([code, (await gh.calls())[0]?.includes('--limit 10000 ')]).toEqual([0, true])
    expect((await gh.calls())[0]).toContain('--label ralph-task')
  })

  test('exits with 2 when enabled already, and --force keeps what was there', async () => {
    const g = await testProject({ prompt: null, files: COMPLETE })
    expect((await runBashCommandInProcess(g, 'ralph-enable', ['--non-interactive'])).code).toBe(2)
    expect((await runBashCommandInProcess(g, 'ralph-enable', ['--force', '--skip-tasks'])).code).toBe(0)
    expect(await g.read('.ralph/PROMPT.md.old')).toBe('p\n')
  })

  test('bad arguments exit with 3, a missing document with 4', async () => {
    const g = await testProject({ prompt: null })
    const codes = [
      (await runBashCommandInProcess(g, 'ralph-enable', ['--bogus'])).code,
      (await runBashCommandInProcess(g, 'ralph-enable', ['--prd', 'no.md'])).code,
    ]
    expect([...codes, (await runBashCommandInProcess(g, 'ralph-enable', ['--help'])).code]).toEqual([3, 4, 0])
  })
})

describe('ralph-setup', () => {
  test('makes a folder with a project under git, and leaves files that are there alone', async () => {
    const g = await testProject({ prompt: null, files: { 'taken/README.md': 'mine\n' } })
    expect((await runBashCommand(g, 'ralph-setup', [])).code).toBe(0)
    expect(
      ['PROMPT.md', 'fix_plan.md', 'AGENT.md', 'specs/stdlib', 'examples', 'logs'].filter(
        (name) => !g.has(`my-project/.ralph/${name}`),
      ),
    ).toEqual([])
    expect([g.has('my-project/src'), g.has('my-project/.git'), g.has('my-project/.gitignore')]).toEqual([
      true,
      true,
      true,
    ])
    expect((await runBashCommandInProcess(g, 'ralph-setup', ['taken'])).code).toBe(0)
    expect(await g.read('taken/README.md')).toBe('mine\n')
    expect((await runBashCommandInProcess(g, 'ralph-setup', ['.ralph'])).code).toBe(1)
  })
})

describe('ralph-import', () => {
  test('makes a new folder named for the document', async () => {
    const g = await testProject({ prompt: null, files: { 'shop.md': '# Shop\n- [ ] cart\n' } })
    const { code, stdout } = await runBashCommand(g, 'ralph-import', ['shop.md', '--no-agent'])
    expect([code, stdout.includes('The project is in shop.')]).toEqual([0, true])
    expect(await g.read('shop/.ralph/fix_plan.md')).toContain('- [ ] cart')
    expect([g.has('shop/.git'), g.has('.ralph')]).toEqual([true, false])
  })

  test('an issue names the folder by its title; what goes wrong exits with 1', async () => {
    const g = await testProject({ prompt: null })
    await install(g, 'gh', `echo '{"number":8,"title":"Add dark mode!","body":"1. switch"}'`)
    expect((await runBashCommandInProcess(g, 'ralph-import', ['--github-issue', '8', '--no-agent'])).code).toBe(0)
    expect(g.has('add-dark-mode/.ralph/PROMPT.md')).toBe(true)
    expect([
      (await runBashCommandInProcess(g, 'ralph-import', [])).code,
      (await runBashCommandInProcess(g, 'ralph-import', ['no.md'])).code,
    ]).toEqual([1, 1])
  })
})

test('ralph-migrate moves the flat layout and exits with 0 when there is none', async () => {
  const g = await testProject({
    prompt: null,
    files: { 'PROMPT.md': 'p\n', '@fix_plan.md': '', '@AGENT.md': '' },
  })
  expect([(await runBashCommand(g, 'ralph-migrate', [])).code, g.has('.ralph/PROMPT.md')]).toEqual([0, true])
  const again = await runBashCommandInProcess(g, 'ralph-migrate', ['.'])
  expect([again.code, again.stdout.includes('nothing was moved')]).toEqual([0, true])
})

describe('ralph-stats', () => {
  test('prints the old summary', async () => {
    const row = (loop: number, success: boolean, calls: number): string =>
      JSON.stringify({ timestamp: 't', loop, duration: loop * 10, success, calls })
    const lines = [row(1, true, 2), row(2, false, 5), '{broken', '[]', '7', '', row(3, true, 7)]
    const g = await testProject({ files: { '.ralph/logs/metrics.jsonl': `${lines.join('\n')}\n` } })
    const { code, stdout } = await runBashCommand(g, 'ralph-stats', [])
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { total_loops: 3, successful: 2, avg_duration: 20, total_calls: 14 },
    ])
  })

  test.each<[string, Record<string, string>]>([
    ['a file', {}],
    ['a line', { '.ralph/logs/metrics.jsonl': '\n' }],
  ])('without %s: an error object on stderr, exit 1', async (_, files) => {
    const g = await testProject({ files })
    expect(await runBashCommandInProcess(g, 'ralph-stats', [])).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: '{"error":"No metrics file found. Run ralph first to generate metrics."}\n',
    })
  })
})

describe('ralph-monitor', () => {
  const monitor = (g: { path: string; env: Record<string, string> }) => {
    const file = join(dirname(dirname(import.meta.dirname)), 'bin', 'ralph-monitor.cjs')
    const child = spawn(process.execPath, [file], {
      cwd: g.path,
      env: g.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more))
    const ended = new Promise<number | null>((done) => child.once('close', done))
    return { child, ended, text: () => text }
  }

  test('shows the state of a bash loop again and again, and Ctrl+C ends it with 0', async () => {
    const status = JSON.stringify({
      loop_count: 7,
      status: 'running',
      last_action: 'executing',
      calls_made_this_hour: 4,
      max_calls_per_hour: 100,
    })
    const files = {
      '.ralph/status.json': status,
      '.ralph/logs/ralph.log': '[12:00] [INFO] hello\u001b[31m\n',
      '.ralph/progress.json': '{half',
    }
    const g = await testProject({ files })
    const shown = monitor(g)
    await expect.poll(shown.text, { timeout: 20_000 }).toContain('#7')
    expect(shown.text()).toContain('running · executing')
    expect(shown.text()).toContain('4 of 100 this hour')
    expect(shown.text()).toContain('[12:00] [INFO] hello\n')
    await g.write('.ralph/status.json', status.replace('7', '8'))
    await expect.poll(shown.text, { timeout: 20_000 }).toContain('#8')
    shown.child.kill('SIGINT')
    expect(await shown.ended).toBe(0)
  })

  test('outside a project it says so and exits with 1', async () => {
    const g = await testProject({ prompt: null, git: false })
    expect(await monitor(g).ended).toBe(1)
  })
})
