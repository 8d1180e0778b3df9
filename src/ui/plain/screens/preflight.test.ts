import { describe, expect, test } from 'vitest'
import { someRules } from '../../../../test/kit/core.ts'
import type { PreflightResult } from '../../../engine/startup/preflight.ts'
import { createPaint } from '../colours.ts'
import { preflightBlock } from './preflight.ts'

const LIST = { edits: true, commands: 147, otherwise: 'denied' } as const
const ACCESS = { say: 'it reads the project, and without asking Write; commands: git (add commit)', whole: false }
const NO_BUDGET = {
  cause: 'budget',
  say: 'No spending limit is set.',
  fix: 'Set one: --budget-usd 5 or --minutes 480.',
  isSevere: false,
}

/** A usual project: gates were found, git, Claude Code, no budget. */
function usual(change: Partial<PreflightResult> = {}): PreflightResult & { run: string } {
  const some = someRules()
  return {
    run: '4gk2vd',
    root: '/home/ada/shop',
    agent: {
      name: 'claude',
      title: 'Claude Code',
      version: '2.1.197',
      login: 'unknown',
      program: null,
      others: [],
      simulated: false,
    },
    model: null,
    whole: null,
    permissions: [{ agent: 'claude', access: { ...ACCESS, list: LIST } }],
    environment: { mode: 'filtered', withheld: 0, byProject: null },
    gates: [
      { name: 'test', run: 'npm test' },
      { name: 'lint', run: 'npm run lint' },
      { name: 'build', run: 'npm run build' },
    ],
    tasks: null,
    draft: null,
    work: { folders: ['src'], found: true },
    rules: { ...some, loop: { ...some.loop, iterationsMax: 20 } },
    iterationsByDefault: true,
    branch: 'main',
    dirty: 3,
    git: true,
    remarks: [],
    startWarnings: [NO_BUDGET],
    ...change,
  }
}

function block(facts: PreflightResult & { run: string }, { verbose = false, columns = 80 } = {}): string[] {
  return preflightBlock(facts, '0.1.0', { p: createPaint(false), columns, verbose })
    .trimEnd()
    .split('\n')
}

const row = (lines: string[], name: string): string | undefined =>
  lines.find((line) => line.startsWith(`  ${name} `))?.slice(14)

describe('the start block', () => {
  test('fits a 24-line terminal: at most 14 lines of at most 80 columns', () => {
    const lines = block(usual())
    expect(lines.length).toBeLessThanOrEqual(14)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(row(lines, 'agent')).toBe("Claude Code 2.1.197 · model: the agent's default")
    expect(row(lines, 'permissions')).toBe('may edit files and run 147 commands (ralph config get agent.tools)')
    expect(row(lines, 'gates')).toBe('test: npm test · lint: npm run lint · build: npm run build')
  })

  test('--verbose adds what is as usual', () => {
    const names = ['environment', 'proof', 'setup', 'source']
    const [brief, verbose] = [block(usual()), block(usual(), { verbose: true })]
    expect(names.filter((name) => row(brief, name) !== undefined)).toEqual([])
    expect(names.filter((name) => row(verbose, name) !== undefined)).toEqual(names)
    expect(verbose.join('\n')).toContain('without asking Write; commands:')
  })

  test('shows what is unusual without --verbose', () => {
    const { rules } = usual()
    const lines = block(
      usual({
        environment: { mode: 'listed', withheld: 2, byProject: null },
        rules: { ...rules, proof: { ...rules.proof, level: 'quick' } },
        whole: { format: 'json', agents: ['Claude Code'] },
        tasks: { total: 2, ready: 2 } as unknown as PreflightResult['tasks'],
      }),
      { columns: 400 },
    )
    expect(row(lines, 'environment')).toContain('2 variables withheld (ralph doctor --env)')
    expect(row(lines, 'proof')).toContain('quick')
    expect(row(lines, 'output')).toContain('Claude Code prints nothing until an iteration ends')
    expect(row(lines, 'tasks')).toBeDefined()
  })

  test('says loudly that an agent may do anything', () => {
    const lines = block(usual({ permissions: [{ agent: 'claude', access: { say: 'whatever', whole: true } }] }))
    expect(row(lines, 'permissions')).toBe('MAY DO ANYTHING that your user may, without asking')
  })

  test('shows the permissions of each agent only where they differ', () => {
    const other = { agent: 'codex', access: { say: 'sandbox workspace-write', whole: false } }
    const same = block(
      usual({ permissions: [...usual().permissions, { ...usual().permissions[0]!, agent: 'gemini' }] }),
    )
    expect(row(same, 'permissions')).toMatch(/^may edit/)
    const differing = block(usual({ permissions: [...usual().permissions, other] }), { columns: 100 })
    expect(row(differing, 'permissions')).toMatch(/^claude: may edit/)
    expect(differing).toContain(`${' '.repeat(14)}codex: sandbox workspace-write`)
  })

  test('prints warnings last, each with its fix', () => {
    const say = '.ralph/PROMPT.md is still the template, so the agent has nothing to do.'
    const fix = 'Describe what you want in it, then start again.'
    const lines = block(
      usual({ remarks: ['a note'], startWarnings: [{ cause: 'prompt', say, fix, isSevere: true }, NO_BUDGET] }),
    )
    expect(lines.slice(-4)).toEqual([
      '',
      `  ! ${say}`,
      `    ${fix}`,
      '  ! No spending limit is set. Set one: --budget-usd 5 or --minutes 480.',
    ])
  })

  test('names neither a vendor nor a model for a simulated agent', () => {
    const lines = block(usual({ agent: { ...usual().agent, simulated: true, program: ['node', 'x'] } }))
    expect(row(lines, 'agent')).toBe('scripted (demo), $0.00 simulated')
    expect(lines.join('\n')).not.toContain('Claude')
  })
})
