import { expect, test } from 'vitest'
import { parseInvocation, type ScriptedInvocation } from './invocation.ts'

const NOTHING: ScriptedInvocation = {
  scenario: null,
  dialect: null,
  calledAs: null,
  resume: null,
  model: null,
  format: null,
  usageFile: null,
  wantsVersion: false,
  wantsLogin: false,
  vendorArgs: [],
}

const CALLS: [program: string, args: string[], means: Partial<ScriptedInvocation>][] = [
  [
    '/b/claude',
    ['-p', '--model', 'opus', '--resume', 'c1'],
    { calledAs: 'claude', model: 'opus', resume: 'c1', format: 'text' },
  ],
  ['/b/claude', ['-p', '--output-format', 'json'], { calledAs: 'claude', format: 'json' }],
  ['/b/codex', ['exec', '--json', '-m', 'gpt', 'resume', 'c1', '-'], { calledAs: 'codex', model: 'gpt', resume: 'c1' }],
  ['/b/opencode', ['run', '--session', 'ses_1'], { calledAs: 'opencode', resume: 'ses_1' }],
  ['/b/gemini', ['-o', 'stream-json', '--resume=c1'], { calledAs: 'gemini', resume: 'c1' }],
  ['/b/copilot', ['--usage-output-file', '/s/u.json'], { calledAs: 'copilot', usageFile: '/s/u.json' }],
  ['/b/cursor-agent', ['-p', '--force'], { calledAs: 'cursor', format: 'text' }],
  ['/b/claude', ['--version'], { calledAs: 'claude', wantsVersion: true }],
  ['/b/claude', ['auth', 'status'], { calledAs: 'claude', wantsLogin: true }],
  ['/b/ralph-scripted-agent.mjs', ['--force'], {}],
]

test.for(CALLS)('%s %j', ([program, args, means]) => {
  expect(parseInvocation(program, args, {})).toEqual({ ...NOTHING, vendorArgs: args, ...means })
})

test("our own flags are not the vendor's", () => {
  const call = parseInvocation('/b/x.mjs', ['--scenario', 's.json', '--dialect', 'codex', 'exec', '-'], {})
  expect(call).toEqual({ ...NOTHING, scenario: 's.json', dialect: 'codex', vendorArgs: ['exec', '-'] })
})

test('the environment names what no flag does', () => {
  const env = { RALPH_SCENARIO: 'e.json', RALPH_CONVERSATION: 'c2', RALPH_MODEL: 'm' }
  expect(parseInvocation('/b/mine', [], env)).toEqual({
    ...NOTHING,
    scenario: 'e.json',
    resume: 'c2',
    model: 'm',
  })
  expect(parseInvocation('/b/mine', ['--scenario', 's.json'], env).scenario).toBe('s.json')
})
