/**
 * A hundred command lines that a newcomer might type, written from README.md and `--help` alone: each is understood, or refused with a
 * documented exit code and the command to type instead.
 */
import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { splitCommand } from '../../src/core/text/shell.ts'
import { testProject } from '../test-project.ts'
import { runInProcess } from '../run-in-process.ts'

/** What is typed, the exit code, and what the answer names. */
type Use = [line: string, exit: number, names: string]

const NO_SUCH_COMMAND: Use[] = [
  ['ralph start', 2, 'ralph loop (work on PROMPT.md) or ralph run'],
  ['ralph lop', 2, 'ralph loop'],
  ['ralph go', 2, 'ralph loop'],
  ['ralph exec "fix the login bug"', 2, 'ralph loop'],
  ['ralph continue', 2, 'ralph resume'],
  ['ralph restart', 2, 'ralph resume'],
  ['ralph kill', 2, 'ralph stop'],
  ['ralph cancel', 2, 'ralph stop'],
  ['ralph login', 2, 'claude auth login'],
  ['ralph auth status', 2, 'ralph doctor'],
  ['ralph setup', 2, 'ralph init'],
  ['ralph install', 2, 'ralph init'],
  ['ralph update', 2, 'npm install -g ralph-run@latest'],
  ['ralph test', 2, 'ralph verify'],
  ['ralph check', 2, 'ralph verify'],
  ['ralph tasks', 2, 'ralph task'],
  ['ralph todo', 2, 'ralph task'],
  ['ralph ls', 2, 'ralph task'],
  ['ralph add "rename photos by date"', 2, 'ralph task add'],
  ['ralph taks add "rename photos"', 2, 'ralph task'],
  ['ralph log', 2, 'ralph logs'],
  ['ralph history', 2, 'ralph runs'],
  ['ralph cost', 2, 'ralph stats'],
  ['ralph diff', 2, 'ralph show'],
  ['ralph ps', 2, 'ralph status'],
  ['ralph monitor', 2, 'ralph watch'],
  ['ralph dashboard', 2, 'ralph watch'],
  ['ralph revert', 2, 'ralph undo'],
  ['ralph reset', 2, 'ralph undo'],
  ['ralph approve', 2, 'ralph accept'],
  ['ralph settings', 2, 'ralph config'],
  ['ralph clean', 2, 'ralph prune'],
  ['ralph memory', 2, 'ralph knowledge'],
  ['ralph ask "how far are you?"', 2, 'ralph steer'],
  ['ralph commit', 2, 'use git itself'],
  ['ralph plan', 2, 'ralph feature create'],
  ['ralph claude', 2, 'ralph agents'],
  ['ralph docter', 2, 'ralph doctor'],
  ['ralph Loop', 2, 'ralph loop'],
  ['ralph "fix the login bug"', 2, "ralph init --task 'fix the login bug', then ralph loop"],
  ['ralph "fix the login bug"', 2, "ralph task add 'fix the login bug', then ralph run"],
  ['ralph fix the login bug', 2, "ralph init --task 'fix the login bug'"],
  ['ralph xyzzy', 2, 'ralph --help'],
]

const WRONG_FLAGS: Use[] = [
  ['ralph loop --dangerously-skip-permissions', 2, '--permission bypass'],
  ['ralph --dangerously-skip-permissions', 2, '--permission bypass'],
  ['ralph loop --yolo', 2, '--permission bypass'],
  ['ralph loop --full-auto', 2, '--permission edits'],
  ['ralph loop --permission-mode acceptEdits', 2, '--permission MODE'],
  ['ralph loop --allowedTools "Bash(git *)"', 2, '--allowed-tools'],
  ['ralph loop --disallowedTools Bash', 2, "--allowed-tools '!TOOL'"],
  ['ralph loop --max-turns 5', 2, '--max-iterations'],
  ['ralph loop --iterations 5', 2, '--max-iterations'],
  ['ralph loop --max-iteration 5', 2, '--max-iterations'],
  ['ralph loop --budget 10', 2, '--budget-usd'],
  ['ralph loop --hours 8', 2, '--minutes'],
  ['ralph loop --background', 2, '--detach'],
  ['ralph loop --watch', 2, '--monitor'],
  ['ralph loop --force', 2, '--yes'],
  ['ralph loop --continue', 2, '--no-continue'],
  ['ralph loop --resume', 2, 'ralph resume'],
  ['ralph loop --debug', 2, '--verbose'],
  ['ralph loop --message "fix the bug"', 2, 'ralph init --task'],
  ['ralph loop --task "fix the bug"', 2, 'ralph init --task'],
  ['ralph loop --system-prompt "be brief"', 2, '.ralph/PROMPT.md'],
  ['ralph loop --test-cmd "npm test"', 2, '[[gate]]'],
  ['ralph loop -C ../other', 2, 'cd DIR'],
  ['ralph loop -once', 2, '--once'],
  ['ralph loop --onec', 2, '--once'],
  ['ralph status --watch', 2, 'ralph status --help'],
  ['ralph undo --force', 2, '--yes'],
  ['ralph undo --hard', 2, 'ralph undo --help'],
  ['ralph verify --fix', 2, 'ralph verify --help'],
  ['ralph run --fresh=yes', 2, '--fresh takes no value'],
]

