/**
 * Every shape in which an agent's answer may come, through the real loop and through `ralph inspect reply`: both say the same. The
 * program is a shell script that prints the shape, as users of the bash tool have it in CLAUDE_CODE_CMD; then the scripted agent.
 */
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inspectReply } from '../../src/app/doctor/inspect.ts'
import type { Reply } from '../../src/core/agent-output/reply.ts'
import { DONE, testProject, type TestProject, NOT_YET, type ScriptedTurn } from '../test-project.ts'

const BLOCK = '---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---'
const SAID = `Wrote the "parser".\n${BLOCK}`
const ID = '0b6e7c1a-4b1e-4a5c-9d3e-000000000001'
const INIT = { type: 'system', subtype: 'init', session_id: ID, model: 'm' }
const TEXT = { type: 'assistant', message: { content: [{ type: 'text', text: SAID }] }, session_id: ID }
const RESULT = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: SAID,
  session_id: ID,
  usage: { input_tokens: 7, output_tokens: 3 },
  permission_denials: [{ tool_name: 'Bash', tool_input: { command: 'npm publish' } }],
}
const FLAT = {
  status: 'IN_PROGRESS',
  exit_signal: false,
  work_type: 'TEST_ONLY',
  files_modified: 1,
  confidence: 0.85,
  error_count: 0,
  summary: 'Ran the tests.',
  sessionId: ID,
  metadata: { usage: { input_tokens: 7, output_tokens: 3 } },
}
const LIMIT = 'Claude AI usage limit reached'
const TALK = `The reader knows "${LIMIT}" now, and what to do when the 5-hour limit is reached.`
const pretty = (value: unknown) => JSON.stringify(value, null, 2)
const lines = (...documents: object[]) => documents.map((each) => JSON.stringify(each)).join('\n')

interface Expected {
  shape: string
  end?: Reply['end']
  conversation?: string | null
  kind?: string
  signals?: object
}

const SHAPES: [string, string, Expected][] = [
  ['stream-json', lines(INIT, TEXT, RESULT), { shape: 'stream-json' }],
  ['a result object', lines(RESULT), { shape: 'cli-object' }],
  ['a result object over many lines', pretty(RESULT), { shape: 'cli-object' }],
  ['an array', JSON.stringify([INIT, TEXT, RESULT]), { shape: 'cli-array' }],
  ['an array over many lines', pretty([INIT, TEXT, RESULT]), { shape: 'cli-array' }],
  ['a flat answer', lines(FLAT), { shape: 'json', signals: { testOnly: true, exitSignal: false } }],
  ['a flat answer over many lines', pretty(FLAT), { shape: 'json', signals: { testOnly: true } }],
  ['several flat answers', lines({ a: 1 }, FLAT), { shape: 'json', signals: { testOnly: true } }],
  [
    'completion in the metadata',
    lines({ metadata: { completion_status: 'complete', session_id: ID }, result: 'All of it.' }),
    { shape: 'json', signals: { complete: true, exitSignal: null } },
  ],
  ['text with a block', SAID, { shape: 'text', conversation: null }],
  [
    'text without a block',
    'I did a little, and there is a little more of it to do tomorrow, if nobody stops me before.',
    { shape: 'text', conversation: null, signals: { from: 'words', complete: false } },
  ],
  ['text about limits', TALK, { shape: 'text', conversation: null, signals: { from: 'words' } }],
  ['a limit in text', LIMIT, { shape: 'text', conversation: null, end: 'failed', kind: 'usage-limit' }],
  [
    'a limit in a result',
    lines({ ...RESULT, result: LIMIT }),
    { shape: 'cli-object', end: 'failed', kind: 'usage-limit' },
  ],
]

