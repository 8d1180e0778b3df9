import { expect, test } from 'vitest'
import type { Effect } from '../effect.ts'
import type { Event } from '../event.ts'
import type { House } from '../house.ts'
import { never } from '../machine.ts'
import type { Evidence } from '../proof/evidence.ts'
import type { GuardReport } from '../proof/guard.ts'
import { analyze } from '../reply/analyze.ts'
import type { Reply } from '../reply/reply.ts'
import type { ProofRules, Rules } from '../rules.ts'
import type { Outcome } from './outcome.ts'
import { step } from './step.ts'
import { someRules } from '../test-kit.ts'

test('what judges is looked at before the gates and again after them', () => {
  const { asked, outcome } = runOf({ checks: [CLEAN, CLEAN] })
  expect(asked.slice(asked.indexOf('run-agent'))).toEqual([
    'run-agent',
    'survey',
    'guard',
    'run-gate',
    'guard',
    'end-run',
  ])
  expect(outcome).toMatchObject({ is: 'project_complete', verdict: 'proven' })
})

test.each<ProofRules['onTamper']>(['refuse', 'restore'])(
  'what the gates themselves changed is refused, never put back (%s)',
  (onTamper) => {
    const { outcome } = runOf({ checks: [CLEAN, TAMPERED], proof: { onTamper } })
    expect(outcome).toEqual({
      is: 'cannot_prove',
      reason:
        '1 completions in a row were refused, last because files that judge the work were changed while the gates ran: a.test.js',
      verdict: 'tampered',
      exit: 4,
    })
  },
)

test('tests that the gates edited must pass as they were, like those the agent edited', () => {
  const { asked } = runOf({ checks: [CLEAN, { ...CLEAN, edited: ['a.test.js'] }] })
  expect(asked.slice(-4)).toEqual(['run-gate', 'guard', 'run-gate', 'end-run'])
})

test('a tree that changed between the gates and the run with the old tests is not proven', () => {
  const edited = { ...CLEAN, edited: ['a.test.js'] }
  const { outcome } = runOf({ checks: [edited, edited], oldTree: 't3' })
  expect(outcome).toMatchObject({ is: 'cannot_prove', verdict: 'failed' })
})

const CLEAN: GuardReport = { hash: 'h', tampered: [], edited: [], permitted: [] }
const TAMPERED: GuardReport = { ...CLEAN, tampered: [{ path: 'a.test.js', why: 'a.test.js was deleted' }] }

interface Given {
  /** What the looks at the judge find, one after the other. */
  checks: GuardReport[]
  proof?: Partial<ProofRules>
  /** The tree on which the gate ran with the old tests. */
  oldTree?: string
}

/** A run of one iteration whose agent claims completion and whose gate is green. */
function runOf({ checks, proof = {}, oldTree = 't2' }: Given): {
  asked: Effect['type'][]
  outcome: Outcome | undefined
} {
  const looks = [...checks]
  const asked: Effect[] = []
  const waiting: Event[] = [started(rulesWith(proof))]
  let house: House | null = null
  for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
    const stepped = step(house, event, { at: 1_000, up: 0 })
    house = stepped.house
    asked.push(...stepped.effects)
    waiting.push(...stepped.effects.flatMap((effect) => answerTo(effect)))
  }
  const end = asked.find((effect) => effect.type === 'end-run')
  return { asked: asked.map((effect) => effect.type), outcome: end?.outcome }

  function answerTo(effect: Effect): Event[] {
    const to = { worker: effect.worker, effect: effect.id }
    switch (effect.type) {
      case 'survey': {
        const tree = effect.for === 'after' ? 't2' : 't1'
        const snapshot = { tree, head: null, branch: null, ref: null, unstored: [], busy: null }
        return [{ type: 'surveyed', ...to, snapshot, change: null, boxes: null, nextBox: null }]
      }
      case 'guard':
        if (effect.do === 'check') return [{ type: 'guard-checked', ...to, report: looks.shift() ?? CLEAN }]
        return [
          {
            type: 'guard-taken',
            ...to,
            base: { tree: 't1', tools: {}, settings: {}, mayChange: [] },
            warnings: [],
          },
        ]
      case 'admit-iteration':
        return [{ type: 'admitted', ...to, callsThisHour: 1, tokensThisHour: 0 }]
      case 'run-agent':
        return [{ type: 'agent-ended', ...to, reply: CLAIM }]
      case 'run-gate':
        return [
          {
            type: 'gate-ended',
            ...to,
            evidence: { ...GREEN, purpose: effect.purpose, tree: effect.old === null ? 't2' : oldTree },
          },
        ]
      case 'end-run':
        return []
      case 'restore':
      case 'commit':
      case 'wait':
      case 'leave-run':
      case 'abort':
        throw new Error(`${effect.type} has no place in this story`)
      default:
        return never(effect)
    }
  }
}

const GATE = {
  name: 'test',
  run: 'npm test',
  timeoutMs: 1_000,
  when: 'completion',
  cwd: '.',
  env: {},
} as const

const GREEN: Evidence = {
  gate: 'test',
  purpose: 'completion',
  command: 'npm test',
  tree: 't2',
  guarded: 'h',
  exit: 0,
  signal: null,
  timedOut: false,
  missing: false,
  durationMs: 1,
  at: 1_000,
  log: 'gate.log',
  summary: '',
  unsettled: false,
  failing: [],
}

const CLAIM: Reply = {
  end: 'success',
  failure: null,
  limit: null,
  signals: analyze({
    text: '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---',
    mode: 'json',
    change: null,
    previousLength: null,
  }),
  denials: [],
  usage: null,
  conversationUsage: null,
  conversation: null,
  model: null,
  tools: 0,
  textLength: 80,
  lastWords: '',
  remarks: 0,
  durationMs: 1,
  log: { path: 'agent.log', bytes: 1 },
}

function rulesWith(proof: Partial<ProofRules>): Rules {
  const rules = someRules()
  return {
    ...rules,
    loop: { ...rules.loop, plan: null, iterationsMax: 2 },
    proof: { ...rules.proof, refusals: 1, baseline: 'start', reruns: 1, ...proof },
    gates: [GATE],
  }
}

function started(rules: Rules): Event {
  return {
    type: 'run-started',
    run: 'r1',
    rules,
    workers: 1,
    project: '/p',
    command: 'ralph',
    breaker: null,
    conversation: null,
    limited: {},
    pid: 1,
    version: '0',
  }
}
