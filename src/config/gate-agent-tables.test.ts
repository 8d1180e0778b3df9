import { describe, expect, test } from 'vitest'
import { gateExample } from '../core/proof/gate-example.ts'
import { settingsErrorOf, settingsOf } from '../../test/kit/config.ts'

const toml = (...lines: string[]) => ({ files: { '.ralph.toml': lines.join('\n') } })

describe('gates', () => {
  test('are read with all they have', async () => {
    const place = toml(
      '[[gate]]',
      'name = "unit"',
      'run = "npm test -- --run"',
      'timeout = 2',
      'when = "task"',
      'cwd = "packages/core"',
      'env = { CI = "1" }',
      '[[gate]]',
      'name = "build"',
      'run = "make"',
    )
    expect((await settingsOf(place)).gates).toEqual([
      {
        name: 'unit',
        run: 'npm test -- --run',
        timeoutMs: 120_000,
        when: 'task',
        cwd: 'packages/core',
        env: { CI: '1' },
      },
      { name: 'build', run: 'make', timeoutMs: 600_000, when: 'completion', cwd: '.', env: {} },
    ])
  })

  test.each([
    ['npm test', 'npm test'],
    ['sh -c "a \\\\ b"', 'sh -c "a \\\\ b"'],
    ['echo\u0007 a\u007f', 'echo a'],
  ])('as shown to people are three lines that can be pasted: %j', async (command, run) => {
    const pasted = gateExample(command)
    expect(pasted.split('\n')).toHaveLength(3)
    const { gates } = await settingsOf(toml('[loop]', 'max_iterations = 3', pasted))
    expect(gates.map((gate) => [gate.name, gate.run])).toEqual([['test', run]])
  })

  test('of a .ralphrc count where no [[gate]] is', async () => {
    const rc = 'TEST_COMMAND="npm test"\nQUALITY_GATES="npm run lint; tsc --noEmit;"\nQUALITY_GATE_TIMEOUT=60'
    const rest = { timeoutMs: 60_000, when: 'completion', cwd: '.', env: {} }
    expect((await settingsOf({ files: { '.ralphrc': rc } })).gates).toEqual([
      { name: 'test', run: 'npm test', ...rest },
      { name: 'gate-1', run: 'npm run lint', ...rest },
      { name: 'gate-2', run: 'tsc --noEmit', ...rest },
    ])
    const both = { '.ralphrc': rc, '.ralph.toml': '[[gate]]\nname = "mine"\nrun = "make"' }
    expect((await settingsOf({ files: both })).gates.map((gate) => gate.name)).toEqual(['mine'])
  })

  test.each<[string, string[], string, string]>([
    [
      'without a command',
      ['[[gate]]', 'name = "x"'],
      'bad-setting',
      '.ralph.toml:1: gate[0].run: this key is required',
    ],
    [
      'with one bracket',
      ['[gate]', 'name = "x"'],
      'bad-setting',
      '.ralph.toml:1: gate: write gates as [[gate]], with two brackets',
    ],
    [
      'of one name',
      ['[[gate]]', 'name = "x"', 'run = "a"', '[[gate]]', 'name = "x"', 'run = "b"'],
      'bad-setting',
      '.ralph.toml:5: gate[1].name: two gates have the name "x"',
    ],
    [
      'with an unknown key',
      ['[[gate]]', 'name = "x"', 'command = "a"'],
      'unknown-setting',
      '.ralph.toml:3: gate[0].command: unknown key',
    ],
    [
      'outside the project',
      ['[[gate]]', 'name = "x"', 'run = "a"', 'cwd = "../y"'],
      'bad-setting',
      '.ralph.toml:4: gate[0].cwd: found "../y", expected a folder inside the project',
    ],
    [
      'with a wrong time',
      ['[[gate]]', 'name = "x"', 'run = "a"', 'when = "never"'],
      'bad-setting',
      '.ralph.toml:4: gate[0].when: found "never", expected "task" or "completion"',
    ],
    [
      'for a landing that does not exist yet',
      ['[[gate]]', 'name = "x"', 'run = "a"', 'when = "landing"'],
      'bad-setting',
      '.ralph.toml:4: gate[0].when: "landing" is not supported yet, so this gate would never run',
    ],
    [
      'with numbers in the environment',
      ['[[gate]]', 'name = "x"', 'run = "a"', 'env = { A = 1 }'],
      'bad-setting',
      '.ralph.toml:4: gate[0].env: expected a table of strings, such as { NAME = "value" }',
    ],
  ])('%s are refused', async (_, lines, code, message) => {
    expect(await settingsErrorOf(toml(...lines))).toMatchObject({ code, message })
  })

  test("do not belong into the user's file", async () => {
    const files = { '~/.config/ralph/config.toml': '[[gate]]\nname = "x"\nrun = "a"' }
    expect(await settingsErrorOf({ files })).toEqual({
      code: 'bad-setting',
      message: '~/.config/ralph/config.toml: gate: gates belong to a project; move them to its .ralph.toml',
      hint: 'Fix it in ~/.config/ralph/config.toml',
    })
  })

  test('an old time limit that cannot be is refused', async () => {
    const files = { '.ralphrc': 'TEST_COMMAND=x\nQUALITY_GATE_TIMEOUT=soon' }
    expect(await settingsErrorOf({ files })).toMatchObject({
      message: expect.stringContaining('.ralphrc:2: QUALITY_GATE_TIMEOUT: found "soon"') as string,
    })
  })
})

