import { expect, test } from 'vitest'
import type { MigrateResult } from '../../src/app/project/migrate.ts'
import { testProject, type TestProject } from '../test-project.ts'
import { runInThisProcess } from './setup-kit.ts'

async function migrated(g: TestProject, ...args: string[]): Promise<MigrateResult> {
  const { code, stdout, stderr } = await runInThisProcess(g, ['migrate', '--json', ...args])
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as MigrateResult
}

const FLAT = {
  'PROMPT.md': 'See @fix_plan.md\n',
  '@fix_plan.md': '- [ ] one\n',
  '@AGENT.md': 'npm test\n',
  'specs/stdlib/a.md': 'a\n',
  'logs/ralph.log': 'log\n',
  '.call_count': '3\n',
  'status.json': '{"loop_count": 3}',
  'progress.json': '{"mine": true}',
  'src/main.js': '',
}

test('the flat layout moves into .ralph, everything is copied first, and the rest stays', async () => {
  const g = await testProject({ prompt: null, files: FLAT })
  const done = await migrated(g)
  expect(done).toMatchObject({
    is: 'migrated',
    remarks: ['.ralph/PROMPT.md still mentions @fix_plan.md; it is .ralph/fix_plan.md now'],
  })
  expect(done.moved.map(({ from, to }) => `${from} ${to}`)).toEqual([
    'PROMPT.md .ralph/PROMPT.md',
    '@fix_plan.md .ralph/fix_plan.md',
    '@AGENT.md .ralph/AGENT.md',
    'specs .ralph/specs',
    'logs .ralph/logs',
    '.call_count .ralph/.call_count',
    'status.json .ralph/status.json',
  ])
  expect(await g.read('.ralph/specs/stdlib/a.md')).toBe('a\n')
  expect(['PROMPT.md', 'specs', 'logs', 'status.json'].map((name) => g.has(name))).toEqual([false, false, false, false])
  expect(['progress.json', 'src/main.js'].map((name) => g.has(name))).toEqual([true, true])
  expect(done.backup).toMatch(/^\.ralph_backup_\d{8}_\d{6}$/)
  expect(await g.read(`${done.backup}/@fix_plan.md`)).toBe('- [ ] one\n')
  expect((await g.ralph(['migrate'])).stdout).toContain('already has the new layout')
  expect(await migrated(g)).toMatchObject({ is: 'already', moved: [], backup: null })
})

test('folders on both sides are put together, and the file at the top wins', async () => {
  const files = {
    '@fix_plan.md': 'top\n',
    '.ralph/fix_plan.md': 'below\n',
    'specs/a.md': 'top\n',
    '.ralph/specs/a.md': 'below\n',
    '.ralph/specs/b.md': 'b\n',
  }
  const g = await testProject({ prompt: null, files })
  const { backup } = await migrated(g)
  expect([
    await g.read('.ralph/fix_plan.md'),
    await g.read('.ralph/specs/a.md'),
    await g.read('.ralph/specs/b.md'),
  ]).toEqual(['top\n', 'top\n', 'b\n'])
  expect(await g.read(`${backup}/.ralph/fix_plan.md`)).toBe('below\n')
})

test('the names with an @ that an early .ralph had are fixed', async () => {
  const g = await testProject({ files: { '.ralph/@fix_plan.md': 'plan\n', 'logs/app.log': 'mine\n' } })
  expect((await migrated(g)).moved).toEqual([{ from: '.ralph/@fix_plan.md', to: '.ralph/fix_plan.md' }])
  expect(g.has('logs/app.log')).toBe(true)
})

test("folders stay when only a prompt says that the project is Ralph's", async () => {
  const g = await testProject({ prompt: null, files: { 'PROMPT.md': 'p\n', 'logs/app.log': '' } })
  expect(await migrated(g)).toMatchObject({
    moved: [{ from: 'PROMPT.md', to: '.ralph/PROMPT.md' }],
    remarks: ["logs was not moved, because it may not be Ralph's. If it is Ralph's, move it to .ralph/logs"],
  })
})

test('a project that merely has such folders is none of ours', async () => {
  const g = await testProject({ prompt: null, files: { 'AGENT.md': '', 'specs/a.md': '', 'logs/x.log': '' } })
  expect(await migrated(g)).toMatchObject({ is: 'nothing', moved: [], backup: null })
  expect([g.has('AGENT.md'), g.has('.ralph')]).toEqual([true, false])
})

test('while a run works here it is refused', async () => {
  const g = await testProject({ agents: ['claude'], files: { '@AGENT.md': '' }, turns: [[{ do: 'hang' }]] })
  const loop = g.start(['loop', '--once'])
  await expect.poll(() => g.starts().length).toBe(1)
  const { code, stderr } = await g.ralph(['migrate'])
  expect([code, stderr.includes('ralph stop'), g.has('@AGENT.md')]).toEqual([1, true, true])
  await loop.kill('SIGINT')
})
