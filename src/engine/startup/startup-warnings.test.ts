import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { driverFor, type AgentProbeResult } from '../../agents/registry.ts'
import { CHECKBOX_PLACEHOLDER } from '../../core/plan/untouched-template.ts'
import type { Rules } from '../../core/state/rules.ts'
import { someRules } from '../../../test/kit/core.ts'
import { startupWarningsOf, refuseMissingGatePrograms } from './startup-warnings.ts'

const root = mkdtempSync(join(tmpdir(), 'ralph-concerns-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const FOUND: AgentProbeResult = {
  installed: true,
  path: '/bin/x',
  version: '1.0.0',
  tooOld: false,
  login: 'yes',
  unasked: null,
}
const probed = (name: string, found: Partial<AgentProbeResult> = {}) => ({
  driver: driverFor(name, {}),
  found: { ...FOUND, ...found },
})

function rules(change: Partial<Rules> = {}): Rules {
  const some = someRules()
  return { ...some, loop: { ...some.loop, prompt: 'PROMPT.md', plan: 'plan.md' }, ...change }
}

const SAFE = rules({ budget: { usd: 5, tokens: null, minutes: null, reserveUsd: 1 } })
writeFileSync(join(root, 'PROMPT.md'), 'Build a shop.\n')

describe('what is told before money is spent', () => {
  test('nothing, where all is well', () => {
    writeFileSync(join(root, 'plan.md'), '- [ ] the cart\n')
    expect(startupWarningsOf(root, SAFE, { probed: [probed('claude')], kind: 'loop' })).toEqual([])
  })

  test('a plan that nobody has written', () => {
    writeFileSync(join(root, 'plan.md'), `- [ ] ${CHECKBOX_PLACEHOLDER}\n`)
    const [found] = startupWarningsOf(root, SAFE, { probed: [probed('claude')], kind: 'loop' })
    expect([found?.cause, found?.isSevere]).toEqual(['plan', true])
    expect(startupWarningsOf(root, SAFE, { probed: [probed('claude')], kind: 'tasks' })).toEqual([])
    writeFileSync(join(root, 'plan.md'), '- [ ] the cart\n')
  })

  test('no gate and no budget: two warnings that stop nobody', () => {
    const bare = rules({ gates: [], budget: { usd: null, tokens: null, minutes: null, reserveUsd: 1 } })
    const found = startupWarningsOf(root, bare, { probed: [probed('claude')], kind: 'loop' })
    expect(found.map(({ cause, isSevere }) => [cause, isSevere])).toEqual([
      ['gates', false],
      ['budget', false],
    ])
  })

  test('where a gate belongs: a project that was set up is not sent there again', () => {
    const fix = (): string | undefined =>
      startupWarningsOf(root, { ...SAFE, gates: [] }, { probed: [probed('claude')], kind: 'loop' })[0]?.fix
    expect(fix()).toMatch(/^Run ralph init to find gates, or paste this into \.ralph\.toml/)
    writeFileSync(join(root, '.ralphrc'), '')
    expect(fix()).toMatch(/^Add .* to \.ralphrc: TEST_COMMAND="npm test"$/)
    writeFileSync(join(root, '.ralph.toml'), '')
    expect(fix()).toMatch(/^Paste this into \.ralph\.toml, .*:\n\[\[gate\]\]\n/)
  })

  test('one iteration needs no budget', () => {
    const some = rules({ budget: { usd: null, tokens: null, minutes: null, reserveUsd: 1 } })
    const once = { ...some, loop: { ...some.loop, iterationsMax: 1, once: true } }
    expect(startupWarningsOf(root, once, { probed: [probed('claude')], kind: 'loop' })).toEqual([])
  })

  test('whoever is to take over and cannot, with the vendor’s own cure', () => {
    const found = startupWarningsOf(root, SAFE, {
      probed: [
        probed('claude'),
        probed('codex', { installed: false, path: null }),
        probed('opencode', { login: 'no' }),
      ],
      kind: 'loop',
    })
    expect(found.map(({ cause, fix }) => [cause, fix])).toEqual([
      ['agent codex', 'Install it: npm install -g @openai/codex.'],
      ['agent opencode', 'Log in: opencode auth login.'],
    ])
  })
})

test('a simulated agent needs neither a login nor a budget', () => {
  writeFileSync(join(root, 'plan.md'), '- [ ] the cart\n')
  const some = rules({ budget: { usd: null, tokens: null, minutes: null, reserveUsd: 1 } })
  const options = { probed: [probed('claude', { login: 'no' })], kind: 'loop' as const }
  expect(startupWarningsOf(root, some, options)).toHaveLength(2)
  expect(startupWarningsOf(root, some, { ...options, simulated: true })).toEqual([])
})

describe('a gate whose program is not there', () => {
  const gated = (run: string): Rules => {
    const some = someRules()
    return { ...some, gates: some.gates.slice(0, 1).map((gate) => ({ ...gate, run })) }
  }
  const env = { PATH: '/nowhere' }

  test('is refused with exit code 6', () => {
    expect(() => refuseMissingGatePrograms(gated('go test ./...'), env)).toThrow(
      expect.objectContaining({ code: 'program-missing', exit: 6 }) as Error,
    )
  })

  test.each(['./check.sh', 'cd app && go test', 'test -f x', '$RUNNER test'])(
    '%s: the project may bring it, or only a shell can tell',
    (run) => {
      expect(() => refuseMissingGatePrograms(gated(run), env)).not.toThrow()
    },
  )
})
