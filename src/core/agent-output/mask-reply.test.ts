import { expect, test } from 'vitest'
import { createReplyFold } from './reply-fold.ts'
import { maskReply } from './mask-reply.ts'
import { emptyAgentReport } from './agent-report.ts'

const SECRET = 'hunter2hunter2'
const BLOCK = `---RALPH_STATUS---
STATUS: BLOCKED
WORK_TYPE: ${SECRET}
RECOMMENDATION: use ${SECRET}
---END_RALPH_STATUS---`
const TAGS = `<task-done>${SECRET}</task-done><task-failed>${SECRET}</task-failed><next-model>${SECRET}</next-model>
<journal>${SECRET}</journal><knowledge title="${SECRET}" tags="${SECRET}">${SECRET}</knowledge>
<knowledge title="${SECRET}" tags="x">${'x '.repeat(600)}</knowledge><verify-fail>${SECRET}</verify-fail>`

test('no word of a reply is kept unmasked, and what it decides stays', () => {
  const fold = createReplyFold({ words: true })
  fold.take({ type: 'started', conversation: 'c-1', model: 'm' })
  fold.take({ type: 'denied', tool: `Bash ${SECRET}`, command: `echo ${SECRET}` })
  fold.take({ type: 'text', text: `Error: login failed with ${SECRET}\n\n${TAGS}\n\n${BLOCK}`, delta: false })
  fold.take({ type: 'failed', kind: 'server', message: `no: ${SECRET}` })
  const heard = fold.finish({
    by: 'itself',
    code: 1,
    signal: null,
    problem: null,
    missing: false,
    sawEnd: false,
    durationMs: 1,
    log: { path: '/x/agent.log', bytes: 1 },
    finalEvent: true,
    stderrTail: '',
  })
  const byCalls = { asks: [{ id: 'q1', text: SECRET }], progress: SECRET, findings: [SECRET] }
  const reply = { ...heard, told: { ...emptyAgentReport(), ...heard.told, ...byCalls } }
  expect(JSON.stringify(reply)).toContain(SECRET)
  const masked = maskReply(reply, (text) => text.replaceAll(SECRET, '*'.repeat(SECRET.length)))
  const expected = JSON.stringify(reply).replaceAll(SECRET, '*'.repeat(SECRET.length))
  expect(masked).toEqual(JSON.parse(expected))
})
