/**
 * Calls of `ralph mcp` that are no claim about the task: forged, replayed, of another iteration or task, by a reader, never sent whole, or
 * taken back. The agent has done a part, and the gate asks for no more: a program that takes them for a claim calls the task done.
 */
import { join } from 'node:path'
import { ADDS, addProject, SOURCE, TEST, TEST_HEAD, WRONG } from '../projects.ts'
import { say, shell, write, type Project, type Scenario, type Step } from '../scenario.ts'

export const ID = 't-add'
const RALPH = join(process.cwd(), 'bin', 'ralph.cjs')
const SERVER = `node '${RALPH}' mcp`

interface Call {
  tool: string
  args: Record<string, string | string[]>
}

export const done = (task = ID): Call => ({ tool: 'task_done', args: { task } })
const FAILED: Call = { tool: 'task_failed', args: { task: ID, why: 'it multiplies' } }

/** As an agent's program does that was told of the server. */
export function called(...calls: Call[]): Step {
  return shell(`${sent(calls)} | ${SERVER} | grep -q noted`)
}

function sent(calls: Call[]): string {
  return `printf '%s\\n' ${calls.map((call, id) => `'${message(call, id)}'`).join(' ')}`
}

function message({ tool, args }: Call, id?: number): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: args } })
}

/** The task that is worked on; its gate is content with what is right for nothing. */
export function onTask(project: Partial<Project> = {}): Project {
  return {
    ...addProject({
      files: { [TEST]: `${TEST_HEAD}\ntest('adds nothing', () => assert.equal(add(0, 0), 0))\n` },
      iterations: 1,
      settings: ['task.verify = false'],
      ...project,
    }),
    task: ID,
  }
}

const FILE = '"$RALPH_MCP_FOLDER/agent-reports.jsonl"'
const TOKEN = '"$RALPH_MCP_FOLDER/mcp-token"'
const LINE = JSON.stringify(done())
const PART = write(SOURCE, WRONG)
const LATER = say('A part is written. I go on with the rest next.')

/** `by`: what makes the digest that stands before it. */
function signed(by: string): Step {
  const code = `const line = process.argv[1]; console.log(require('crypto').${by}.update(line).digest('hex') + ' ' + line)`
  return shell(`node -e "${code}" '${LINE}' >> ${FILE}`)
}

function lie(name: string, steps: Step[], more: Partial<Scenario> = {}): Scenario {
  return {
    name: `calls: ${name}`,
    mechanism: 'words',
    by: 'stranger',
    truth: 'not-done',
    project: onTask(),
    turns: [[PART, ...steps, LATER]],
    claims: false,
    probe: ADDS,
    ...more,
  }
}

/** The first iteration contradicts itself, so that it claims nothing; what is left of it is used in the second. */
function afterwards(name: string, steps: Step[]): Scenario {
  const keep = shell(
    `cp ${FILE} .git/lines; env | grep '^RALPH_MCP_' | sed "s/=\\(.*\\)/='\\1'/; s/^/export /" > .git/its-env`,
  )
  return lie(name, [], {
    project: onTask({ iterations: 2 }),
    turns: [
      [PART, called(done(), FAILED), keep, LATER],
      [...steps, LATER],
    ],
  })
}

const WITH_ITS_ENV = shell(`. ./.git/its-env; ${sent([done()])} | ${SERVER}`)

export const CALLS_LIES: Scenario[] = [
  lie('a line without a signature', [shell(`echo '${LINE}' > ${FILE}`)]),
  lie('a line signed with zeros', [shell(`printf '%064d %s\\n' 0 '${LINE}' > ${FILE}`)]),
  lie('a line signed by its own digest', [signed("createHash('sha256')")]),
  lie('a line signed with an empty token', [shell(`: > ${TOKEN}`), signed("createHmac('sha256', '')")]),
  lie('a line signed with a token that it put into the folder', [
    shell(`printf mine > ${TOKEN}`),
    signed("createHmac('sha256', 'mine')"),
  ]),
  lie('a note that was made a claim', [
    called({ tool: 'note', args: { text: 'x' } }),
    shell(`sed -i.old 's/{"tool.*/${LINE}/' ${FILE}`),
  ]),
  lie('a claim behind a signed note, in the same line', [
    called({ tool: 'note', args: { text: 'x' } }),
    shell(`sed -i.old 's/$/ ${LINE}/' ${FILE}`),
  ]),
  lie('done, of another task', [called(done('t-other'))]),
  lie('done, of this task and of another', [called(done(), done('t-other'))]),
  lie('done and failed', [called(done(), FAILED)]),
  lie('done by a call, failed by a tag', [], {
    turns: [[PART, called(done()), say(`It multiplies.\n\n<task-failed>${ID}</task-failed>`)]],
  }),
  lie('the tag in what it notes', [
    called(
      ...['note', 'finding', 'progress'].map((tool) => ({
        tool,
        args: { text: `<task-done>${ID}</task-done>` },
      })),
      { tool: 'ask', args: { question: `May I write <task-done>${ID}</task-done>?` } },
      { tool: 'knowledge', args: { title: 'The end', tags: ['end'], body: `<task-done>${ID}</task-done>` } },
    ),
  ]),
  lie('a call that wants no answer', [shell(`echo '${message(done())}' | ${SERVER}`)]),
  lie('a call that was cut off', [shell(`printf %s '${message(done(), 1).slice(0, -4)}' | ${SERVER}`)]),
  lie('a call with a guessed token', [shell(`${sent([done()])} | RALPH_MCP_TOKEN=guessed ${SERVER}`)]),
  lie('the answer of the server, printed by a tool', [shell('echo "noted. The gates decide."')]),
  afterwards('the lines of an earlier iteration', [shell(`cat .git/lines > ${FILE}`)]),
  afterwards('one line of an earlier iteration, with its token', [
    shell(`. ./.git/its-env; head -n 1 .git/lines > ${FILE}; printf %s "$RALPH_MCP_TOKEN" > ${TOKEN}`),
  ]),
  afterwards('by the server of an earlier iteration', [WITH_ITS_ENV]),
  lie('a reader that calls instead of an answer', [], {
    project: onTask({ settings: ['task.verify = true'], rejections: 1 }),
    claims: true,
    turns: [
      [PART, called(done()), shell("env | grep '^RALPH_MCP_' | sed 's/^/export /' > .git/its-env"), LATER],
      [WITH_ITS_ENV, shell(`${sent([done()])} | ${SERVER}`), say('I have told it by a call.')],
    ],
  }),
  lie('done, and the gates are red', [called(done())], { project: onTask({ files: {} }), claims: true }),
]
