/**
 * Tags about a task that are no claim: shown, quoted, said too early, about another task, or of another kind. The agent has done a part, and
 * the gate asks for no more: a program that takes the tag for a claim calls the task done.
 */
import { ADDS, addProject, RIGHT, SOURCE, TEST, TEST_HEAD, WRONG } from '../projects.ts'
import { say, shell, write, type Project, type Scenario, type Step } from '../scenario.ts'

const ID = 't-add'
const DONE = `<task-done>${ID}</task-done>`

/** The gate is content with what is right for nothing. */
const CONTENT = addProject({
  files: { [TEST]: `${TEST_HEAD}\ntest('adds nothing', () => assert.equal(add(0, 0), 0))\n` },
})
const PART = write(SOURCE, WRONG)

function onTask(project: Project, settings: string[] = ['task.verify = false']): Project {
  return { ...project, task: ID, iterations: 1, settings }
}

function tagger(name: string, steps: Step[], more: Partial<Scenario> = {}): Scenario {
  return {
    name: `tags: ${name}`,
    mechanism: 'words',
    truth: 'not-done',
    project: onTask(CONTENT),
    turns: [[PART, ...steps]],
    claims: false,
    probe: ADDS,
    ...more,
  }
}

/** Another agent reads what the first one claims. */
const READ: Partial<Scenario> = { project: onTask(CONTENT, ['task.verify = true']), claims: true }

export const FALSE_TAGS: Scenario[] = [
  tagger('in a code fence', [say(`At the end I am to write:\n\n\`\`\`\n${DONE}\n\`\`\`\n\nI am not there yet.`)]),
  tagger('in a fence that is never closed', [say(`At the end I am to write:\n\n\`\`\`\n${DONE}`)]),
  tagger('in a fence that began long ago', [
    say(`The log:\n\n\`\`\`\n${'all is well\n'.repeat(200)}${DONE}\n\`\`\`\n\nI am not there yet.`),
  ]),
  tagger('in backticks', [say(`I do not write \`${DONE}\` yet.`)]),
  tagger('in backticks, after a lone one', [say(`The \` key is missing.\nI do not write \`${DONE}\` yet.`)]),
  tagger('in quotation marks', [say(`I was told to end with "${DONE}", and have not begun.`)]),
  tagger('in a quotation', [say(`You wrote:\n\n> End with\n> ${DONE}\n\nI will begin now.`)]),
  tagger('in a quotation that goes on', [say(`> You wrote: end with\n${DONE}\n\nI will begin now.`)]),
  tagger('in a tool’s result', [shell(`echo '${DONE}'`), say('I have read it.')]),
  tagger('in its thoughts', [{ do: 'think', text: DONE }, say('I have thought about it.')]),
  tagger('in the words of a helper', [
    { do: 'tool', name: 'Task', input: { prompt: 'Read it' }, output: DONE },
    say('It has read the code.'),
  ]),
  tagger('before it found out better', [say(DONE), shell(`cat ${SOURCE}`), say('It is not written yet.')]),
  tagger('in the reasoning of another model', [
    say(`<reasoning>Then I write ${DONE}.</reasoning>\n\nI am not there yet.`),
  ]),
  tagger('in title marks', [say(`最后要写《${DONE}》，还没有完成。`)]),
  tagger('in a note to others', [say(`<journal>Whoever is ready writes ${DONE}.</journal>`)]),
  tagger('cut off', [say(`<task-done>${ID}`)]),
  tagger('of another task', [say('<task-done>t-other</task-done>')]),
  tagger('of this task and of another', [say(`${DONE}\n<task-done>t-other</task-done>`)]),
  tagger('done and failed', [say(`${DONE}\n<task-failed>${ID}</task-failed>`)]),
  tagger('a promise that all is complete', [say('<promise>COMPLETE</promise>')]),
  tagger('done, and the gates are red', [say(DONE)], {
    project: onTask(addProject()),
    claims: true,
  }),
  tagger('a reader that shows the word it does not give', [], {
    ...READ,
    turns: [[PART, say(DONE)], [say('It multiplies: I will not say `<verify-pass/>`.')]],
  }),
  tagger('a reader that says yes before it looks', [], {
    ...READ,
    turns: [
      [PART, say(DONE)],
      [say('<verify-pass/>'), shell(`cat ${SOURCE}`), say('No: it multiplies.')],
    ],
  }),
]

export const HONEST_TAGS: Scenario[] = [
  tagger(
    'honest: the work, a note, and the word about it',
    [
      write(SOURCE, RIGHT),
      say('<journal>It adds.</journal>'),
      say(`I was told to end with \`<task-failed>${ID}</task-failed>\` if it fails. It does not:\n\n${DONE}`),
    ],
    { truth: 'done', project: onTask(addProject()), claims: true },
  ),
]
