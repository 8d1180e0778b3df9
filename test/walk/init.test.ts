import { parse } from 'node:path'
import { describe, expect, test } from 'vitest'
import { refuseTopFolder } from '../../src/app/project/init-files.ts'
import type { InitResult } from '../../src/app/project/init.ts'
import { testProject, type TestProject, type TestProjectOptions } from '../test-project.ts'
import { runInThisProcess, install, JS } from './setup-kit.ts'

const bare = (more: TestProjectOptions = {}): Promise<TestProject> =>
  testProject({ prompt: null, agents: ['codex'], ...more })

async function initJson(g: TestProject, ...args: string[]): Promise<InitResult> {
  const { code, stdout, stderr } = await runInThisProcess(g, ['init', '--json', ...args])
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as InitResult
}

const FILES = ['.ralph/PROMPT.md', '.ralph/fix_plan.md', '.ralph/AGENT.md', '.ralph.toml', '.ralph/ralph.schema.json']

describe('ralph init', () => {
  test('writes prompt, plan, commands and settings from what it finds, and a second call changes nothing', async () => {
    const g = await bare({ files: { 'package.json': JS } })
    expect(await initJson(g)).toEqual({
      root: g.path,
      already: false,
      project: { name: 'roman', type: 'javascript', packageManager: 'npm' },
      created: FILES,
      kept: [],
      copies: [],
      gates: [
        {
          gate: { name: 'test', run: 'npm test', when: 'completion', minutes: 10 },
          why: 'package.json has the script "test"',
          slow: null,
          chosen: true,
        },
      ],
      offered: [],
      missing: [],
      setUp: null,
      work: [],
      agents: ['codex'],
      known: ['claude', 'codex', 'opencode', 'gemini', 'copilot', 'cursor'],
      installed: ['codex'],
      git: 'ready',
      tasks: { from: null, imported: 0 },
      untouched: ['.ralph/PROMPT.md', '.ralph/fix_plan.md'],
      remarks: [],
      next: 'ralph init --task "what you want built, in your words"',
    })
    expect(await g.read('.ralph.toml')).toContain('order = ["codex"]')
    expect(await g.read('.ralph.toml')).toContain('run = "npm test"')
    expect(await g.read('.ralph/AGENT.md')).toContain('- Test: `npm test`')
    expect((await g.ralph(['init'])).stdout).toContain('is already a Ralph project; nothing was changed')
    const before = await g.git('status', '--porcelain')
    expect(await initJson(g)).toMatchObject({ already: true, created: [], kept: FILES })
    expect(await g.git('status', '--porcelain')).toBe(before)
  })

  test('proposes what brings the tools into the clean room, which then needs no further question', async () => {
    const files = {
      'package.json': '{"name": "a", "scripts": {"test": "node t.mjs"}, "dependencies": {"b": "1.0.0"}}',
      'package-lock.json': '{}',
      'lib/a.mjs': 'export const a = 1\n',
    }
    const g = await bare({ files })
    const { stdout } = await runInThisProcess(g, ['init'])
    expect(stdout).toContain('source lib  (where source files are; to change it: proof.source)')
    expect(stdout).toContain('setup  npm ci  (for the clean room, because there is a package-lock.json)')
    expect(stdout).toContain('packages are not installed yet, and the gates may need them: npm ci')
    expect(await g.read('.ralph.toml')).toContain('[proof]\nsetup = "npm ci" # installs the tools')
    const set = await runInThisProcess(g, ['config', 'get', 'proof.setup'])
    expect(set.stdout).toContain('npm ci')
    expect((await initJson(g, '--force')).setUp).toEqual({
      run: 'npm ci',
      why: 'there is a package-lock.json',
    })
  })

  test("a user's file stays, and by force is kept beside the new one", async () => {
    const g = await bare({ files: { '.ralph/PROMPT.md': 'mine\n' } })
    expect((await initJson(g)).kept).toEqual(['.ralph/PROMPT.md'])
    expect(await g.read('.ralph/PROMPT.md')).toBe('mine\n')
    const forced = await initJson(g, '--force')
    expect([forced.copies[0], await g.read('.ralph/PROMPT.md.old')]).toEqual(['.ralph/PROMPT.md.old', 'mine\n'])
    expect(await g.read('.ralph/PROMPT.md')).not.toBe('mine\n')
  })

  test('--from prd puts the boxes of a document into the plan by priority', async () => {
    const g = await bare({ files: { 'docs/prd.md': '# P\n- [ ] urgent: log in\n- [x] show a list\n' } })
    expect((await initJson(g, '--from', 'prd')).tasks).toEqual({ from: 'docs/prd.md', imported: 2 })
    const plan = await g.read('.ralph/fix_plan.md')
    expect(plan).toContain('## High priority\n\n- [ ] urgent: log in\n\n## Medium priority\n\n- [ ] show a list\n')
    expect((await runInThisProcess(g, ['inspect', 'plan', '--json'])).code).toBe(0)
  })

  test('--from github asks gh for the label; --from beads asks bd', async () => {
    const g = await bare()
    const gh = await install(g, 'gh', `echo '[{"number":12,"title":"Mend it","labels":[]}]'`)
    expect((await initJson(g, '--from', 'github', '--label', 'sprint-1')).tasks).toEqual({
      from: 'gh',
      imported: 1,
    })
    expect((await gh.calls())[0]).toContain('--label sprint-1')
    expect(await g.read('.ralph/fix_plan.md')).toContain('- [ ] [#12] Mend it')

    const h = await bare({
      files: { '.beads/issues.jsonl': '{"id":"bd-1","title":"Bead","status":"open"}\n' },
    })
    expect(await initJson(h, '--from', 'beads')).toMatchObject({
      tasks: { from: '.beads/issues.jsonl', imported: 1 },
      remarks: ['bd is not installed, so Ralph read the tasks from .beads/issues.jsonl'],
    })
  })

  test('a source that was named and cannot answer is an error, and nothing is written', async () => {
    const g = await bare()
    const { code, stderr } = await runInThisProcess(g, ['init', '--from', 'beads'])
    expect([code, stderr]).toEqual([1, `ralph: ${g.path} has no .beads folder\n       Set up beads first: bd init\n`])
    expect(g.has('.ralph')).toBe(false)
  })

  test('--project-type overrides what is detected, and an unknown one is refused', async () => {
    const g = await bare({ files: { 'package.json': JS } })
    expect((await runInThisProcess(g, ['init', '--project-type', 'pyton'])).stderr).toContain('Did you mean "python"?')
    expect((await initJson(g, '--project-type', 'python', '--project-name', 'snake')).project).toEqual({
      name: 'snake',
      type: 'python',
      packageManager: 'pip',
    })
    expect(await g.read('.ralph/AGENT.md')).toContain('- Test: `pytest`')
  })

  test('an agent that nobody knows is refused before anything is written', async () => {
    const g = await bare()
    const { code, stderr } = await runInThisProcess(g, ['init', '--agent', 'claud'])
    expect([code, stderr.includes('Did you mean "claude"?'), g.has('.ralph')]).toEqual([2, true, false])
  })

  test('a folder with the old flat layout is sent to ralph migrate', async () => {
    const g = await bare({ files: { 'PROMPT.md': 'old\n' } })
    const { code, stderr } = await runInThisProcess(g, ['init'])
    expect([code, stderr.includes('ralph migrate'), g.has('.ralph')]).toEqual([2, true, false])
  })

  test('refuses the top of the file system, to which every folder would belong', () => {
    expect(() => refuseTopFolder(parse(process.cwd()).root)).toThrow('the top of the file system')
    expect(() => refuseTopFolder(process.cwd())).not.toThrow()
  })

  test('the project it makes can be run at once', async () => {
    const g = await testProject({
      prompt: null,
      agents: ['claude'],
      turns: [[{ do: 'say', text: 'nothing to do' }]],
    })
    await initJson(g)
    const { stdout } = await g.ralph(['loop', '--dry-run'])
    expect(stdout).toContain('What to build: project')
  })
})
