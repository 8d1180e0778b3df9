import type { Usage } from '../calls/agent-io.ts'
import { describe, expect, test } from 'vitest'
import { adviceContextOf } from './advice.ts'
import { LOOP_START_COMMAND } from '../state/start-command.ts'
import { adviceForReport, foldReport, type Report, type ReportState } from './report.ts'
import { reportHeadline, reportMarkdown, reportSectionsOf } from './report-text.ts'
import type { EventOf } from '../state/event.ts'
import { emptyAgentReport } from '../agent-output/agent-report.ts'
import { playRun, START_TIME, someRules, type AgentTurn } from '../../../test/kit/core.ts'
import type { Row } from '../state/row.ts'

function reportOf(rows: Row[]): Report {
  let fold: ReportState | null = null
  for (const row of rows) fold = foldReport(fold, row)
  if (fold === null) throw new Error('no run-started')
  return fold.report
}

/** Does two checkboxes, lies once, is caught, mends it. */
const NIGHT: AgentTurn[] = [
  { files: 2, commits: ['dates: read them'], checkboxes: { open: 1, done: 1 }, nextCheckbox: 'write dates' },
  {
    files: 1,
    commits: ['dates: write them'],
    checkboxes: { open: 0, done: 2 },
    nextCheckbox: null,
    done: true,
    green: false,
  },
  {
    files: 1,
    commits: ['dates: mend the leap year'],
    checkboxes: { open: 0, done: 2 },
    nextCheckbox: null,
    done: true,
    green: true,
  },
]

test('what agents asked and found stands in it, each once, with the command that answers', () => {
  const said = [
    { asks: [{ id: 'q1', text: 'Tabs?' }], findings: ['a leak'] },
    { asks: [{ id: 'q2', text: 'Spaces?' }], findings: ['a leak', 'a typo'] },
    { asks: [{ id: 'q1', text: 'Tabs?' }], findings: [] },
  ]
  const rows = playRun(NIGHT).map((row): Row => {
    if (row.event.type !== 'agent-ended') return row
    const told = { ...emptyAgentReport(), ...said.shift() }
    return { ...row, event: { ...row.event, reply: { ...row.event.reply, told } } }
  })
  const sections = reportSectionsOf(reportOf(rows)).filter(({ is }) => is === 'questions' || is === 'findings')
  expect(sections).toEqual([
    { is: 'questions', title: 'Questions', lines: ['Spaces? (ralph answer q2 "…")', 'Tabs? (ralph answer q1 "…")'] },
    { is: 'findings', title: 'Findings', lines: ['a leak', 'a typo'] },
  ])
})

test('a night becomes what was done, proven, refused and spent', () => {
  const report = reportOf(playRun(NIGHT))
  expect(report).toEqual({
    run: 'k7f3qa',
    project: '/home/ann/shop',
    command: 'ralph loop',
    startedAt: START_TIME,
    at: START_TIME + 180_000,
    durationMs: 180_000,
    outcome: {
      is: 'project_complete',
      reason: 'npm run test passes, here and in the clean room (5 steps)',
      verdict: 'proven',
      exit: 0,
    },
    left: false,
    iterations: { made: 3, succeeded: 3, limited: 0, moved: 2, nothing: 0, refused: 1 },
    checkboxes: { before: { open: 2, done: 0 }, after: { open: 0, done: 2 }, byRun: 2 },
    done: ['write dates'],
    nextCheckbox: 'the next box',
    commits: [
      { worker: '1', sha: '00'.padEnd(40, 'a'), subject: 'dates: read them', iteration: 1, stat: null },
      { worker: '1', sha: '10'.padEnd(40, 'a'), subject: 'dates: write them', iteration: 2, stat: null },
      {
        worker: '1',
        sha: '20'.padEnd(40, 'a'),
        subject: 'dates: mend the leap year',
        iteration: 3,
        stat: null,
      },
    ],
    commitCount: 3,
    changed: { files: 4, added: 40, removed: 4, from: 'iterations', between: 0 },
    trees: { first: 'tree0', last: 'tree3' },
    gates: [
      {
        gate: 'test',
        command: 'npm run test',
        passed: true,
        said: 'pass',
        failing: [],
        tree: 'tree3',
        durationMs: 1_200,
      },
    ],
    adviceContext: adviceContextOf(someRules(), LOOP_START_COMMAND),
    paused: false,
    proofSteps: [
      { proofStep: 'room', mark: 'good', said: 'clean room: pass', durationMs: 1_000 },
      {
        proofStep: 'original-tests',
        mark: 'skipped',
        said: 'original tests: skipped (tests and config unchanged)',
        durationMs: 0,
      },
      { proofStep: 'source-loaded', mark: 'good', said: 'gates load the changed files', durationMs: 1_000 },
      {
        proofStep: 'mutation',
        mark: 'good',
        said: 'mutation: tests catch a broken version of the change',
        durationMs: 1_000,
      },
      {
        proofStep: 'expects',
        mark: 'good',
        said: 'assertions: tests fail if expected values change',
        durationMs: 1_000,
      },
      { proofStep: 'final-tree', mark: 'good', said: 'final tree: unchanged', durationMs: 0 },
    ],
    refused: [
      {
        worker: '1',
        iteration: 2,
        why: 'test failed (exit 1)',
      },
    ],
    refusedCount: 1,
    drift: null,
    inGit: true,
    remarks: [],
    agents: [{ agent: 'claude', iterations: 3, usd: 1.5, tokens: 3_000, estimated: 0, unknown: 0 }],
    spent: { usd: 1.5, tokens: 3_000, unknown: 0, estimated: 0 },
  })
})

