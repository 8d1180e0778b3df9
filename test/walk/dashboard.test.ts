/** The dashboard on a real terminal, of a run that is over and of lines that are wider than they look. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { testProject, type TestProject } from '../test-project.ts'
import { hasTmux, openTmux, type Tmux } from '../tmux.ts'
import { finishSampleRun } from './sample-run.ts'

const RALPH = `${process.execPath} ${fileURLToPath(new URL('../../bin/ralph.cjs', import.meta.url))}`
const there = await hasTmux()

/** One screen, used for a while: each test goes on where the one before left it. */
describe.skipIf(!there)('after the end (skipped where tmux is not installed)', () => {
  let night: TestProject & { run: string }
  let tmux: Tmux
  beforeAll(async () => {
    night = await finishSampleRun({ until: 'removed', proof: 'full' })
    tmux = await openTmux(night, { columns: 120, rows: 40, until: 'closed' })
    await tmux.type(`${RALPH} watch; echo "code $?"`, 'Enter')
  })
  afterAll(async () => {
    await tmux.close()
    await night.remove()
  })

  test('shows how it ended, what to do next, the plan, every iteration and what the last one changed', async () => {
    const screen = await tmux.shows('+echo world')
    expect(screen).toMatch(/state +PROVEN DONE · 3 iterations/)
    expect(screen).toMatch(/next +git show/)
    expect(screen).toContain('[x] write world')
    expect(screen).toMatch(/1 ✓ claude +\d:\d\d \$0\.25 .*Hello is written\./)
    expect(screen).toMatch(/2 ✗ claude +\d:\d\d \$0\.13 .*rejected: words failed/)
    expect(screen).toMatch(/›3 ✓ claude/)
  })

  test('an iteration is chosen in the list; its words, diff, gate output and evidence are read', async () => {
    await tmux.type('6', 'k', 'k')
    await tmux.shows(/›1 ✓(.|\n)*I begin with hello\.(.|\n)*\+echo hello/)
    await tmux.type('j', 'e')
    await tmux.shows(/\[evidence\] · iteration 2(.|\n)*Gates\n?(.|\n)*✗ words: failed \(exit 1\)/)
    await tmux.type('t')
    await tmux.shows(/\[gates\] evidence · iteration 2(.|\n)*no output/)
    await tmux.type('Escape')
    await tmux.shows(/›3 ✓/)
  })

  test.each([
    [60, 15],
    [80, 24],
    [200, 60],
    [120, 40],
  ])('resized to %i×%i it is drawn anew, from the first row to the last', async (columns, rows) => {
    await tmux.resize(columns, rows)
    const body = columns < 100 ? '^state (.|\\n)*\\[gates\\]' : '──run ─+│──iterations'
    await tmux.shows(new RegExp(body, 'm'))
    await tmux.shows(new RegExp(`^.*PROVEN DONE · \\d\\d:\\d\\d\\n(.*\\n){${rows - 2}}q quit .*\\? keys\\n$`))
  })

  test('q leaves it', async () => {
    await tmux.type('q')
    await tmux.shows('code 0')
  })
})

test.skipIf(!there)(
  'the live line of the foreground stays one line, whatever its characters (skipped where tmux is not installed)',
  async () => {
    const text = '日本語のとても長い文章がここにあります🎉'.repeat(4)
    const made = await testProject({
      toml: '[[gate]]\nname = "test"\nrun = "sh -c true"\n',
      plan: '- [ ] the only box\n',
      turns: [
        [
          { do: 'say', text },
          { do: 'shell', command: 'until test -e go; do sleep 0.05; done' },
        ],
      ],
    })
    onTestFinished(async () => void (await made.ralph(['stop', '--now'])))
    const tmux = await openTmux(made, { columns: 60, rows: 30 })
    await tmux.type(`${RALPH} loop --yes`, 'Enter')
    const screen = await tmux.shows(/▸ 1 {2}0:0[2-9]/)
    expect(screen.match(/▸ 1 {2}0:/g)).toHaveLength(1)
  },
)
