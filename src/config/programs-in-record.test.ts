import { describe, expect, test } from 'vitest'
import type { ProjectAgents } from '../core/calls/agent-io.ts'
import type { RunState } from '../core/state/state.ts'
import { untrustedPrograms } from '../core/trust/trust.ts'
import { programsFromRecord, findFlagLikeValue, type RecordedRun } from './programs-in-record.ts'
import { settingsOf, type SettingsFixture } from '../../test/kit/config.ts'

const gate = (name: string, run: string): object => ({ name, run, cwd: '.', env: {} })
const NONE: ProjectAgents = { agents: {}, programs: {} }

interface Kept {
  order?: string[]
  model?: string
  models?: object
  gates?: object[]
  setup?: string
  open?: Record<string, object>
  phase?: object
}

/** Of a state only what names programs. */
function aState({ order = ['claude'], model, models = {}, gates = [], setup, open = {}, phase = {} }: Kept): RunState {
  const rules = {
    agent: { order, model: model ?? null, models, effort: null, tools: null },
    proof: { reviewer: null, setup: setup ?? null },
  }
  const workers = { 1: { phase, conversation: null } }
  return { run: { id: 'k7f3qa', rules: { ...rules, gates }, open }, workers } as unknown as RunState
}

async function started(
  kept: Kept & { programs?: ProjectAgents },
  place: SettingsFixture = {},
): Promise<[string, unknown][]> {
  const record: RecordedRun = { run: 'k7f3qa', state: aState(kept), programs: kept.programs ?? NONE }
  return programsFromRecord(record, await settingsOf(place)).map(({ setting, run }) => [setting, run])
}

const HOW = { model: null, effort: null, tools: null }

describe('a record starts', () => {
  test('what its rules and its programs name', async () => {
    const mine = { command: ['./mine.sh'], output: 'text' as const, fields: {}, env: { A: '1' } }
    const programs = { agents: { mine }, programs: { claude: ['npx', 'claude'] } }
    const kept = {
      order: ['mine', 'claude', 'acp:./x --acp'],
      gates: [gate('test', 'npm test')],
      setup: 'npm ci',
      programs,
    }
    expect(await started(kept)).toEqual([
      ['agent.order', './x --acp'],
      ['agents.mine', ['./mine.sh']],
      ['agents.claude', ['npx', 'claude']],
      ['gate test', 'npm test'],
      ['proof.setup', 'npm ci'],
    ])
  })

  test('what its open effects and phases name', async () => {
    const open = {
      e1: { type: 'run-gate', gate: gate('test', './evil.sh') },
      e2: { type: 'run-agent', agent: 'acp:./evil.sh', how: HOW, resume: null },
    }
    expect(await started({ open, phase: { is: 'admitting', agent: 'acp:./worse.sh' } })).toEqual([
      ['agent.order', './evil.sh'],
      ['agent.order', './worse.sh'],
      ['gate test', './evil.sh'],
    ])
  })

  test('nothing to ask about where the user says the same, whatever the project says by now', async () => {
    const users = 'agent = "acp:./x"\n[agents.claude]\ncommand = ["c"]\n'
    const files = {
      '~/.config/ralph/config.toml': users,
      '.ralph.toml': 'agent = "codex"\n[agents.claude]\ncommand = ["d"]\n',
    }
    const programs = { agents: {}, programs: { claude: ['c'] } }
    expect(await started({ order: ['acp:./x'], programs }, { files })).toEqual([])
    expect(await started({ order: ['acp:./y'] }, { flags: { agent: 'acp:./y' } })).toEqual([])
    expect(await started({ setup: 'npm ci' }, { env: { RALPH_PROOF_SETUP: 'npm ci' } })).toEqual([])
    expect(await started({ setup: 'none' })).toEqual([])
  })
})

test('trust that was given to any setting that can have named it counts', async () => {
  const programs = { agents: {}, programs: { claude: ['npx', 'claude'] } }
  const record = { run: 'k7f3qa', state: aState({ order: ['claude', 'acp:./x --acp'] }), programs }
  const wanted = programsFromRecord(record, await settingsOf({}))
  const trusted = [
    ['npx', 'claude'],
    ['./x', '--acp'],
  ].map((run) => ({
    setting: 'agent.command',
    run,
    cwd: '.',
    env: {},
    at: 0,
  }))
  expect([untrustedPrograms(wanted, trusted).length, untrustedPrograms(wanted, []).length]).toEqual([0, 2])
})

test('a check that was trusted when its task was accepted asks nothing when its gate is resumed', async () => {
  const open = { e1: { type: 'run-gate', gate: gate('check-1', 'npm test -- form') } }
  const wanted = programsFromRecord({ run: 'k7f3qa', state: aState({ open }), programs: NONE }, await settingsOf({}))
  const trusted = [{ setting: 'check', run: 'npm test -- form', cwd: '.', env: {}, at: 0 }]
  expect([untrustedPrograms(wanted, trusted).length, untrustedPrograms(wanted, []).length]).toEqual([0, 1])
})

test.each<[string, Kept, string | null]>([
  ['a model of a tier', { models: { codex: { light: null, strong: '--yolo' } } }, '--yolo'],
  ['a model', { model: '--mcp-config=x' }, '--mcp-config=x'],
  ['a tool of an open effect', { open: { e1: { type: 'run-agent', how: { ...HOW, tools: ['-x'] } } } }, '-x'],
  ['a conversation', { open: { e1: { type: 'run-agent', how: HOW, resume: '--yes' } } }, '--yes'],
  ['nothing of the kind', { model: 'opus' }, null],
])('a word that would be a flag is found: %s', (_, kept, found) => {
  expect(findFlagLikeValue(aState(kept))).toBe(found)
})
