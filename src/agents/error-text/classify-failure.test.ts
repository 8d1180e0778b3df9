import { describe, expect, test } from 'vitest'
import type { FailureKind } from '../../core/calls/agent-io.ts'
import { failedEndEvents, failureEvent, failureAtExit } from './classify-failure.ts'
import { failureKindOf } from './error-patterns.ts'

describe('what a vendor says about itself', () => {
  const table: [text: string, status: number | undefined, kind: FailureKind][] = [
    // Claude Code's wordings over time.
    ["You've hit your limit · resets 5pm", undefined, 'usage-limit'],
    ["You've hit your limit · resets 5pm (Europe/Berlin)", 429, 'usage-limit'],
    ["You've hit your session limit · resets 9pm", undefined, 'usage-limit'],
    ["You've hit your weekly limit · resets Oct 7, 3pm", undefined, 'usage-limit'],
    ['5-hour limit reached ∙ resets 3am', undefined, 'usage-limit'],
    ['Claude AI usage limit reached|1765432100', undefined, 'usage-limit'],
    ["You're out of extra usage · resets 10pm", undefined, 'usage-limit'],
    ['Opus weekly limit reached', undefined, 'usage-limit'],
    // The other vendors'.
    ['You’ve hit your usage limit. Try again later.', undefined, 'usage-limit'],
    ["You've hit your usage limit. Upgrade to Pro or try again in 3 days 4 hours.", 429, 'usage-limit'],
    ['API Error: Request rejected (429) · scripted rate limit reached, try again later', 429, 'rate-limit'],
    ['exceeded retry limit, last status: 429 Too Many Requests', undefined, 'rate-limit'],
    ['RESOURCE_EXHAUSTED', undefined, 'rate-limit'],
    ['Quota exceeded for metric: generate_content requests per minute', 429, 'rate-limit'],
    ['anything', 429, 'rate-limit'],
    ['Quota exceeded. Check your plan and billing details.', undefined, 'balance'],
    ['You exceeded your current quota, please check your plan and billing details.', 429, 'balance'],
    ['Your credit balance is too low to access the Anthropic API', 400, 'balance'],
    ['anything', 402, 'balance'],
    ['Failed to authenticate. API Error: 401 scripted bad key', 401, 'authentication'],
    ['Invalid API key · Please run /login', undefined, 'authentication'],
    ['Internal error: Failed to authenticate. API Error: 401 bad key', undefined, 'authentication'],
    ['unexpected status 401 Unauthorized: scripted bad key', undefined, 'authentication'],
    ['Error: No authentication information found.', undefined, 'authentication'],
    ['Missing environment variable: `MOCK_KEY`.', undefined, 'authentication'],
    ['API key not valid. Please pass a valid API key.', 400, 'authentication'],
    ['OAuth token has been revoked', 403, 'authentication'],
    ['Your organization does not have access', 403, 'permission'],
    ['prompt is too long: 212000 tokens > 200000 maximum', 400, 'context-overflow'],
    ['input length and max_tokens exceed context limit', 400, 'context-overflow'],
    ['No conversation found with session ID: 1', undefined, 'bad-conversation'],
    ['thread/resume failed: no rollout found for thread id 1', undefined, 'bad-conversation'],
    ['Error: Session not found', undefined, 'bad-conversation'],
    ['Error resuming session: Invalid session identifier "9".', undefined, 'bad-conversation'],
    ["Error: No session, task, or name matched '9'.", undefined, 'bad-conversation'],
    ['API Error: 400 due to tool use concurrency issues: tool_use ids without tool_result', 400, 'bad-conversation'],
    ['API Error: 500 scripted server failure. This is a server-side issue', 500, 'server'],
    ['We’re currently experiencing high demand, which may cause temporary errors.', undefined, 'server'],
    ['Overloaded', 529, 'server'],
    ['anything', 503, 'server'],
    ['API Error: Unable to connect to API (ECONNRESET)', undefined, 'network'],
    ['stream disconnected before completion: error sending request', undefined, 'network'],
    ['[API Error: terminated]', undefined, 'network'],
    ['Cannot connect to API: The socket connection was closed unexpectedly.', undefined, 'network'],
    ['Failed native model HTTP request: error decoding response body: unexpected EOF', undefined, 'network'],
    ['API Error: 400 scripted bad request', 400, 'bad-request'],
    ["error: unexpected argument '--append-system-prompt' found", undefined, 'bad-request'],
    ['BYOK providers require an explicit model.', undefined, 'model'],
    ['Not inside a trusted directory and --skip-git-repo-check was not specified.', undefined, 'bad-request'],
    ['something else', undefined, 'unknown'],
    ['', undefined, 'unknown'],
  ]
  test.each(table)('%s (%s) is %s', (text, status, kind) => {
    expect(failureKindOf(text, status)).toBe(kind)
  })

  test.each(['context limit reached', 'rate limit reached', 'token limit reached'])('%s is no usage limit', (text) => {
    expect(failureKindOf(text)).not.toBe('usage-limit')
  })
})

test('a limit is its own event, everything else a failure', () => {
  expect(failureEvent('5-hour limit reached')).toEqual({
    type: 'limited',
    kind: 'usage-limit',
    message: '5-hour limit reached',
  })
  expect(failureEvent('nobody\nknows')).toEqual({
    type: 'failed',
    kind: 'unknown',
    message: 'nobody knows',
  })
})

test('a provider answer inside the message is opened: its sentence, its type and its status count', () => {
  const text = '[API Error: {"error":{"code":401,"message":"scripted key trouble","status":"UNAUTHENTICATED"}}]'
  expect(failedEndEvents(text)).toEqual([
    { type: 'failed', kind: 'authentication', message: 'scripted key trouble' },
    { type: 'ended', ok: false, reason: 'authentication' },
  ])
})

test('a message is one bounded line without escape sequences', () => {
  const event = failureEvent(`\u001b[91mError: \u001b[0m${'x'.repeat(2_000)}`)
  expect(event).toEqual({ type: 'failed', kind: 'unknown', message: `Error: ${'x'.repeat(492)}…` })
})

test('an exit explains itself only when it failed and said something', () => {
  expect(failureAtExit({ code: 0, stderrTail: 'rate limit' })).toBeNull()
  expect(failureAtExit({ code: null, stderrTail: 'rate limit' })).toBeNull()
  expect(failureAtExit({ code: 1, stderrTail: ' \n' })).toBeNull()
  expect(failureAtExit({ code: 1, stderrTail: 'Session not found\n' })).toEqual({
    type: 'failed',
    kind: 'bad-conversation',
    message: 'Session not found',
  })
})
