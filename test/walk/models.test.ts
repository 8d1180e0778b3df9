/** What a person sees and an agent is told of models that are chosen visit by visit. */
import { describe, expect, test } from 'vitest'
import { testProject, NOT_YET, type TestProject, type ScriptedTurn } from '../test-project.ts'
import { task, withTasks } from './task-store-kit.ts'

const QUICK = '[retry]\nfirst = 0\n\n[proof]\nbaseline = "off"\n'
const ESCALATE = ['--model-strategy', 'escalate']

function works(said = ''): ScriptedTurn {
  return [
    { do: 'shell', command: 'echo more >> work.txt' },
    { do: 'status', text: `Some more. ${said}`, fields: NOT_YET },
  ]
}

function modelsOf(fixture: TestProject): (string | undefined)[] {
  return fixture.starts().map(({ args }) => args[args.findIndex((arg) => arg === '--model' || arg === '-m') + 1])
}

describe('a loop with two agents', () => {
  test('says what each calls its tiers, tells who may hint, and goes on by its own advice', async () => {
    const fixture = await testProject({
      toml: QUICK,
      turns: [
        [{ do: 'expect-prompt', matches: '<next-model>.*light, medium or strong' }, ...(works() as [])],
        [{ do: 'limit', kind: 'usage-limit', resetsInMs: 3_600_000 }],
        works('<next-model>opus</next-model>'),
        works(),
      ],
    })
    const ran = await fixture.ralph(['loop', ...ESCALATE, '--agent', 'claude,codex', '--max-iterations', '3'])
    expect(modelsOf(fixture), ran.stdout + ran.stderr).toEqual(['haiku', 'haiku', 'gpt-6-luna', 'gpt-6-astra'])
    expect(ran.stdout).toMatch(
      /chosen for each attempt \(escalate\)\n.*claude: light haiku, .*\n.*codex: light gpt-6-luna, /,
    )
    expect(ran.stdout).toContain('Next: ralph loop --model-strategy escalate --agent claude,codex')
    const other = await fixture.ralph(['replay', '--what-if', 'model.strategy=plan-then-execute'])
    expect(other.stdout).toContain('plan-then-execute: strong (opus)')
    expect((await fixture.ralph(['replay', '--check'])).code).toBe(0)
  })

  test('no word about hints where none would count', async () => {
    const fixture = await testProject({ toml: QUICK, turns: [works(), works()] })
    for (const args of [
      ['--model', 'best'],
      [...ESCALATE, '--agent', 'cursor'],
    ])
      expect((await fixture.ralph(['loop', '--dry-run', ...args])).stdout).not.toContain('next-model')
  })
})

test('a dry run and inspect show which model would work first, and its prompt', async () => {
  const fixture = await withTasks({}, [task('a')])
  const env = { RALPH_MODEL_STRATEGY: 'plan-then-execute' }
  const [loop, run, inspected, fixed] = await Promise.all([
    fixture.ralph(['loop', '--dry-run', '--prompt', 'README.md'], { env }),
    fixture.ralph(['run', '--dry-run'], { env }),
    fixture.ralph(['inspect', 'prompt', 'a'], { env }),
    fixture.ralph(['inspect', 'prompt', 'a', '--full']),
  ])
  const chosen = 'plan-then-execute: strong (opus), because the first attempt plans'
  for (const { stdout } of [loop, run])
    expect(stdout).toMatch(/Model: plan-then-execute: strong [^]*Would start: claude .* --model opus\b[^]*<next-model>/)
  expect(inspected.stdout).toContain(`model claude: ${chosen}`)
  expect(fixed.stdout).not.toContain('next-model')
})
