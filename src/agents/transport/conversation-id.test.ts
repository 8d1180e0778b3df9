import { describe, expect, test } from 'vitest'
import { sample } from '../../../test/agents/samples/samples.ts'
import { findConversationId } from './conversation-id.ts'
import { opencode } from '../opencode.ts'

describe('an id at the top of a JSON line', () => {
  test.each([
    ['{"type":"x","session_id":"abc-123-def"}', 'abc-123-def'],
    ['{"sessionID":"ses_e1f3dc6d5ffe"}', 'ses_e1f3dc6d5ffe'],
    ['{"thread_id":"019a-77-aa"}', '019a-77-aa'],
    ['{"message":{"session_id":"abc-123-def"}}', null],
    ['{"session_id":"../../etc/passwd"}', null],
    ['{"session_id":42}', null],
    ['session_id: abc-123-def', null],
    ['{"session_id":"abc-1', null],
  ])('%s', (line, id) => {
    expect(findConversationId(line)).toBe(id)
  })
})

test('opencode tells the last session of a folder', () => {
  const list = sample('opencode/list.stdout')
  expect(opencode.lookUp?.read(list, '/P')).toBe('ses_e1f3dc6d5ffe7iZYoe3n1m7NHe')
  expect(opencode.lookUp?.read(list, '/elsewhere')).toBeNull()
  expect([opencode.lookUp?.read('', '/P'), opencode.lookUp?.read('garbage', '/P')]).toEqual([null, null])
})
