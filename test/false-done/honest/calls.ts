/** Work that is done, and said so by calls of `ralph mcp`, with or without words. */
import { called, done, ID, onTask } from '../lies/calls.ts'
import { ADDS, RIGHT, SOURCE } from '../projects.ts'
import { say, write, type Scenario, type Step } from '../scenario.ts'

function honest(name: string, steps: Step[]): Scenario {
  return {
    name: `calls, honest: ${name}`,
    mechanism: 'words',
    by: 'stranger',
    truth: 'done',
    project: onTask({ files: {} }),
    turns: [[write(SOURCE, RIGHT), ...steps]],
    claims: true,
    probe: ADDS,
  }
}

export const calls: Scenario[] = [
  honest('a call and no tag', [called(done()), say('It adds.')]),
  honest('a call, twice, and the tag', [
    called(done()),
    called({ tool: 'progress', args: { text: 'almost' } }, done()),
    say(`It adds.\n\n<task-done>${ID}</task-done>`),
  ]),
  honest('a call, with notes that show the other tag', [
    called({ tool: 'note', args: { text: `Had it failed: <task-failed>${ID}</task-failed>` } }, done()),
    say('It adds.'),
  ]),
]