/** The night with something added to the looks after its iterations, and to those before them. */
function looking(after: Partial<EventOf<'snapshot-taken'>>[], before: Partial<EventOf<'snapshot-taken'>> = {}): Report {
  const asked = new Map<string, string>()
  let n = 0
  return reportOf(
    playRun(NIGHT).map((row) => {
      for (const effect of row.effects) if (effect.type === 'snapshot') asked.set(effect.id, effect.for)
      if (row.event.type !== 'snapshot-taken') return row
      const more = asked.get(row.event.effect) === 'after' ? after[n++] : before
      return { ...row, event: { ...row.event, ...more } }
    }),
  )
}

test('boxes are told by their texts, and one that was opened again is not done', () => {
  const { done } = looking([
    { ticks: { done: ['read dates', 'write dates'], undone: [] } },
    { ticks: { done: ['sing'], undone: ['write dates'] } },
  ])
  expect(done).toEqual(['read dates', 'sing'])
})

test('models that were chosen are told with their reasons; one for all is none', () => {
  const chosen = playRun([{ files: 1 }, { files: 1 }, ...NIGHT], (rules) => ({
    ...rules,
    agent: { ...rules.agent, models: { claude: { light: 'haiku', medium: 'sonnet', strong: 'opus' } } },
    model: { strategy: 'escalate' },
  }))
  const models = reportSectionsOf(reportOf(chosen)).find(({ title }) => title === 'Models')
  expect(models?.lines).toEqual([
    '4 iterations: escalate: light (haiku), because no attempt has failed yet',
    '1 iteration: escalate: medium (sonnet), because one attempt failed',
  ])
  expect(reportSectionsOf(reportOf(playRun(NIGHT))).some(({ title }) => title === 'Models')).toBe(false)
})

test('what people do between iterations is counted apart', () => {
  const report = looking([], { change: { paths: [], files: 3, added: 1, removed: 0, commits: [] } })
  expect(report.changed).toEqual({ files: 4, added: 40, removed: 4, from: 'iterations', between: 3 })
})

test('a cost that nobody told is unknown, not nothing', () => {
  const report = reportOf(playRun([{ ...NIGHT[2], usage: null }]))
  expect([report.spent, report.agents]).toEqual([
    { usd: 0, tokens: 0, unknown: 1, estimated: 0 },
    [{ agent: 'claude', iterations: 1, usd: null, tokens: 0, estimated: 0, unknown: 1 }],
  ])
})

test('an estimated cost is shown as one', () => {
  const usage: Usage = { input: 10, usd: 0.12, estimated: true }
  const report = reportOf(playRun([{ ...NIGHT[2], usage }]))
  expect(report.spent).toEqual({ usd: 0.12, tokens: 10, unknown: 0, estimated: 1 })
  expect(reportMarkdown(report, String)).toContain(' ~$0.12,')
})

