import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import {
  adviceForEndedRun,
  adviceWhenTasksReady,
  adviceContextOf,
  adviceContextAfterSet,
  adviceWithout,
  type AdviceInput,
} from './advice.ts'
import type { Outcome, OutcomeName } from '../state/outcome.ts'
import { LOOP_START_COMMAND, type StartCommand } from '../state/start-command.ts'
import { someRules } from '../../../test/kit/core.ts'

const TERMS = { ...adviceContextOf(someRules(), LOOP_START_COMMAND), gated: true, plan: '.ralph/plan.md' }

function after(outcome: Partial<Outcome> & { is: OutcomeName }, end: Partial<AdviceInput> = {}) {
  return adviceForEndedRun({
    outcome: { reason: 'because', verdict: 'unproven', exit: 4, ...outcome },
    run: 'k7f3qa',
    adviceContext: TERMS,
    ...end,
  })
}

/** Every way a run can end; a new one must be given its row here too. */
const COMMANDS: Record<OutcomeName, string> = {
  plan_complete: 'ralph verify',
  project_complete: 'ralph verify',
  completion_signals: 'ralph verify',
  test_saturation: 'ralph verify',
  safety_stop: 'ralph inspect plan',
  permission_denied: 'ralph loop',
  breaker: 'ralph loop --auto-reset-circuit',
  iteration_limit: 'ralph loop',
  time_limit: 'ralph loop',
  token_limit: 'ralph loop',
  cost_limit: 'ralph loop',
  agent_unusable: 'ralph agents',
  program_missing: 'ralph loop',
  not_started: 'ralph loop --yes',
  outage: 'ralph loop',
  api_limit_exit: 'ralph loop',
  cannot_prove: 'ralph verify',
  needs_acceptance: 'ralph loop',
  room_failed: 'ralph verify',
  files_deleted: 'ralph loop',
  tasks_complete: 'ralph verify',
  tasks_failed: 'ralph task list --status failed',
  tasks_blocked: 'ralph task',
  no_plan: 'ralph task add "what to do"',
  drafted: 'ralph loop',
  not_drafted: 'ralph loop',
  verified: 'ralph verify',
  stopped: 'ralph loop',
  abandoned: 'ralph runs',
  failed: 'ralph doctor',
}

test.each(Object.entries(COMMANDS) as [OutcomeName, string][])('%s without a cause: %s', (is, command) => {
  expect(after({ is }).command).toBe(command)
})

test('tasks that are ready after an end come before everything else', () => {
  const adviceContext = adviceContextOf(someRules(), { name: 'run', target: 'money', flags: {} })
  const { begin } = adviceContext
  const end = after({ is: 'tasks_failed' }, { adviceContext })
  expect(adviceWhenTasksReady(end, { ready: 0, begin })).toBe(end)
  const { command, why, others } = adviceWhenTasksReady(end, { ready: 2, begin })
  expect([command, why]).toEqual(['ralph run money', '2 tasks are ready'])
  expect(others.map((other) => other.command)).toEqual([
    'ralph task list --status failed',
    'ralph task show ID',
    'ralph task reset ID',
    'ralph undo',
  ])
})

test.each([
  ['cannot_prove', 'git status --short'],
  ['room_failed', 'git status --short'],
  ['needs_acceptance', 'git show'],
] as const)('%s, proven later: the next step is the person’s', (is, command) => {
  expect(after({ is, verdict: 'proven' }).command).toBe(command)
})

describe('questions of agents', () => {
  const ASKED = { id: 'q1', text: 'Tabs or\nspaces?', task: null }

  test('one is named right after the first command, with its text', () => {
    const { command, others } = after({ is: 'stopped' }, { questions: [ASKED] })
    expect([command, others[0]]).toEqual([
      'ralph loop',
      { command: 'ralph answer q1 "…"', why: 'an agent asks: Tabs or spaces?' },
    ])
  })

  test('several are listed by one command', () => {
    const { others } = after({ is: 'stopped' }, { questions: [ASKED, { ...ASKED, id: 'q2' }] })
    expect(others[0]).toEqual({ command: 'ralph answer', why: '2 questions from agents are open' })
  })
})

test('a screen does not advise itself', () => {
  const row = after({ is: 'stopped' })
  expect(adviceWithout('ralph loop', row)).toMatchObject({ command: 'ralph show k7f3qa' })
  expect(adviceWithout('ralph show k7f3qa', row).others.map(({ command }) => command)).toEqual(['ralph undo'])
})

test('one failed task is named', () => {
  const { command, others } = after({ is: 'tasks_failed', cause: { is: 'task-failed', task: 't-1' } })
  expect([command, others.map((other) => other.command)]).toEqual([
    'ralph task show t-1',
    ['ralph task reset t-1', 'ralph loop', 'ralph undo'],
  ])
})

