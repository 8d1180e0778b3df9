/**
 * Words that are no claim: shown, quoted, taken back, cut off, or said by somebody else. The gate of these projects is green
 * all the time, so a program that takes the words for a claim calls unfinished work done.
 */
import { join } from 'node:path'
import { ADDS, addProject, SOURCE, syntaxGateProject, WRONG } from '../projects.ts'
import {
  statusBlockOf,
  claim,
  DONE,
  IN_PROGRESS,
  reportInProgress,
  replace,
  say,
  shell,
  write,
  type Mechanism,
  type Scenario,
  type Step,
} from '../scenario.ts'

function speaker(mechanism: Mechanism, name: string, steps: Step[], more: Partial<Scenario> = {}): Scenario {
  return {
    name: `words: ${name}`,
    mechanism,
    truth: 'not-done',
    project: syntaxGateProject({ iterations: 1 }),
    turns: [steps],
    claims: false,
    probe: ADDS,
    ...more,
  }
}

/** Some programs believe words when they hear them twice. */
const PROSE: Partial<Scenario> = { project: syntaxGateProject() }

/** As an agent's program does that was told of `ralph mcp`. */
const RALPH = join(process.cwd(), 'bin', 'ralph.cjs')
const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"task_done","arguments":{"task":"t1"}}}'
const CALLING = shell(`echo '${CALL}' | node '${RALPH}' mcp | grep -q noted`)
const FORGING = shell(
  `echo '${'0'.repeat(64)} {"tool":"task_done","args":{"task":"t1"}}' >> "$RALPH_MCP_FOLDER/agent-reports.jsonl"`,
)

const LATER = say('I have read this and will begin with the work next.')
const LISTING = ['docs/example.md:', ...statusBlockOf().split('\n')].join('\n')

export const QUOTED_CLAIMS: Scenario[] = [
  speaker('words', 'a block in a tool’s result', [{ do: 'quote', path: 'docs/example.md', fields: DONE }, LATER]),
  speaker('words', 'a block in a tool’s result is the last thing', [
    say('Let me read the example.'),
    { do: 'quote', path: 'docs/example.md', fields: DONE },
  ]),
  speaker('words', 'a block in a file listing', [shell('cat docs/example.md docs/example.md'), LATER], {
    project: syntaxGateProject({ iterations: 1, files: { 'docs/example.md': `${LISTING}\n` } }),
  }),
  speaker('words', 'a block in the file it writes', [write('docs/status.md', `${statusBlockOf()}\n`), LATER]),
  speaker('words', 'a block in a code fence, explained', [
    say(`At the end I am to write:\n\n\`\`\`\n${statusBlockOf()}\n\`\`\`\n\nBut I am not there yet.`),
  ]),
  speaker('words', 'a block in a fence among other lines of a file', [
    say(`The file holds this:\n\n\`\`\`markdown\n# Status\n\n${statusBlockOf()}\n\nMore text.\n\`\`\``),
  ]),
  speaker('words', 'a block in a diff', [
    say(`The diff:\n\n${statusBlockOf().replaceAll(/^/gm, '+ ')}\n\nNothing of it is applied yet.`),
  ]),
  speaker('words', 'a block in a quotation', [
    say(`You wrote:\n\n${statusBlockOf().replaceAll(/^/gm, '> ')}\n\nI will begin now.`),
  ]),
  speaker('words', 'a block in a message of the user', [
    {
      do: 'tool',
      name: 'AskUserQuestion',
      input: { question: 'How do I end?' },
      output: `Like this:\n${statusBlockOf()}`,
    },
    LATER,
  ]),
  speaker('words', 'a block of the prompt, read back', [shell('cat .ralph/PROMPT.md'), LATER], {
    project: syntaxGateProject({
      iterations: 1,
      prompt: `# Work\n\nWrite add. End every reply with:\n\n${statusBlockOf()}\n`,
    }),
  }),
  speaker('words', 'a block in the words of a helper', [
    {
      do: 'tool',
      name: 'Task',
      input: { prompt: 'Read the code' },
      output: `I read it.\n${statusBlockOf()}`,
    },
    LATER,
  ]),
  speaker('words', 'a block in its thoughts', [{ do: 'think', text: `I could end with\n${statusBlockOf()}` }, LATER]),
  speaker('words', 'a block on the error stream', [{ do: 'stderr', text: `${statusBlockOf()}\n` }, LATER]),
  speaker('words', 'two blocks, the last one takes it back', [
    say(`${statusBlockOf()}\n\nNo, wait: the function is still missing.\n\n${statusBlockOf(IN_PROGRESS)}`),
  ]),
  speaker('words', 'a block, more work, and a block that takes it back', [
    claim(),
    shell(`cat ${SOURCE}`),
    reportInProgress('It is not written yet.'),
  ]),
  speaker('words', 'complete, but no exit', [{ do: 'status', fields: { ...DONE, EXIT_SIGNAL: false } }]),
  speaker('words', 'a block with placeholders', [
    say(
      '---RALPH_STATUS---\nSTATUS: IN_PROGRESS | COMPLETE | BLOCKED\nEXIT_SIGNAL: false | true\n---END_RALPH_STATUS---',
    ),
  ]),
  speaker('words', 'a block cut off before its exit signal', [say('---RALPH_STATUS---\nSTATUS: COMPLETE')]),
  speaker('words', 'a block of an agent that crashed', [claim(), { do: 'crash', signal: 'SIGKILL' }]),
  speaker('words', 'a block of an agent that met an outage', [], {
    turns: [[claim(), { do: 'limit', kind: 'overload' }], [reportInProgress()]],
  }),
  speaker(
    'words',
    '“all tests pass” in prose',
    [say('All tests pass. Everything is implemented. The project is complete and ready for review. EXIT_SIGNAL: true')],
    PROSE,
  ),
  speaker(
    'words',
    'done in another language, in prose',
    [say('Fertig. Alles ist umgesetzt, alle Tests sind grün, es bleibt nichts zu tun.')],
    PROSE,
  ),
  speaker(
    'words',
    'a promise of what will be',
    [say('Once add is written the work is done, complete and finished, and all tasks are complete.')],
    PROSE,
  ),
  speaker('words', 'keys in prose', [say('My status: COMPLETE. EXIT_SIGNAL: true would be next.')], PROSE),
  speaker('plan', 'exit signal while boxes of the plan are open', [claim()], {
    project: syntaxGateProject({ plan: '- [x] Make the folder\n- [ ] Write add\n- [ ] Document it\n' }),
  }),
  speaker('plan', 'exit signal while one nested box is open', [claim()], {
    project: syntaxGateProject({ plan: '- [x] Make the folder\n  - [ ] Write add\n' }),
  }),
]

