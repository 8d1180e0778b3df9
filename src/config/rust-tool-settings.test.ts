import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeTempFolder, removeFolder, writeWithoutSync } from '../system/files/files.ts'
import { settingsErrorOf, settingsOf, type SettingsFixture } from '../../test/kit/config.ts'

const toml = (text: string): SettingsFixture => ({ files: { '.ralph.toml': text } })

describe("the Rust tool's .ralph.toml", () => {
  test('its retries, verification and command have their meaning; no iteration limit of ours holds', async () => {
    const settings = await settingsOf(
      toml('[execution]\nmax_retries = 7\nverify = false\n[agent]\ncommand = "my-agent --acp \'two words\'"'),
    )
    const { values, made, remarks, unused } = settings
    expect([values['task.max_retries'], values['task.verify'], values['agent.order'], made]).toEqual([
      7,
      false,
      ["acp:my-agent --acp 'two words'"],
      'rust',
    ])
    expect(settings.origin('task.max_retries')).toEqual({
      from: 'project',
      file: '.ralph.toml',
      line: 2,
      name: 'execution.max_retries',
    })
    expect(settings.rules().loop.iterationsMax).toBe(0)
    expect([remarks, unused]).toEqual([[], []])
    // A stranger's repository chooses no program without a question.
    expect(settings.executed({ agents: values['agent.order'], gates: [] })).toEqual([
      {
        setting: 'agent.command',
        run: ['my-agent', '--acp', 'two words'],
        cwd: '.',
        env: {},
        where: '.ralph.toml:5',
      },
    ])
  })

  test('as its init leaves it', async () => {
    const { made, values } = await settingsOf(toml('[execution]\n# max_retries = 3\n# verify = true\n'))
    expect([made, values['task.max_retries'], values['agent.order']]).toEqual(['rust', 3, ['claude']])
  })

  test('theme, colours and learn are named once', async () => {
    const text = '[execution]\nlearn = true\n[ui]\ntheme = "dark"\n[ui.colors]\ntitle = "#ff0000"\ninfo = "red"'
    const { remarks, unused } = await settingsOf(toml(text))
    expect(remarks).toEqual([
      '.ralph.toml: execution.learn, ui.theme, ui.colors have no effect (reasons: ralph config list)',
    ])
    expect(unused.map(({ name, where }) => `${where} ${name}`)).toEqual([
      '.ralph.toml:2 execution.learn',
      '.ralph.toml:4 ui.theme',
      '.ralph.toml:5 ui.colors',
    ])
  })

  test('claude, which speaks no ACP, is driven as Ralph drives it', async () => {
    const { values, programs, remarks } = await settingsOf(toml('[agent]\ncommand = "claude"'))
    expect([values['agent.order'], programs, remarks]).toEqual([
      ['claude'],
      {},
      ['.ralph.toml:2 agent.command: Ralph runs it as the agent claude, not over ACP'],
    ])
  })

  test('unknown keys and tables are passed over, as there; what is nearly one of ours is told', async () => {
    const text = '[execution]\nfuture = 1\n[agent]\nmodle = "x"\n[telemetry]\nport = 3'
    const { made, unused, remarks } = await settingsOf(toml(text))
    expect([made, unused.map(({ name }) => name)]).toEqual([
      'rust',
      ['execution.future', 'agent.modle', 'telemetry.port'],
    ])
    expect(remarks).toEqual(['.ralph.toml:4: unknown setting agent.modle; did you mean agent.model?'])
  })

  test.each([
    ['a setting of ours', '[execution]\nmax_retries = 1\n[loop]\npause = 2'],
    ['a table of ours, though its key is wrong', '[execution]\nmax_retries = 1\n[quota]'],
    ['a gate', '[execution]\nmax_retries = 1\n[[gate]]\nname = "test"\nrun = "true"'],
    ['another key of a shared table', '[agent]\ncommand = "x"\nmodel = "y"'],
  ])('with %s it is one of ours with these in it', async (_, text) => {
    const settings = await settingsOf(toml(text))
    expect([settings.made, settings.rules().loop.iterationsMax]).toEqual(['ours', 20])
    if (text.includes('max_retries')) expect(settings.values['task.max_retries']).toBe(1)
  })

  test('what was passed over before somebody added something of ours is refused with what to do about it', async () => {
    expect(await settingsErrorOf(toml('[execution]\nfuture = 1\n[loop]\npause = 2'))).toMatchObject({
      message: '.ralph.toml:2: unknown setting execution.future',
      hint: 'Remove it. ralph-rust ignored unknown keys, but Ralph rejects them in a file that has Ralph settings too.',
    })
  })

  test('our own name goes before its', async () => {
    const { values } = await settingsOf(toml('[task]\nmax_retries = 9\n[execution]\nmax_retries = 1'))
    expect(values['task.max_retries']).toBe(9)
  })

  test.each([
    ['execution = 5', '.ralph.toml:1: execution: found 5, expected a table'],
    [
      '[execution]\n\nmax_retries = "three"',
      '.ralph.toml:3: execution.max_retries: found "three", expected a whole number of at least 0',
    ],
    [
      '[execution]\nmax_retries = -1',
      '.ralph.toml:2: execution.max_retries: found -1, expected a whole number of at least 0',
    ],
    ['[execution]\nverify = "no"', '.ralph.toml:2: execution.verify: found "no", expected true or false'],
    ['[execution]\nlearn = 1', '.ralph.toml:2: execution.learn: found 1, expected true or false'],
    ['[execution]\n[ui]\ntheme = 3', '.ralph.toml:3: ui.theme: found 3, expected a text'],
    ['[ui.colors]\ntitle = 3', '.ralph.toml:1: ui.colors: found {"title":3}, expected a table of strings'],
    [
      '[execution]\n[agent]\ncommand = "my \'agent"',
      `.ralph.toml:3: agent.command: found "my 'agent", expected a command line without an unclosed quote`,
    ],
    ['[execution]\nmax_retries =', '.ralph.toml:2:14: '],
    // Without a mark of that tool it is a file of ours, in which what is unknown is a mistake.
    ['[loops]\npause = 1', '.ralph.toml:2: unknown setting loops.pause'],
  ])('%j is refused with its line', async (text, message) => {
    expect((await settingsErrorOf(toml(text))).message).toContain(message)
  })
})