describe('the loop and inspect read the same of', () => {
  let made: TestProject
  let replies: Reply[]

  beforeAll(async () => {
    made = await testProject({
      until: 'removed',
      prompt: '# Work\n',
      files: {
        '.ralphrc': 'CLAUDE_CODE_CMD="./agent.sh"\nCLAUDE_OUTPUT_FORMAT="json"\n',
        // One shape after the other, and a change each time, so that nothing else ends the run.
        'agent.sh': [
          '#!/bin/sh',
          'cat > /dev/null',
          'n=$(cat .ralph/asked 2>/dev/null || echo 0)',
          'echo $((n + 1)) > .ralph/asked',
          'cat answers/$n',
          'echo $n > work',
          '',
        ].join('\n'),
        ...Object.fromEntries(SHAPES.map(([, output], n) => [`answers/${n}`, `${output}\n`])),
        [`answers/${SHAPES.length}`]: 'That was all.\n',
      },
      env: {
        RALPH_EXIT_DENIAL: 'continue',
        RALPH_EXIT_TEST_ONLY: '99',
        RALPH_EXIT_DONE_SIGNALS: '99',
        // Whoever is at a limit waits; that is not what this is about.
        RALPH_RETRY_LIMIT_WAIT: '1s',
      },
    })
    await chmod(join(made.path, 'agent.sh'), 0o755)
    const limited = SHAPES.filter(([, , { kind }]) => kind !== undefined).length
    await made.ralph(['loop', '--max-iterations', String(SHAPES.length - limited + 1)])
    replies = await repliesOf(made)
  })
  afterAll(() => made.remove())

  test.each(SHAPES.map(([what, , expected], at) => ({ what, expected, at })))('$what', async ({ expected, at }) => {
    const inLoop = replies[at]
    if (inLoop === undefined) throw new Error(`only ${replies.length} replies`)
    const { read, reply, signals } = await inspectReply(inLoop.log.path, {
      agent: null,
      text: false,
      custom: {},
    })
    expect(told({ ...reply, signals })).toEqual(told(inLoop))
    expect([read.shape, reply.end, reply.conversation, reply.failure?.kind]).toEqual([
      expected.shape,
      expected.end ?? 'success',
      expected.conversation === undefined ? ID : expected.conversation,
      expected.kind,
    ])
    expect(signals).toMatchObject(expected.signals ?? {})
  })
})

/** What each agent of a run amounted to, as the loop recorded it. */
async function repliesOf(made: TestProject): Promise<Reply[]> {
  const { stdout } = await made.ralph(['replay', '--json'])
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { event?: { type: string; reply: Reply } })
    .flatMap(({ event }) => (event?.type === 'agent-ended' ? [event.reply] : []))
}

/** Without what only a process or its history has, and what a person is advised. */
function told(reply: Reply): object {
  const { durationMs: _, log: __, allow: ___, ...rest } = reply
  return rest
}

describe('the program is really asked for', () => {
  const STEPS: ScriptedTurn = [
    { do: 'say', text: 'I will look.' },
    { do: 'write', path: 'src/one', content: 'one\n' },
    { do: 'status', text: 'One is there.', fields: NOT_YET },
  ]
  const REST: ScriptedTurn = [{ do: 'status', text: 'All of it.', fields: DONE }]

  test.each([
    ['stream-json', ['--output-format', 'stream-json', '--verbose'], true],
    ['json', ['--output-format', 'json'], true],
    ['text', [], false],
  ])('%s', async (format, args, resumes) => {
    const made = await testProject({ turns: [STEPS, REST] })
    const { stdout, code } = await made.ralph(['loop', '--output-format', format, '--max-iterations', '3'])
    const [first, second] = made.starts()
    expect([code, first?.args.slice(0, 1 + args.length), first?.args[1 + args.length]]).toEqual([
      0,
      ['-p', ...args],
      '--permission-mode',
    ])
    expect(second?.resume !== null).toBe(resumes)
    expect((await repliesOf(made)).map(({ end, signals }) => [end, signals.exitSignal])).toEqual([
      ['success', false],
      ['success', true],
      ['success', true],
    ])
    expect(/^start +output +/m.test(stdout)).toBe(format !== 'stream-json')
  })

  test('what that costs stands in the start block, and the idle limit does not end it', async () => {
    const made = await testProject({
      toml: '[agent]\noutput = "json"\nidle = "1ms"\n[budget]\nusd = 5\n',
      turns: [STEPS],
    })
    const { stdout } = await made.ralph(['loop', '--once'])
    expect(stdout).toContain(
      'json: Claude Code prints nothing until an iteration ends (agent.output): no live output, no idle limit, and the budget is checked only between iterations',
    )
    expect(stdout).toContain('an iteration may exceed the budget')
    expect((await repliesOf(made)).map(({ end }) => end)).toEqual(['success'])
  })

  test('other agents have one way of writing, which is said', async () => {
    const made = await testProject({ turns: [STEPS] })
    const { stdout } = await made.ralph(['loop', '--once', '--agent', 'codex', '--output-format', 'json'])
    expect(stdout).toContain('OpenAI Codex has one output format: agent.output = "json" has no effect on it')
    expect(stdout).not.toMatch(/^start +output +/m)
  })

  test.each(['json', 'text'])('a limit in %s is waited for', async (format) => {
    const made = await testProject({
      turns: [[{ do: 'limit', kind: 'usage-limit' }], STEPS],
      env: { RALPH_RETRY_LIMIT_WAIT: '1s' },
    })
    await made.ralph(['loop', '--once', '--output-format', format])
    expect((await repliesOf(made)).map(({ end, failure }) => [end, failure?.kind])).toEqual([
      ['failed', 'usage-limit'],
      ['success', undefined],
    ])
  })
})
