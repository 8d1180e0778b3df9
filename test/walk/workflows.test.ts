/** The workflows that `ralph init --github` writes: they parse, they are pinned, they may do little, and they run no stranger's code. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { testProject } from '../test-project.ts'
import { runInThisProcess, install, JS } from './setup-kit.ts'

interface Step {
  name?: string
  uses?: string
  run?: string
  env?: Record<string, string>
  with?: Record<string, unknown>
}
interface Job {
  if?: string
  'timeout-minutes': number
  permissions?: Record<string, string>
  steps: Step[]
}
interface Workflow {
  on: Record<string, { types?: string[]; 'paths-ignore'?: string[]; branches?: string[] }>
  permissions: Record<string, string>
  concurrency: { group: string; 'cancel-in-progress': boolean }
  jobs: Record<string, Job>
}

const NAMES = ['tests', 'ralph-assistant', 'ralph-review', 'ralph-second-review'] as const
type Name = (typeof NAMES)[number]

async function written(): Promise<Record<Name, Workflow> & { text: Record<Name, string> }> {
  const g = await testProject({ prompt: null, files: { 'package.json': JS }, until: 'removed' })
  const { code, stderr } = await runInThisProcess(g, ['init', '--yes', '--github'])
  expect([code, stderr]).toEqual([0, ''])
  const texts = await Promise.all(
    NAMES.map(async (name) => [name, await g.read(`.github/workflows/${name}.yml`)] as const),
  )
  await g.remove()
  const text = Object.fromEntries(texts) as Record<Name, string>
  const parsed = Object.fromEntries(texts.map(([name, yaml]) => [name, parse(yaml, { strict: true }) as Workflow]))
  return { ...(parsed as Record<Name, Workflow>), text }
}

function jobOf(workflow: Workflow): Job {
  const [job, ...others] = Object.values(workflow.jobs)
  expect(others).toEqual([])
  if (job === undefined) throw new Error('a workflow without a job')
  return job
}

const all = written()

describe('every workflow', () => {
  test.each(NAMES)('%s: actions are pinned by commit, jobs end, the newest run cancels older ones', async (name) => {
    const workflow = (await all)[name]
    const job = jobOf(workflow)
    const uses = job.steps.flatMap((step) => step.uses ?? [])
    expect(uses.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(action))).toEqual([])
    expect(job['timeout-minutes']).toBeLessThanOrEqual(30)
    expect(workflow.concurrency['cancel-in-progress']).toBe(true)
    expect((await all).text[name]).not.toMatch(/\{\{\w+\}\}/)
  })

  test.each(NAMES)('%s: what people wrote never becomes part of a script', async (name) => {
    const scripts = jobOf((await all)[name]).steps.flatMap((step) => step.run ?? [])
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([])
  })
})

test('the tests run the detected gates, and may only read', async () => {
  const { tests } = await all
  expect(tests.permissions).toEqual({ contents: 'read' })
  expect(tests.on).toEqual({ push: { branches: ['main'] }, pull_request: { branches: ['main'] } })
  expect(jobOf(tests).steps.at(-1)).toEqual({ name: 'Gate test', run: 'npm test' })
})

test('the assistant answers only @claude, and only those who belong to the project', async () => {
  const assistant = (await all)['ralph-assistant']
  const job = jobOf(assistant)
  expect(Object.keys(assistant.on)).toEqual([
    'issue_comment',
    'pull_request_review_comment',
    'pull_request_review',
    'issues',
  ])
  expect(job.if).toContain('"OWNER", "MEMBER", "COLLABORATOR"')
  expect(job.if).toContain("'@claude'")
  expect([assistant.permissions, job.permissions]).toEqual([
    {},
    { contents: 'read', issues: 'read', 'pull-requests': 'read', actions: 'read', 'id-token': 'write' },
  ])
})

describe.each([
  ['ralph-review', 'pull_request_target', 15],
  ['ralph-second-review', 'pull_request', 10],
] as const)('%s', (name, event, minutes) => {
  test('begins at a pull request, not for documentation alone, and ends in time', async () => {
    const workflow = (await all)[name]
    expect(Object.keys(workflow.on)).toEqual([event])
    expect(workflow.on[event]?.['paths-ignore']).toEqual(expect.arrayContaining(['**/*.md', 'docs/**']))
    expect(jobOf(workflow)['timeout-minutes']).toBe(minutes)
    expect(workflow.concurrency.group).toContain('github.event.pull_request.number')
  })

  test("never takes the pull request's code onto the machine", async () => {
    const { steps } = jobOf((await all)[name])
    expect(steps.filter((step) => step.uses?.startsWith('actions/checkout') === true)).toEqual([])
    expect((await all).text[name]).not.toMatch(/git (?:clone|fetch|checkout)|gh pr checkout|head\.(?:ref|sha)/)
  })

  test('no step holds both the token of GitHub and the key of the vendor', async () => {
    const { steps, permissions } = jobOf((await all)[name])
    const secrets = steps.map(
      (step) => Object.values(step.env ?? {}).filter((value) => /secrets\.|github\.token/.test(value)).length,
    )
    expect(Math.max(...secrets)).toBe(1)
    expect(permissions).toEqual({ contents: 'read', 'pull-requests': 'write' })
  })

  test.each([
    [4, 10, 9, false],
    [5, 1, 0, true],
    [1, 12, 8, true],
  ])('%i files, +%i -%i: worth a review is %s', async (files, added, removed, worth) => {
    const script = jobOf((await all)[name]).steps[0]?.run ?? ''
    const folder = mkdtempSync(join(tmpdir(), 'ralph-workflow-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const sizes = { FILES: String(files), ADDED: String(added), REMOVED: String(removed) }
    const env = { PATH: process.env['PATH'] ?? '', ...sizes, GITHUB_OUTPUT: join(folder, 'output') }
    execFileSync('bash', ['--noprofile', '--norc', '-e', '-c', script], { env })
    expect(readFileSync(join(folder, 'output'), 'utf8')).toBe(`worth=${worth}\n`)
  })

  test('leaves one comment: the second time the first is renewed', async () => {
    const script = jobOf((await all)[name]).steps.at(-1)?.run ?? ''
    const g = await testProject({ prompt: null })
    const gh = await install(g, 'gh', 'case "$*" in *--paginate*) cat "$KNOWN";; esac')
    await g.write('review.md', 'fine\n')
    const run = async (known: string): Promise<string[]> => {
      await g.write('known', known)
      const env = {
        ...g.env,
        RUNNER_TEMP: g.path,
        KNOWN: `${g.path}/known`,
        MARK: '<!-- m -->',
        NUMBER: '5',
        REPOSITORY: 'o/n',
      }
      execFileSync('bash', ['--noprofile', '--norc', '-e', '-c', script], { env, cwd: g.path })
      return (await gh.calls()).filter((call) => !call.includes('--paginate'))
    }
    expect(await run('')).toEqual([`pr comment 5 --repo o/n --body-file ${g.path}/comment.md`])
    expect((await run('77\n')).slice(1)).toEqual([
      `api --method PATCH repos/o/n/issues/comments/77 --field body=@${g.path}/comment.md`,
    ])
    expect(await g.read('comment.md')).toBe('<!-- m -->\nfine\n')
  })
})