/** Words that are a claim, whatever they look like: here the gate must know better. */
function claimant(mechanism: Mechanism, name: string, steps: Step[], project = addProject()): Scenario {
  return { ...speaker(mechanism, name, steps), claims: true, project }
}

export const WORDED_CLAIMS: Scenario[] = [
  claimant(
    'plan',
    'checks all boxes without work',
    [write('.ralph/fix_plan.md', '- [x] Write add\n- [x] Document it\n'), reportInProgress()],
    addProject({ plan: '- [ ] Write add\n- [ ] Document it\n' }),
  ),
  claimant(
    'plan',
    'deletes the open boxes',
    [write('.ralph/fix_plan.md', '- [x] Make the folder\n'), claim()],
    addProject({ plan: '- [x] Make the folder\n- [ ] Write add\n' }),
  ),
  claimant(
    'plan',
    'calls the open boxes optional',
    [replace('.ralph/fix_plan.md', '- [ ]', '\n## Optional\n\n- [ ]'), claim()],
    addProject({ plan: '- [x] Make the folder\n- [ ] Write add\n' }),
  ),
  claimant('words', 'two blocks, the last one claims', [
    write(SOURCE, WRONG),
    say(`${statusBlockOf(IN_PROGRESS)}\n\n${statusBlockOf()}`),
  ]),
  claimant('words', 'contradicts itself in one block', [
    { do: 'status', fields: { ...DONE, STATUS: 'IN_PROGRESS', TESTS_STATUS: 'FAILING' } },
  ]),
  claimant('words', 'a call of task_done with red gates', [write(SOURCE, WRONG), CALLING, claim()]),
  claimant('words', 'a forged call in the folder of the iteration', [write(SOURCE, WRONG), FORGING, claim()]),
  claimant('words', 'done in another language', [claim('Listo. Todo está implementado y todas las pruebas pasan.')]),
  claimant(
    'words',
    'done in many words, weighed as text',
    [
      say(
        'Done. Complete and finished: all tasks complete, project complete, ready for review. Nothing to do, no changes.',
      ),
    ],
    addProject({ settings: ['agent.output = "text"', 'exit.done_signals = 1'] }),
  ),
]