describe('a usage limit', () => {
  const cause = { is: 'not-now', until: Date.UTC(2027, 2, 1, 23) } as const
  const local = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ')
  const whyAt = (now: number): string => after({ is: 'stopped', cause }, { reader: { now, local } }).why

  test('that still holds: the advice says until when the next run waits', () => {
    expect(whyAt(cause.until - 60_000)).toBe('continue; it waits until 23:00')
  })

  test('that is over is not mentioned', () => {
    expect(whyAt(cause.until)).toBe('continue')
  })
})

test('an open breaker that let no iteration begin: there is no output to read', () => {
  const logs = (iterations: number): boolean =>
    after({ is: 'breaker' }, { iterations }).others.some(({ command }) => command.startsWith('ralph logs'))
  expect([logs(0), logs(1)]).toEqual([false, true])
})

describe('the command fits the cause', () => {
  test('a denied tool is allowed by the flag, quoted for a shell', () => {
    const allow = { say: 'It is not on the list.', args: ['--allowed-tools', "Read,Bash(it's *)"] }
    const cause = { is: 'denied' as const, what: 'Bash(rm)', allow }
    const { command, first } = after({ is: 'permission_denied', cause })
    expect([command, first]).toEqual([`ralph loop --allowed-tools 'Read,Bash(it'\\''s *)'`, ['It is not on the list.']])
  })

  test('where only the vendor can allow it, its sentence stands before a plain run', () => {
    const allow = { say: 'Allow it in opencode.json.', args: [] }
    const { command, first } = after({ is: 'permission_denied', cause: { is: 'denied', what: 'x', allow } })
    expect([command, first]).toEqual(['ralph loop', ['Allow it in opencode.json.']])
  })

  test('a breaker that denied tools opened is closed with the same command', () => {
    const allow = { say: 'Mode plan denies it.', args: ['--permission', 'yolo'] }
    const cause = { is: 'stuck' as const, why: 'denials' as const, said: '', allow }
    expect(after({ is: 'breaker', cause }).command).toBe('ralph loop --permission yolo --auto-reset-circuit')
  })

  test('the error that opened the breaker is told, without its control bytes', () => {
    const cause = { is: 'stuck' as const, why: 'same-error' as const, said: 'no\u001b[31m such file' }
    const { first } = after({ is: 'breaker', cause })
    expect(first.join()).toContain('such file')
    expect(first.join()).not.toContain('\u001b')
  })

  test('a login is the vendor’s own command', () => {
    const cause = {
      is: 'agent',
      agent: 'codex',
      kind: 'authentication',
      fix: 'Log in: codex login',
      command: 'codex login',
    } as const
    const { command, first, others } = after({ is: 'agent_unusable', cause })
    expect([command, first, others[0]?.command]).toEqual(['codex login', [], 'ralph loop'])
  })

  test('a reader that cannot be heard: see to it, and what was done stands', () => {
    const cause = { is: 'unheard', agent: 'codex', says: 'exit 1' } as const
    const { command, why, first, others } = after({ is: 'agent_unusable', cause })
    expect([command, why]).toEqual(['ralph agents', 'see whether codex works here'])
    expect(first[0]).toBe('The work stays as it is; only the review is missing.')
    expect(others.map((one) => one.command.replace(/ [a-z0-9]{6}/, ' RUN'))).toEqual([
      'ralph logs RUN --agent',
      'ralph loop',
      'ralph show RUN',
    ])
  })

  test('a spent budget: as much again, by the flag with its number', () => {
    const adviceContext = { ...TERMS, budget: { usd: 2.5, tokens: 1000, minutes: 30 } }
    const commands = (['cost_limit', 'token_limit', 'time_limit'] as const).map(
      (is) => after({ is }, { adviceContext }).command,
    )
    expect(commands).toEqual([
      'ralph loop --budget-usd 2.5',
      'ralph loop --budget-tokens 1000',
      'ralph loop --minutes 30',
    ])
  })

  test('a refused completion shows what failed; guidance and another try come second', () => {
    const cause = { is: 'refused' as const, gate: 'test', lines: ['1 failed, 3 passed', 'adds'] }
    for (const verdict of ['failed', 'regressed', 'tampered', 'flaky', 'timed-out', 'baseline-failed'] as const) {
      const { command, first, others } = after({ is: 'cannot_prove', verdict, cause })
      expect([command, first]).toEqual(['ralph verify', cause.lines])
      expect(others.map((step) => step.command)).toEqual([
        'ralph steer "…"',
        'ralph loop',
        'ralph logs k7f3qa --gate',
        'ralph show k7f3qa',
        'ralph undo',
      ])
    }
  })

  test('what cannot be taken back is not offered to be', () => {
    const undo = (end: Partial<AdviceInput>): boolean =>
      after({ is: 'breaker' }, end).others.some((step) => step.command === 'ralph undo')
    expect([undo({}), undo({ undoable: true }), undo({ undoable: false })]).toEqual([true, true, false])
  })

  test('without a gate the lines to paste are valid TOML', () => {
    const { first } = after({ is: 'project_complete' }, { adviceContext: { ...TERMS, gated: false } })
    expect(parse(first.slice(1).join('\n'))).toEqual({ gate: [{ name: 'test', run: 'npm test' }] })
  })

  test('where there was nothing to do, it says where to write what comes next', () => {
    const { command, first } = after({
      is: 'plan_complete',
      verdict: 'proven',
      cause: { is: 'nothing-to-do' },
    })
    expect([command, first[0]]).toEqual([
      'ralph loop',
      'Every item in .ralph/plan.md is ticked. Add the next one there:',
    ])
  })
})

