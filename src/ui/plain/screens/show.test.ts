import { expect, test } from 'vitest'
import { emptyAgentReport } from '../../../core/agent-output/agent-report.ts'
import { aReply } from '../../../../test/kit/core.ts'
import { createPaint } from '../colours.ts'
import { iterationScreen } from './show.ts'

test('what an agent told by calls is shown, in a line each', () => {
  const told = {
    ...emptyAgentReport(),
    done: ['t-a'],
    failed: ['t-b'],
    why: 'no network',
    progress: 'half',
    notes: ['The parser\nis slow.'],
    findings: ['A test is skipped.'],
    asks: [{ id: 'q1', text: 'Tabs?' }],
    knowledge: [{ title: 'Parser', tags: ['parser'], body: 'x' }],
  }
  const screen = iterationScreen(
    {
      run: 'r1',
      worker: '1',
      iteration: 1,
      name: '1',
      agent: 'claude',
      startedAt: 0,
      prompt: null,
      mark: { is: 'moved', glyph: '✓', word: null },
      reply: { ...aReply({}), told },
      change: null,
      trees: null,
      patch: null,
      evidence: [],
      decisions: [],
    },
    { p: createPaint(false), columns: 100 },
  )
  expect(/^Told\n((?: {2}.*\n)+)/m.exec(screen)?.[1]).toBe(`  task done: t-a
  task failed: t-b, no network
  progress: half
  note: The parser is slow.
  finding: A test is skipped.
  question: Tabs? (ralph answer q1 "…")
  knowledge: Parser (parser)
`)
})