describe('variables', () => {
  test('flag before environment before file', async () => {
    const place = { ...toml('[agent]\ncommand = "claude-agent-acp"'), env: { RALPH_AGENT: 'codex' } }
    const order = async (more: SettingsFixture) => (await settingsOf({ ...place, ...more })).values['agent.order']
    expect([await order({}), await order({ flags: { agent: 'gemini' } }), await order({ env: {} })]).toEqual([
      ['codex'],
      ['gemini'],
      ['acp:claude-agent-acp'],
    ])
  })

  test('what Ralph tells its agents does not steer a Ralph that these start', async () => {
    const model = async (env: Record<string, string>) => (await settingsOf({ env })).values['agent.model']
    expect([
      await model({ RALPH_MODEL: 'opus' }),
      await model({ RALPH_MODEL: 'opus', RALPH_INSIDE: 'k7f3qa' }),
      await model({ RALPH_AGENT_MODEL: 'haiku', RALPH_MODEL: 'opus', RALPH_INSIDE: 'k7f3qa' }),
    ]).toEqual(['opus', null, 'haiku'])
  })
})

describe('an agent that Ralph does not know', () => {
  test('is a program that speaks ACP where one of that name is installed, and is not where a table describes it', async () => {
    const bin = makeTempFolder('ralph-bin-')
    try {
      writeWithoutSync(join(bin, 'my-agent'), '#!/bin/sh\n')
      chmodSync(join(bin, 'my-agent'), 0o755)
      const env = { PATH: bin }
      const byFlag = await settingsOf({ env, flags: { agent: 'my-agent,claude' } })
      expect([byFlag.values['agent.order'], byFlag.remarks]).toEqual([
        ['acp:my-agent', 'claude'],
        [
          'flag --agent: Ralph knows no agent my-agent, so it starts the program my-agent as an ACP agent (acp:my-agent)',
        ],
      ])
      const byVariable = await settingsOf({ env: { ...env, RALPH_AGENT: 'my-agent' } })
      expect(byVariable.values['agent.order']).toEqual(['acp:my-agent'])
      const described = await settingsOf({
        ...toml('[agents.my-agent]\ncommand = "my-agent"'),
        env,
        flags: { agent: 'my-agent' },
      })
      expect([described.values['agent.order'], described.remarks]).toEqual([['my-agent'], []])
      const strangers = await settingsOf({ ...toml('agent = "my-agent"'), env })
      expect(strangers.executed({ agents: ['acp:my-agent'], gates: [] })).toEqual([
        { setting: 'agent.order', run: 'my-agent', cwd: '.', env: {}, where: '.ralph.toml:1' },
      ])
      const missing = await settingsOf({ env, flags: { agent: 'other-agent' } })
      expect(missing.values['agent.order']).toEqual(['other-agent'])
    } finally {
      removeFolder(bin)
    }
  })
})