const WRONG_VALUES: Use[] = [
  ['ralph --agent', 2, '--agent NAMES'],
  ['ralph loop --agent chatgpt', 2, 'Known agents: claude, codex'],
  ['ralph loop --model', 2, '--model NAME'],
  ['ralph loop --max-iterations', 2, '--max-iterations N'],
  ['ralph loop --max-iterations many', 2, '--max-iterations'],
  ['ralph loop --max-iterations -3', 2, '--max-iterations'],
  ['ralph loop --max-iterations 2.5', 2, '--max-iterations'],
  ['ralph loop --budget-usd 10$', 2, '--budget-usd'],
  ['ralph loop --budget-usd 10eur', 2, '--budget-usd'],
  ['ralph loop --budget-usd --once', 2, '--budget-usd USD'],
  ['ralph loop --budget-tokens 1M', 2, '--budget-tokens'],
  ['ralph loop --timeout 8h', 2, '--timeout'],
  ['ralph loop --minutes -5', 2, '--minutes'],
  ['ralph loop --output-format xml', 2, '--output-format'],
  ['ralph loop -p "fix the bug"', 1, 'ralph init --task'],
  ['ralph run --limit -1', 2, '--limit'],
  ['ralph run --max-retries two', 2, '--max-retries'],
  ['ralph logs -n ten', 2, '--lines'],
  ['ralph stats --by month', 2, 'run, day, agent'],
  ['ralph replay --speed fast', 2, '--speed'],
  ['ralph set budget.usd 20', 2, 'budget.usd=20'],
  ['ralph set budget=20', 3, 'ralph loop'],
  ['ralph config get budget', 2, 'budget.usd'],
  ['ralph config get budget.eur', 2, 'ralph config list'],
  ['ralph completion powershell', 2, 'bash, zsh, fish'],
  ['ralph completion', 2, 'ralph completion --help'],
]

const WRONG_ARGUMENTS: Use[] = [
  ['ralph loop 5', 2, 'ralph loop --max-iterations 5'],
  ['ralph loop "fix the bug"', 2, "ralph init --task 'fix the bug'"],
  ['ralph loop fix the bug', 2, "ralph init --task 'fix the bug'"],
  ['ralph loop checkout', 2, 'ralph run checkout'],
  ['ralph loop help', 2, 'ralph loop --help'],
  ['ralph run "fix the bug"', 1, "ralph task add 'fix the bug'"],
  ['ralph run --all checkout', 2, '--all runs every task'],
  ['ralph run t-99999', 1, 'ralph task'],
  ['ralph init photos', 2, 'ralph init --task photos'],
  ['ralph init photos', 2, 'mkdir photos'],
  ['ralph init rename the photos', 2, "ralph init --task 'rename the photos'"],
  ['ralph steer use the existing parser', 2, "ralph steer 'use the existing parser'"],
  ['ralph steer', 2, 'ralph steer --help'],
  ['ralph status last', 2, 'ralph show last'],
  ['ralph show 3', 1, 'ralph runs'],
  ['ralph undo 3', 1, 'ralph runs'],
  ['ralph resume', 3, 'ralph loop'],
  ['ralph stop', 3, 'ralph loop'],
  ['ralph report', 3, 'ralph loop'],
  ['ralph accept', 3, 'ralph verify'],
  ['ralph task "fix the bug"', 2, "ralph task add 'fix the bug'"],
  ['ralph task rm t-99999', 2, 'ralph task delete'],
  ['ralph task ls', 2, 'ralph task list'],
  ['ralph task new "fix the bug"', 2, 'ralph task add'],
  ['ralph task t-99999', 2, 'ralph task show t-99999'],
  ['ralph task add', 2, 'ralph task add "'],
  ['ralph task show', 2, 'ralph task show TASK'],
  ['ralph task show t-99999', 1, 'ralph task list'],
  ['ralph task done', 2, 'ralph task done TASK'],
  ['ralph task deps', 2, 'ralph task deps --help'],
  ['ralph task retry t-99999', 2, 'ralph task reset'],
  ['ralph feature "pay by card"', 2, "ralph feature create NAME 'pay by card'"],
  ['ralph feature create "pay by card"', 2, 'ralph feature create photo-names'],
  ['ralph feature create pay with a card', 2, "ralph feature create NAME 'pay with a card'"],
  ['ralph feature show checkout', 1, 'ralph feature'],
  ['ralph knowledge add "Parser quirks"', 2, '--tag'],
  ['ralph knowledge delete quirks', 2, 'ralph knowledge rm'],
  ['ralph circuit close', 2, 'ralph circuit reset'],
  ['ralph import missing.md', 1, 'missing.md'],
  ['ralph import', 2, 'ralph import --github-issue 42'],
  ['ralph -v', 2, 'ralph --version'],
]

