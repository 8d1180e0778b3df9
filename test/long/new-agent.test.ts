/** An agent that Ralph does not know yet: in a copy of the source it gets its file and its row, and nothing else. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DONE, testProject, type TestProject } from '../test-project.ts'

const ROOT = dirname(dirname(import.meta.dirname))

/** It builds the whole program, twice: once in vain. */
const BUILDS_MS = 600_000

const ROW = `  parrot: { also: ['parrot-cli'], modes: { squawk: null } },\n`

const FILE = `/** Parrot: \`parrot --say\`. */
import type { AgentRequest, Invocation } from '../core/calls/agent-io.ts'
import { promptWithSystem, unrestrictedAccess, type Driver } from './driver.ts'
import { failureAtExit } from './error-text/classify-failure.ts'

export const parrot: Driver = {
  protocol: 'lines',
  name: 'parrot',
  title: 'Parrot',
  program: 'parrot',
  install: 'npm install -g parrot-cli',
  minVersion: null,
  capabilities: {
    tools: 'no',
    resume: 'no',
    streaming: 'yes',
    tokens: 'no',
    cost: 'no',
    readOnly: 'no',
    model: 'no',
    effort: 'no',
    system: 'partly',
    maxTurns: 'no',
    mcp: 'no',
  },
  liveUsage: 'nothing',
  prices: null,
  keys: ['PARROT_*'],
  idleMs: null,
  toolNames: null,
  finalEvent: false,
  onDenied: () => ({ say: 'Give it a nut.', args: [] }),
  login: { env: ['PARROT_KEY'], files: [], complete: true },
  command: (request: AgentRequest): Invocation => ({
    argv: [...(request.program ?? ['parrot']), '--say'],
    env: {},
    stdin: promptWithSystem(request),
  }),
  access: () => unrestrictedAccess(),
  read: (line, from) => (from === 'stdout' ? [{ type: 'text', text: \`\${line}\\n\`, delta: true }] : []),
  exited: failureAtExit,
}
`

test(
  'one file and one row make an agent that is listed, completed, checked and run',
  async () => {
    const copy = copyOfSource()
    addRow(copy)
    // The compiler and the bundler name what is still missing.
    const without = build(copy)
    expect([without.status === 0, without.stderr + without.stdout]).toEqual([
      false,
      expect.stringContaining('parrot.ts') as unknown,
    ])
    writeFileSync(join(copy, 'src/agents/parrot.ts'), FILE)
    const made = build(copy)
    expect([made.status, made.stderr]).toEqual([0, 'Building …\n'])

    const g = await testProject({
      agents: [],
      turns: [
        [
          { do: 'write', path: 'said.txt', content: 'Polly\n' },
          { do: 'status', text: 'Said.', fields: DONE },
        ],
      ],
    })
    addProgram(g)
    const ralph = (...args: string[]) =>
      spawnSync(process.execPath, [join(copy, 'bin/ralph.cjs'), ...args], {
        cwd: g.path,
        env: g.env,
        encoding: 'utf8',
      })

    const listed = JSON.parse(ralph('agents', '--json').stdout) as {
      agents: { name: string; installed: boolean }[]
    }
    expect(listed.agents.map(({ name }) => name).slice(-2)).toEqual(['plain', 'parrot'])
    expect(listed.agents.at(-1)?.installed).toBe(true)

    expect(ralph('complete', '+ralph', '+loop', '+--agent', '+pa').stdout).toMatch(/^parrot\t/)

    await g.write('.ralph.toml', '[agents.parrot]\ncommand = ["parrot"]\noutput = "jsonl"\n')
    expect(ralph('config', 'list').stderr).toContain(
      'Ralph knows parrot already; you can only change its command and models',
    )
    await g.write('.ralph.toml', '')
    expect(ralph('loop', '--agent', 'parrot', '--permission', 'squak').stderr).toContain('Did you mean squawk?')

    // Its package's name means it too.
    const ran = ralph('loop', '--agent', 'parrot-cli')
    expect([ran.status, ran.stderr]).toEqual([0, ''])
    expect(new Set(g.starts().map(({ args }) => args.join(' ')))).toEqual(new Set(['--say']))
  },
  BUILDS_MS,
)

function copyOfSource(): string {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-source-')))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  for (const part of [
    'assets',
    'bin',
    'docs/guide',
    'package.json',
    'package-lock.json',
    'rolldown.config.ts',
    'scripts',
    'scripted-agent',
    'src',
    'test/stored-runs.ts',
    'test/kit',
    'tsconfig.build.json',
    'tsconfig.json',
  ])
    cpSync(join(ROOT, part), join(copy, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

function addRow(copy: string): void {
  const file = join(copy, 'src/core/calls/known-agents.ts')
  const before = readFileSync(file, 'utf8')
  const after = before.replace(/^} as const satisfies/m, `${ROW}$&`)
  expect(after.length).toBe(before.length + ROW.length)
  writeFileSync(file, after)
}

function build(copy: string): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(copy, 'scripts/setup.mjs'), 'build'], {
    cwd: copy,
    encoding: 'utf8',
  })
}

/** The scripted agent by its name, speaking plainly. */
function addProgram({ path }: TestProject): void {
  const base = dirname(path)
  const play = `'${process.execPath}' '${join(ROOT, 'bin/ralph-scripted-agent.mjs')}' --scenario '${join(base, 'scenario.json')}' --dialect text`
  writeFileSync(join(base, 'bin', 'parrot'), `#!/bin/sh\nexec ${play} "$@"\n`, { mode: 0o755 })
}