describe('agents', () => {
  test('of the user are read, those of the project before those of the home', async () => {
    const settings = await settingsOf({
      files: {
        '.ralph.toml': [
          '[agents.mine]',
          'command = "my-agent --flag \'two words\'"',
          'output = "jsonl"',
          'fields = { text = "message.text" }',
          'env = { KEY = "1" }',
        ].join('\n'),
        '~/.config/ralph/config.toml': '[agents.mine]\ncommand = ["other"]\n[agents.home]\ncommand = ["home-agent"]',
      },
    })
    expect(settings.agents).toEqual({
      mine: {
        command: ['my-agent', '--flag', 'two words'],
        output: 'jsonl',
        fields: { text: 'message.text' },
        env: { KEY: '1' },
      },
      home: { command: ['home-agent'], output: 'text', fields: {}, env: {} },
    })
  })

  test('that Ralph knows may be started by another program', async () => {
    const { agents, programs } = await settingsOf(toml('[agents.codex]', 'command = ["npx", "codex"]'))
    expect({ agents, programs }).toEqual({ agents: {}, programs: { codex: ['npx', 'codex'] } })
  })

  test.each<[string, string[], string]>([
    ['without a command', ['[agents.mine]'], '.ralph.toml:1: agents.mine.command: this key is required'],
    [
      'with an empty command',
      ['[agents.mine]', 'command = []'],
      '.ralph.toml:2: agents.mine.command: found an empty list, expected a program',
    ],
    ['that are no tables', ['agents = 1'], '.ralph.toml:1: agents: write agents as [agents.NAME]'],
    [
      'that are texts',
      ['[agents]', 'mine = "x"'],
      '.ralph.toml:2: agents.mine: expected a table with command, output, fields, env, models',
    ],
    [
      'with a name that is none',
      ['[agents."a b"]', 'command = "x"'],
      '.ralph.toml:1: agents.a b: a name may contain letters, digits, ".", "_" and "-"',
    ],
    [
      'that Ralph knows, with more than a command',
      ['[agents.claude]', 'command = "x"', 'output = "text"'],
      '.ralph.toml:3: agents.claude.output: Ralph knows claude already; you can only change its command and models',
    ],
  ])('%s are refused', async (_, lines, message) => {
    expect(await settingsErrorOf(toml(...lines))).toMatchObject({ code: 'bad-setting', message })
  })
})

test.each([
  ['name', 'te\u001b[31mst', 'true', 'te\\u{1b}[31mst'],
  ['name', 'a\u202eb', 'true', 'a\\u{202e}b'],
  ['run', 'test', 'echo \u001b]0;x\u0007', 'echo \\u{1b}]0;x\\u{7}'],
  ['run', 'test', 'echo a\u202eb', 'echo a\\u{202e}b'],
])('a gate whose %s would speak for Ralph is refused', async (field, name, run, shown) => {
  const place = toml('[[gate]]', `name = ${JSON.stringify(name)}`, `run = ${JSON.stringify(run)}`)
  const { message } = await settingsErrorOf(place)
  expect(message).toContain(`gate[0].${field}`)
  expect(message).toContain(`"${shown}" has invisible characters`)
})