describe('proven work that is in no commit', () => {
  test('is committed first; the rest follows', () => {
    const { command, first, others } = after({
      is: 'plan_complete',
      verdict: 'proven',
      uncommitted: { files: 2, before: 0, paths: ['a.ts', "it's b.ts"] },
    })
    expect([command, first, others[0]?.command]).toEqual([
      `git add -- a.ts 'it'\\''s b.ts' && git commit -m 'Work of run k7f3qa' -- a.ts 'it'\\''s b.ts'`,
      ['The agent left 2 files uncommitted.'],
      'git show',
    ])
  })

  test('is committed without settings that were edited during the run', () => {
    const { command, first } = after({
      is: 'plan_complete',
      verdict: 'proven',
      uncommitted: { files: 2, before: 0, paths: ['.ralph.toml', 'a.ts'] },
      edited: ['.ralph.toml'],
    })
    expect([command, first.at(-1)]).toEqual([
      `git add -- a.ts && git commit -m 'Work of run k7f3qa' -- a.ts`,
      'This leaves out .ralph.toml: the run edited settings. Review the edits first (git diff -- .ralph.toml).',
    ])
    const alone = after({
      is: 'plan_complete',
      verdict: 'proven',
      uncommitted: { files: 1, before: 0, paths: ['.ralph.toml'] },
      edited: ['.ralph.toml'],
    })
    expect(alone.command).toBe('git diff -- .ralph.toml')
  })

  test('is not the first thing to say where no more lies there than before', () => {
    const { command, first, others } = after({
      is: 'plan_complete',
      verdict: 'proven',
      uncommitted: { files: 1, before: 1, paths: ['.ralph.toml'] },
    })
    expect([command, first, others.at(-1)?.command]).toEqual([
      'git show',
      ['Still uncommitted (as before the run): .ralph.toml'],
      'git status --short',
    ])
  })

  test('is only shown where other work lay there before', () => {
    const { command } = after({
      is: 'plan_complete',
      verdict: 'proven',
      uncommitted: { files: 3, before: 2 },
    })
    expect(command).toBe('git status --short')
  })
})

describe('the flags of the run that ended', () => {
  const rules = { ...someRules(), model: { strategy: 'escalate' as const } }
  const loopWith = (flags: StartCommand['flags']): StartCommand => ({ ...LOOP_START_COMMAND, flags })
  const chosen = loopWith({ model: 'sonnet', 'model-strategy': 'escalate' })
  const adviceContext = {
    ...adviceContextOf(
      rules,
      loopWith({
        agent: 'acp:gemini --acp',
        model: 'opsu',
        'model-strategy': 'escalate',
        prompt: 'x.md',
        'budget-usd': '3',
        live: true,
      }),
    ),
    gated: true,
  }

  test('hold for the next one, as far as they say who works and at what', () => {
    expect(after({ is: 'stopped' }, { adviceContext }).command).toBe(
      "ralph loop --agent 'acp:gemini --acp' --model opsu --model-strategy escalate --prompt x.md",
    )
  })

  test('give way to what was said during the run', () => {
    const set = { ...rules, agent: { ...rules.agent, model: 'opus' }, model: { strategy: 'fixed' as const } }
    const now = adviceContextOf(set, chosen)
    expect(after({ is: 'stopped' }, { adviceContext: now }).command).toBe(
      'ralph loop --model opus --model-strategy fixed',
    )
    const typed = adviceContextOf(rules, chosen)
    expect(adviceContextAfterSet(typed, { key: 'agent.model', value: 'opus' }).flags).toEqual(now.flags)
    expect(adviceContextAfterSet(typed, { key: 'model.strategy', value: 'fixed' }).flags).toEqual([
      '--model=sonnet',
      '--model-strategy=fixed',
    ])
  })

  test('of one iteration that was asked for, no limit is offered to be lifted', () => {
    const loop = { ...rules.loop, iterationsMax: 1 }
    const others = (once: boolean): string[] =>
      after(
        { is: 'iteration_limit' },
        { adviceContext: adviceContextOf({ ...rules, loop: { ...loop, once } }, LOOP_START_COMMAND) },
      ).others.map(({ command }) => command)
    expect([others(true), others(false)]).toEqual([['ralph undo'], ['ralph loop --max-iterations 0', 'ralph undo']])
  })

  test('give way to what the advice says itself, and to what was wrong', () => {
    const cause = { is: 'agent', agent: 'gemini', kind: 'model', fix: null, command: null } as const
    expect(after({ is: 'agent_unusable', cause }, { adviceContext }).command).not.toContain('opsu')
  })
})
