/** `ralph agents`, as a user types it. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AgentFacts } from '../../src/app/doctor/agents.ts'
import { testProject } from '../test-project.ts'
import { runInProcess } from '../run-in-process.ts'

test('the binary tells what is installed and how to get what is not', async () => {
  const made = await testProject({ agents: ['claude'] })
  const { code, stdout, stderr } = await made.ralph(['agents'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^✓ claude +\d+\.\d+\.\d+ /m)
  expect(stdout).toMatch(/^· codex +- /m)
  expect(stdout).toContain('  codex: not installed. npm install -g @openai/codex\n')
  expect(stdout).toContain('  cursor: tested with sample output only, ')
  expect(stdout).toContain('  chosen here: claude ')
  expect(stdout).not.toContain('\u001b')
})

test('for programs: every capability of every agent, and the user’s own', async () => {
  const { path, env } = await testProject({ agents: ['codex'], toml: '[agents.mine]\ncommand = ["sh"]\n' })
  const { code, out } = await runInProcess(['agents', '--json'], { cwd: path, env })
  const { agents } = JSON.parse(out) as { agents: AgentFacts[] }
  expect(code).toBe(0)
  expect(agents.map(({ name, installed, own }) => [name, installed, own])).toEqual([
    ['claude', false, false],
    ['codex', true, false],
    ['opencode', false, false],
    ['gemini', false, false],
    ['copilot', false, false],
    ['cursor', false, false],
    ['plain', false, false],
    ['mine', true, true],
  ])
  const capabilities = [
    'tools',
    'resume',
    'streaming',
    'tokens',
    'cost',
    'readOnly',
    'model',
    'effort',
    'system',
    'maxTurns',
    'mcp',
  ]
  for (const agent of agents) expect(Object.keys(agent.capabilities)).toEqual(capabilities)
})

test('colours are for terminals only', async () => {
  const { home } = await testProject({ agents: [] })
  const where = { cwd: home, env: { HOME: home, PATH: '' } }
  expect((await runInProcess(['agents'], where)).out).not.toContain('\u001b')
  expect((await runInProcess(['agents'], { ...where, colour: true })).out).toContain('\u001b')
})

test('an agent of your own is called by its own name, and started for its work alone', async () => {
  const made = await testProject({ toml: 'agent.order = ["mine"]\n[agents.mine]\ncommand = ["../mine"]\n' })
  await writeFile(
    join(made.path, '..', 'mine'),
    '#!/bin/sh\necho "called with: $*" >> ../calls\ncat > /dev/null\necho I did.\n',
    { mode: 0o755 },
  )
  const matrix = await made.ralph(['agents'])
  expect(matrix.stdout).toMatch(/^✓ mine +not checked/m)
  expect((await made.ralph(['status', '--verbose'])).stdout).toMatch(/^ {2}mine +\S+\/mine, login unknown$/m)
  await made.ralph(['doctor'])
  const ran = await made.ralph(['loop', '--once'])
  expect(ran.stdout).toMatch(/^start +agent +mine /m)
  expect(await readFile(join(made.path, '..', 'calls'), 'utf8')).toBe('called with: \n')
})