const UNDERSTOOD: Use[] = [
  ['ralph --version', 0, '.'],
  ['ralph version', 0, '.'],
  ['ralph -h', 0, 'Usage: ralph'],
  ['ralph help', 0, 'Guides (ralph help NAME):'],
  ['ralph help loop', 0, 'Usage: ralph loop'],
  ['ralph help task add', 0, 'Usage: ralph task add'],
  ['ralph loop -h', 0, 'Usage: ralph loop'],
  ['ralph task --help add', 0, 'Usage: ralph task add'],
  ['ralph help proof', 0, 'PROOF'],
  ['ralph help permissions', 2, 'ralph help agents'],
  ['ralph session', 0, 'agent session'],
  ['ralph task list --json', 0, '[]'],
]

const OUTSIDE_A_PROJECT: Use[] = [
  ['ralph loop', 3, 'ralph init'],
  ['ralph run', 3, 'ralph init'],
  ['ralph status', 3, 'ralph init'],
  ['ralph task add "fix the bug"', 3, 'ralph init'],
  ['ralph undo', 3, 'ralph init'],
  ['ralph verify', 3, 'ralph init'],
]

let project: { cwd: string; env: Record<string, string | undefined> }
let outside: typeof project
let remove: () => Promise<void>

beforeAll(async () => {
  const made = await testProject({ toml: '', until: 'removed' })
  remove = () => made.remove()
  project = { cwd: made.path, env: made.env }
  outside = { cwd: realpathSync(mkdtempSync(join(tmpdir(), 'ralph-outside-'))), env: made.env }
})

afterAll(() => remove())

async function answerOf(line: string, place: typeof project): Promise<[number, string]> {
  const [, ...argv] = splitCommand(line) ?? []
  const { code, out, err } = await runInProcess(argv, place)
  return [code, `${out}${err}`]
}

describe.each([
  ['an unknown command', NO_SUCH_COMMAND],
  ['an unknown flag', WRONG_FLAGS],
  ['a wrong value', WRONG_VALUES],
  ['a wrong argument', WRONG_ARGUMENTS],
  ['another way to say it', UNDERSTOOD],
])('%s', (_, uses) => {
  test.each(uses)('%s: exit %i, names %s', async (line, exit, names) => {
    expect(await answerOf(line, project)).toEqual([exit, expect.stringContaining(names)])
  })
})

test.each(OUTSIDE_A_PROJECT)('outside a project, %s: exit %i, names %s', async (line, exit, names) => {
  expect(await answerOf(line, outside)).toEqual([exit, expect.stringContaining(names)])
})

test('there are at least a hundred of them', () => {
  const all = [NO_SUCH_COMMAND, WRONG_FLAGS, WRONG_VALUES, WRONG_ARGUMENTS, UNDERSTOOD, OUTSIDE_A_PROJECT].flat()
  expect(new Set(all.map(([line]) => line)).size).toBeGreaterThanOrEqual(100)
})