test('a run of a week gives a page: lists are bounded, counts are not', () => {
  const rows = playRun([{ commits: ['a', 'b', 'c'] }], (rules) => ({
    ...rules,
    loop: { ...rules.loop, iterationsMax: 60 },
  }))
  const report = reportOf(rows)
  expect([report.commits.length, report.commitCount]).toEqual([100, 180])
  expect(reportMarkdown(report, String).split('\n').length).toBeLessThan(60)
})

test('an event that a newer version added is passed over', () => {
  const rows = playRun(NIGHT)
  const odd = { ...rows[3], event: { type: 'tea-made', worker: '1', effect: 'e1' } } as unknown as Row
  expect(reportOf([...rows.slice(0, 3), odd, ...rows.slice(3)]).outcome?.verdict).toBe('proven')
})

test('a record that begins with something else gives no report', () => {
  expect(playRun(NIGHT).slice(1).reduce<ReportState | null>(foldReport, null)).toBeNull()
})

describe('in words', () => {
  test('sections in the order in which a person asks', () => {
    const sections = reportSectionsOf(reportOf(playRun(NIGHT)))
    expect(sections.map(({ title }) => title)).toEqual(['Result', 'Done', 'Proof', 'Rejected', 'Cost', 'Next'])
    expect(sections.find(({ title }) => title === 'Cost')?.lines).toEqual([
      '3 iterations in 3:00, $1.50, 3k tokens',
      '✓ 2 made changes, ✗ 1 rejected',
    ])
  })

  test.each<[string, Partial<Report['changed']>, string]>([
    ['between the snapshots', { from: 'snapshots' }, 'changed: 4 files, +40 −4'],
    [
      'with a person between',
      { from: 'snapshots', between: 2 },
      'changed: 4 files, +40 −4, of which 2 files changed between iterations, not by an agent',
    ],
    ['added up', {}, 'changed: 4 files, +40 −4 (sum of the iterations; a file may count more than once)'],
  ])('what changed, %s', (_name, changed, words) => {
    const report = reportOf(playRun(NIGHT))
    const lines = reportSectionsOf({ ...report, changed: { ...report.changed, ...changed } }).flatMap(
      (one) => one.lines,
    )
    expect(lines).toContain(words)
  })

  test('a red gate is told with its failing lines, and refusals in the same words once', () => {
    const turn: AgentTurn = { done: true, checkboxes: { open: 0, done: 2 }, green: false }
    const sections = reportSectionsOf(reportOf(playRun([turn])))
    const of = (title: string): string[] => sections.find((one) => one.title === title)?.lines ?? []
    expect(of('Proof').slice(-2)).toEqual(['✗ test: failed (exit 1) · npm run test', '    not ok 1'])
    expect(of('Rejected')).toEqual(['✗ iterations 1, 2, 3: test failed (exit 1)'])
  })

  test('foreign words make no Markdown', () => {
    const report = reportOf(playRun([{ ...NIGHT[2], commits: ['![x](http://evil) <b> # no'] }]))
    expect(reportMarkdown(report, String)).toContain('\\!\\[x\\](http://evil) \\<b\\> \\# no')
  })

  test.each<[string, AgentTurn[], string, string]>([
    ['proven', NIGHT, 'Run k7f3qa: proven done', 'git show'],
    ['stuck', [{ files: 0 }], 'Run k7f3qa: not done', 'ralph loop --auto-reset-circuit'],
    [
      'refused',
      [{ done: true, checkboxes: { open: 0, done: 2 }, green: false }],
      'Run k7f3qa: not done',
      'ralph verify',
    ],
  ])('%s: the headline and the first step', (_name, turns, head, step) => {
    const report = reportOf(playRun(turns))
    expect([reportHeadline(report), adviceForReport(report).command]).toEqual([head, step])
  })

  test('a run that has not ended is to be gone on with', () => {
    const report = reportOf(playRun(NIGHT).slice(0, 8))
    expect([reportHeadline(report), adviceForReport(report).command]).toEqual([
      'Run k7f3qa not finished',
      'ralph resume',
    ])
  })
})
