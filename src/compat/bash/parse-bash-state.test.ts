import { describe, expect, test } from 'vitest'
import { parseBashState } from './parse-bash-state.ts'

const NOW = {
  local: '2027-03-28 14:30:00',
  readTime: (text: string) => (text.startsWith('t+') ? Number(text.slice(2)) : null),
  writtenAt: () => null,
}

function read(files: Parameters<typeof parseBashState>[0]): ReturnType<typeof parseBashState> {
  return parseBashState(files, NOW)
}

const NOTHING = { breaker: null, conversation: null, used: null, turns: { breaker: [], conversation: [] } }

test('a project without old files has no old state', () => {
  expect(read({})).toEqual(NOTHING)
})

describe('the breaker', () => {
  const FILE = {
    state: 'OPEN',
    last_change: 't+9',
    consecutive_no_progress: 3,
    consecutive_same_error: 1,
    consecutive_permission_denials: 0,
    last_progress_loop: 4,
    total_opens: 2,
    reason: 'No progress detected in 3 consecutive loops',
    current_loop: 7,
    opened_at: 't+5',
  }

  function breaker(change: Record<string, unknown>): ReturnType<typeof parseBashState>['breaker'] {
    return read({ '.circuit_breaker_state': JSON.stringify({ ...FILE, ...change }) }).breaker
  }

  test('is read as it stood', () => {
    expect(breaker({})).toEqual({
      is: 'open',
      counts: { idle: 3, failed: 1, denied: 0, declined: 0 },
      opens: 2,
      changedAt: 9,
      openedAt: 5,
      why: 'no-progress',
      reason: 'No progress detected in 3 consecutive loops',
    })
    expect(breaker({ state: 'HALF_OPEN' })).toMatchObject({ is: 'half-open', changedAt: 9 })
    expect(breaker({ state: 'CLOSED' })).toMatchObject({ is: 'closed', opens: 2 })
  })

  test('without any time in it goes by that of the file: it must not count as closed for want of one', () => {
    const files = { '.circuit_breaker_state': '{"state":"OPEN"}' }
    expect(parseBashState(files, { ...NOW, writtenAt: () => 7 }).breaker).toMatchObject({
      is: 'open',
      openedAt: 7,
    })
    expect(breaker({ last_change: undefined })).toMatchObject({ is: 'open', openedAt: 5 })
  })

  test('that has no time of opening was opened at its last change', () => {
    expect(breaker({ opened_at: undefined })).toMatchObject({ is: 'open', openedAt: 9 })
  })

  test.each([
    ['Permission denied in 2 consecutive loops - update ALLOWED_TOOLS in .ralphrc', 'denials'],
    ['Same error repeated in 5 consecutive loops', 'same-error'],
    ['No recovery, opening circuit after 3 loops', 'no-progress'],
  ])('opened by "%s" knows why', (reason, why) => {
    expect(breaker({ reason })).toMatchObject({ why, reason })
  })

  test.each([
    ['not JSON', '{"state": "OPEN",'],
    ['a list', '[]'],
    ['no time', '{"state": "OPEN"}'],
    ['a state nobody knows', '{"state": "AJAR", "last_change": "t+1"}'],
    ['null', 'null'],
  ])('in a file with %s counts as none', (_, text) => {
    expect(read({ '.circuit_breaker_state': text })).toEqual(NOTHING)
  })

  test('has no counts where the file has none that make sense', () => {
    expect(breaker({ consecutive_no_progress: '3', consecutive_same_error: -1, total_opens: 1.5 })).toMatchObject({
      counts: { idle: 0, failed: 0, denied: 0, declined: 0 },
      opens: 0,
    })
  })
})

describe('the conversation', () => {
  test('has its id and the time it was used', () => {
    const text = '{"session_id": "abc-123_X", "timestamp": "t+5"}'
    expect(read({ '.claude_session_id': text }).conversation).toEqual({
      agent: 'claude',
      id: 'abc-123_X',
      usedAt: 5,
      usage: null,
    })
  })

  test.each([
    ['a bare id', 'abc-123\n', 7],
    ['a bare id among blanks', '\n  abc-123 \r\n', 7],
    ['an id without a time', '{"session_id": "abc-123"}', 7],
    ['an id with a time of its own', '{"session_id": "abc-123", "timestamp": "t+5"}', 5],
  ])('%s was used when the file was written, unless it says when', (_, text, usedAt) => {
    const writtenAt = (name: string): number | null => (name === '.claude_session_id' ? 7 : null)
    expect(parseBashState({ '.claude_session_id': text }, { ...NOW, writtenAt }).conversation).toEqual({
      agent: 'claude',
      id: 'abc-123',
      usedAt,
      usage: null,
    })
  })

  test.each([
    ['whose age nobody knows', 'abc-123'],
    ['with an id that is none', '{"session_id": "a b; rm", "timestamp": "t+5"}'],
    ['that is empty', ''],
  ])('%s is not taken over', (_, text) => {
    expect(read({ '.claude_session_id': text })).toEqual(NOTHING)
  })
})

describe('the counters', () => {
  const files = { '.call_count': '42\n', '.token_count': '9000', '.last_reset': '2027032814\n' }

  test('count while it is their hour', () => {
    expect(read(files).used).toEqual({ calls: 42, tokens: 9000 })
  })

  test.each([
    ['of another hour', { ...files, '.last_reset': '2027032813' }],
    ['without an hour', { '.call_count': '42' }],
    ['that are no numbers', { ...files, '.call_count': 'many', '.token_count': '-1' }],
  ])('%s do not', (_, given) => {
    expect(read(given).used).toBe(null)
  })
})

test('histories go on where the earlier tool ended them', () => {
  const state = read({
    '.circuit_breaker_history': JSON.stringify([
      { timestamp: 't+1', loop: 3, from_state: 'CLOSED', to_state: 'HALF_OPEN', reason: 'Monitoring' },
      { timestamp: 'never', loop: 4, from_state: 'HALF_OPEN', to_state: 'OPEN', reason: '' },
      'junk',
    ]),
    '.ralph_session_history': JSON.stringify([
      { timestamp: 't+2', from_state: 'active', to_state: 'reset', reason: 'manual_reset', loop_number: 6 },
    ]),
  })
  expect(state.turns).toEqual({
    breaker: [{ at: 1, loop: 3, from: 'closed', to: 'half-open', reason: 'Monitoring' }],
    conversation: [{ at: 2, loop: 6, from: 'active', to: 'reset', reason: 'manual_reset' }],
  })
})
