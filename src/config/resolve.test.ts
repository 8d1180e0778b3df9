import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { RULE_KEYS, ruleByName, rulesFromSettings, type RuleSettingValues } from '../core/settings/rule-table.ts'
import type { Rules } from '../core/state/rules.ts'
import { resolveSettings } from './resolve.ts'
import type { SettingKey } from './settings.ts'
import { withTestFolder, settingsErrorOf, settingsOf, type SettingsFixture } from '../../test/kit/config.ts'

async function chosen(place: SettingsFixture, key: SettingKey = 'quota.calls_per_hour') {
  const settings = await settingsOf(place)
  return { value: settings.values[key], origin: settings.origin(key) }
}

describe('the nearest word wins', () => {
  const files = {
    '.ralph.toml': '[quota]\ncalls_per_hour = 3',
    '.ralph/config.json': '{"quota": {"calls_per_hour": 4}}',
    '.ralphrc': 'MAX_CALLS_PER_HOUR=5',
    '.ralph/.ralphrc': 'MAX_CALLS_PER_HOUR=6',
    '~/.config/ralph/config.toml': 'quota.calls_per_hour = 7',
  }
  const flags = { calls: '1' }
  const env = { RALPH_QUOTA_CALLS_PER_HOUR: '2', MAX_CALLS_PER_HOUR: '22' }
  const without = (...names: (keyof typeof files)[]) =>
    Object.fromEntries(Object.entries(files).filter(([name]) => !names.includes(name as keyof typeof files)))
  const inFile = (file: string, line: number | null, name: string) => ({ from: 'project', file, line, name })

  test.each([
    ['a flag', { flags, env, files }, { value: 1, origin: { from: 'flag', flag: 'calls' } }],
    [
      'the environment',
      { env, files },
      { value: 2, origin: { from: 'environment', name: 'RALPH_QUOTA_CALLS_PER_HOUR' } },
    ],
    [
      'the environment by an old name',
      { env: { MAX_CALLS_PER_HOUR: '22' }, files },
      { value: 22, origin: { from: 'environment', name: 'MAX_CALLS_PER_HOUR' } },
    ],
    ['.ralph.toml', { files }, { value: 3, origin: inFile('.ralph.toml', 2, 'quota.calls_per_hour') }],
    [
      '.ralph/config.json',
      { files: without('.ralph.toml') },
      { value: 4, origin: inFile('.ralph/config.json', null, 'quota.calls_per_hour') },
    ],
    [
      '.ralphrc',
      { files: without('.ralph.toml', '.ralph/config.json') },
      { value: 5, origin: inFile('.ralphrc', 1, 'MAX_CALLS_PER_HOUR') },
    ],
    [
      '.ralph/.ralphrc',
      { files: without('.ralph.toml', '.ralph/config.json', '.ralphrc') },
      { value: 6, origin: inFile('.ralph/.ralphrc', 1, 'MAX_CALLS_PER_HOUR') },
    ],
    [
      "the user's file",
      { files: without('.ralph.toml', '.ralph/config.json', '.ralphrc', '.ralph/.ralphrc') },
      {
        value: 7,
        origin: { from: 'user', file: '~/.config/ralph/config.toml', line: 1, name: 'quota.calls_per_hour' },
      },
    ],
    ['the default', {}, { value: 100, origin: { from: 'default' } }],
  ])('%s', async (_, place, expected) => {
    expect(await chosen(place)).toEqual(expected)
  })

  test.each<[string, SettingsFixture, string, 'json' | 'text' | undefined]>([
    ['nobody said anything', {}, 'stream-json', undefined],
    [
      'the bash tool generated json',
      { files: { '.ralphrc': 'CLAUDE_OUTPUT_FORMAT="json"' } },
      'stream-json',
      undefined,
    ],
    ['text in its file is a choice', { files: { '.ralphrc': 'CLAUDE_OUTPUT_FORMAT=text' } }, 'text', 'text'],
    ['our name in its file is a choice', { files: { '.ralphrc': 'RALPH_AGENT_OUTPUT=json' } }, 'json', 'json'],
    ['a variable', { env: { CLAUDE_OUTPUT_FORMAT: 'json' } }, 'json', 'json'],
    ['a flag', { flags: { 'output-format': 'json' } }, 'json', 'json'],
    ['our file', { files: { '.ralph.toml': '[agent]\noutput = "json"' } }, 'json', 'json'],
    ['the stream, said aloud', { flags: { 'output-format': 'stream-json' } }, 'stream-json', undefined],
  ])('the output format: %s', async (_, place, value, format) => {
    const settings = await settingsOf(place)
    expect([settings.values['agent.output'], settings.rules().agent.format]).toEqual([value, format])
  })

  test('what the bash tool generated is told where unused names are', async () => {
    const { unused, remarks } = await settingsOf({ files: { '.ralphrc': 'CLAUDE_OUTPUT_FORMAT=json' } })
    expect([unused, remarks]).toEqual([
      [
        {
          name: 'CLAUDE_OUTPUT_FORMAT',
          where: '.ralphrc:1',
          remark: 'bash Ralph wrote it into every .ralphrc, so Ralph ignores it',
        },
      ],
      [],
    ])
  })

  test('two files of the project that disagree are told', async () => {
    const { remarks } = await settingsOf({ files: without('.ralph/config.json', '.ralph/.ralphrc') })
    expect(remarks).toEqual([
      'quota.calls_per_hour: .ralphrc:1 MAX_CALLS_PER_HOUR sets 5, but .ralph.toml:2 quota.calls_per_hour overrides it with 3',
    ])
  })

  test('two files that agree are not worth a word', async () => {
    const { remarks } = await settingsOf({
      files: { '.ralph.toml': '[agent]\ntimeout = "900s"', '.ralphrc': 'CLAUDE_TIMEOUT_MINUTES=15' },
    })
    expect(remarks).toEqual([])
  })
})

describe('flags', () => {
  test.each<[string, Record<string, string | boolean>, SettingKey, unknown]>([
    ['by their long name', { 'allowed-tools': 'Read,Bash(git *)' }, 'agent.tools', ['Read', 'Bash(git *)']],
    ['as a parser names them', { allowedTools: 'Read' }, 'agent.tools', ['Read']],
    ['by the key of the setting', { 'retry.first': '1s' }, 'retry.first', 1000],
    ['in their unit', { timeout: '20' }, 'agent.timeout', 1_200_000],
    ['that switch on', { live: true }, 'ui.live', true],
    ['that switch off', { continue: false }, 'agent.continue', false],
    ['that switch off, by their own name', { 'no-continue': true }, 'agent.continue', false],
  ])('%s', async (_, flags, key, value) => {
    expect((await chosen({ flags }, key)).value).toEqual(value)
  })

  test('a switch that was not given says nothing', async () => {
    const files = { '.ralphrc': 'SESSION_CONTINUITY=false\nENABLE_BACKUP=true' }
    const { values } = await settingsOf({ flags: { continue: true, backup: false }, files })
    expect([values['agent.continue'], values['loop.backup']]).toEqual([false, true])
  })

  test('what is no setting is left alone', async () => {
    expect((await settingsOf({ flags: { once: true, json: 'x' } })).remarks).toEqual([])
  })
})

describe('environment', () => {
  test('an empty variable counts as not set', async () => {
    const place = { env: { RALPH_AGENT_MODEL: '', CLAUDE_MODEL: 'opus' } }
    expect(await chosen(place, 'agent.model')).toEqual({
      value: 'opus',
      origin: { from: 'environment', name: 'CLAUDE_MODEL' },
    })
  })

  test('a misspelt variable is told, anything else is not ours', async () => {
    const env = { RALPH_QUOTA_CALL_PER_HOUR: '5', RALPH_INSIDE: 'r1', RALPH_UI_SOMETHING_ELSE_ENTIRELY: '1' }
    expect((await settingsOf({ env })).remarks).toEqual([
      'environment RALPH_QUOTA_CALL_PER_HOUR is not a setting; did you mean RALPH_QUOTA_CALLS_PER_HOUR?',
    ])
  })

  test("the user's file lies where XDG says", async () => {
    const settings = await settingsOf({
      files: { '~/.config/ralph/config.toml': '[quota]\ncalls_per_hour = 7' },
      env: { XDG_CONFIG_HOME: '/nowhere' },
    })
    expect(settings.origin('quota.calls_per_hour')).toEqual({ from: 'default' })
  })
})

describe("the user's file", () => {
  const files = { 'xdg/ralph/config.toml': '[quota]\ncalls_per_hour = 7' }
  const calls = (root: string, given: { home: string; env: Record<string, string> }) =>
    resolveSettings({ root, flags: {}, ...given })

  test('inside the repository is not read, and that is said', async () => {
    await withTestFolder(files, async (root, home) => {
      const { values, remarks } = await calls(root, { home, env: { XDG_CONFIG_HOME: join(root, 'xdg') } })
      const remark = `${join(root, 'xdg/ralph/config.toml')} is inside the repository and may come from somebody else, so Ralph ignores it`
      expect([values['quota.calls_per_hour'], remarks]).toEqual([100, [remark]])
    })
  })

  test('in a relative folder is no file of the user', async () => {
    await withTestFolder(files, async (root) => {
      const settings = await calls(root, { home: '.', env: { XDG_CONFIG_HOME: 'xdg' } })
      expect(settings.origin('quota.calls_per_hour')).toEqual({ from: 'default' })
    })
  })
})

describe('files of the older tools', () => {
  test('a .ralphrc as the bash tool writes it', async () => {
    const settings = await settingsOf({
      files: {
        '.ralphrc': [
          'PROJECT_NAME="demo"',
          'MAX_CALLS_PER_HOUR="${MAX_CALLS_PER_HOUR:-50}"',
          'CLAUDE_TIMEOUT_MINUTES=30',
          'CLAUDE_MODEL=""',
          'ALLOWED_TOOLS="Write,Bash(git add *)"',
          'CLAUDE_ALLOWED_TOOLS="Read"',
          'SESSION_EXPIRY_HOURS=12',
          'CB_COOLDOWN_MINUTES=45',
          'RALPH_VERBOSE=true',
          'OPTIONAL_SECTIONS="Later,Some day"',
          'UPDATED=$(date)',
        ].join('\n'),
      },
    })
    const { values } = settings
    expect({
      calls: values['quota.calls_per_hour'],
      timeout: values['agent.timeout'],
      model: settings.origin('agent.model'),
      tools: values['agent.tools'],
      hours: values['agent.conversation_hours'],
      cooldown: values['breaker.cooldown'],
      verbose: values['ui.verbose'],
      sections: values['loop.optional_sections'],
    }).toEqual({
      calls: 50,
      timeout: 1_800_000,
      model: { from: 'default' },
      tools: ['Write', 'Bash(git add *)'],
      hours: 43_200_000,
      cooldown: 2_700_000,
      verbose: true,
      sections: ['Later', 'Some day'],
    })
    expect(settings.remarks).toEqual(['.ralphrc:11: UPDATED uses $(…), which only a shell could work out; ignored'])
    expect(settings.unused).toEqual([
      {
        name: 'PROJECT_NAME',
        where: '.ralphrc:1',
        remark: 'for information only, as in bash Ralph',
      },
    ])
  })

  test('arrays serve where lists are meant, and their first element elsewhere', async () => {
    const { values } = await settingsOf({
      files: { '.ralphrc': 'ALLOWED_TOOLS=(Read "Bash(git log, *)")\nMAX_CALLS_PER_HOUR=(5 6)' },
    })
    expect([values['agent.tools'], values['quota.calls_per_hour']]).toEqual([['Read', 'Bash(git log, *)'], 5])
  })

  test('a name that nobody knows is told', async () => {
    const { unused } = await settingsOf({ files: { '.ralphrc': 'A=1\nFOO=1' } })
    expect(unused.map(({ where, name, remark }) => `${where} ${name}: ${remark}`)).toEqual([
      '.ralphrc:1 A: not a setting of Ralph',
      '.ralphrc:2 FOO: not a setting of Ralph',
    ])
  })

  test("the orchestrator's config.json", async () => {
    const { values, unused } = await settingsOf({
      files: {
        '.ralph/config.json': JSON.stringify({
          workers: { max_iterations: 50, sleep_seconds: 2 },
          claude: { max_retries: 3, initial_backoff_seconds: 7 },
          runtime: { backend: 'opencode' },
          hooks: { enabled: true },
          mine: 1,
        }),
      },
    })
    expect([values['loop.max_iterations'], values['loop.pause'], values['retry.first'], values['agent.order']]).toEqual(
      [50, 2_000, 7_000, ['opencode']],
    )
    expect(unused).toEqual([
      {
        name: 'claude',
        where: '.ralph/config.json',
        remark: 'only the back-off seconds are used (retry.first, retry.max)',
      },
      { name: 'hooks', where: '.ralph/config.json', remark: 'hooks are not supported yet' },
      { name: 'mine', where: '.ralph/config.json', remark: 'not a setting of Ralph' },
    ])
  })
})

describe('mistakes are refused with the place, what was found and what is expected', () => {
  test.each<[string, SettingsFixture, { code: string; message: string; hint: string | undefined }]>([
    [
      'a flag',
      { flags: { calls: 'many' } },
      {
        code: 'bad-setting',
        message: '--calls: found "many", expected a whole number of at least 0',
        hint: undefined,
      },
    ],
    [
      'the environment',
      { env: { CLAUDE_OUTPUT_FORMAT: 'xml' } },
      {
        code: 'bad-setting',
        message: 'environment variable CLAUDE_OUTPUT_FORMAT: found "xml", expected "stream-json" or "json" or "text"',
        hint: 'Fix it or unset it: unset CLAUDE_OUTPUT_FORMAT',
      },
    ],
    [
      'a value in .ralph.toml',
      { files: { '.ralph.toml': '# x\n[quota]\n\ncalls_per_hour = "5"' } },
      {
        code: 'bad-setting',
        message: '.ralph.toml:4: quota.calls_per_hour: found "5", expected a whole number of at least 0',
        hint: 'Fix it in .ralph.toml',
      },
    ],
    [
      'a value in an inline table',
      { files: { '.ralph.toml': '\nquota = { calls_per_hour = -1 }' } },
      {
        code: 'bad-setting',
        message: '.ralph.toml:2: quota.calls_per_hour: found -1, expected a whole number of at least 0',
        hint: 'Fix it in .ralph.toml',
      },
    ],
    [
      'a value in .ralphrc, even when a flag is stronger',
      { files: { '.ralphrc': '\nMAX_CALLS_PER_HOUR=abc' }, flags: { calls: '5' } },
      {
        code: 'bad-setting',
        message: '.ralphrc:2: MAX_CALLS_PER_HOUR: found "abc", expected a whole number of at least 0',
        hint: 'Fix it in .ralphrc',
      },
    ],
    [
      'a key that is nearly right',
      { files: { '.ralph.toml': '[quota]\ncalls_per_hours = 5' } },
      {
        code: 'unknown-setting',
        message: '.ralph.toml:2: unknown setting quota.calls_per_hours',
        hint: 'Did you mean quota.calls_per_hour?',
      },
    ],
    [
      'a key in the wrong group',
      { files: { '.ralph.toml': '[limits]\ncalls_per_hour = 5' } },
      {
        code: 'unknown-setting',
        message: '.ralph.toml:2: unknown setting limits.calls_per_hour',
        hint: 'Did you mean quota.calls_per_hour?',
      },
    ],
    [
      'gates as lines of one table',
      { files: { '.ralph.toml': '[gates]\ntest = "npm test"' } },
      {
        code: 'unknown-setting',
        message: '.ralph.toml:2: unknown setting gates.test',
        hint: 'Did you mean [[gate]]? Each gate is a separate table: name = "test", run = "npm test"',
      },
    ],
    [
      'a key that only shares its group with others',
      { files: { '.ralph.toml': '[proof]\nrefusals = 5' } },
      {
        code: 'unknown-setting',
        message: '.ralph.toml:2: unknown setting proof.refusals',
        hint: 'Remove it. `ralph config list` then shows all settings.',
      },
    ],
    [
      'an old name in the new file',
      { files: { '.ralph.toml': 'CB_AUTO_RESET = true' } },
      {
        code: 'unknown-setting',
        message: '.ralph.toml:1: unknown setting CB_AUTO_RESET',
        hint: 'Did you mean breaker.auto_reset?',
      },
    ],
    [
      "a key that nobody knows, in the user's file",
      { files: { '~/.config/ralph/config.toml': '[zzzzzz]\n' } },
      {
        code: 'unknown-setting',
        message: '~/.config/ralph/config.toml:1: unknown setting zzzzzz',
        hint: 'Remove it. `ralph config list` then shows all settings.',
      },
    ],
    [
      'a file that is not TOML',
      { files: { '.ralph.toml': 'a = 1\nb = = 2\n' } },
      {
        code: 'bad-setting',
        message: expect.stringMatching(/^\.ralph\.toml:2:5: .+: b = = 2$/) as string,
        hint: 'Fix line 2 of .ralph.toml',
      },
    ],
    [
      'a file that is not JSON',
      { files: { '.ralph/config.json': '{' } },
      {
        code: 'bad-setting',
        message: expect.stringMatching(/^\.ralph\/config\.json is not valid JSON: /) as string,
        hint: 'Fix .ralph/config.json, or move its settings to .ralph.toml',
      },
    ],
    [
      'a JSON file that is no object',
      { files: { '.ralph/config.json': '[]' } },
      {
        code: 'bad-setting',
        message: '.ralph/config.json is not a JSON object',
        hint: 'Fix .ralph/config.json, or move its settings to .ralph.toml',
      },
    ],
    [
      'a command with an open quote',
      { env: { CLAUDE_CODE_CMD: 'npx "claude' } },
      {
        code: 'bad-setting',
        message:
          'environment variable CLAUDE_CODE_CMD: found "npx \\"claude", expected a command line without an unclosed quote',
        hint: 'Fix it or unset it: unset CLAUDE_CODE_CMD',
      },
    ],
    [
      'no agent at all',
      { flags: { agent: ',' } },
      {
        code: 'bad-setting',
        message: '--agent: found no name, expected at least one agent',
        hint: undefined,
      },
    ],
  ])('%s', async (_, place, refusal) => {
    expect(await settingsErrorOf(place)).toEqual(refusal)
  })
})

test('without a word from anybody, the rules are the defaults', async () => {
  const defaults = Object.fromEntries(RULE_KEYS.map((key) => [key, ruleByName(key).default]))
  const said = rulesFromSettings(defaults as unknown as RuleSettingValues, 'bash')
  const rules: Rules = { ...said, agent: { ...said.agent, output: 'json' }, gates: [] }
  expect((await settingsOf({})).rules()).toEqual(rules)
})

test('the rules hold what was chosen', async () => {
  const settings = await settingsOf({
    files: {
      '.ralph.toml': [
        'agent = ["codex", "claude"]',
        'loop = { plan = "none", max_iterations = "auto", commit = "iteration" }',
        'budget = { usd = 5, minutes = "2h" }',
        'exit = { confirm = 3 }',
        '[[gate]]',
        'name = "test"',
        'run = "npm test"',
      ].join('\n'),
    },
  })
  const { loop, budget, agent, exit, gates } = settings.rules()
  expect({
    plan: loop.plan,
    iterationsMax: loop.iterationsMax,
    commit: loop.commit,
    budget,
    order: agent.order,
    confirm: exit.confirm,
    gates,
  }).toEqual({
    plan: null,
    iterationsMax: 20,
    commit: 'iteration',
    budget: { usd: 5, tokens: null, minutes: 120, reserveUsd: 1 },
    order: ['codex', 'claude'],
    confirm: 3,
    gates: [{ name: 'test', run: 'npm test', timeoutMs: 600_000, when: 'completion', cwd: '.', env: {} }],
  })
})

test.each<[what: string, files: Record<string, string>, max: number]>([
  ['a project with .ralph.toml', { '.ralph.toml': '' }, 20],
  ['one that lifts the limit', { '.ralph.toml': '[loop]\nmax_iterations = 0' }, 0],
  ['a project of the bash tool', { '.ralphrc': 'MAX_CALLS_PER_HOUR=50' }, 0],
  ['one that has both files', { '.ralph.toml': '', '.ralphrc': '' }, 20],
])('the iterations of %s', async (_what, files, max) => {
  expect((await settingsOf({ files })).rules().loop.iterationsMax).toBe(max)
})

test.each([
  ['agent.model', '[agent]\nmodel = "--mcp-config=./evil.json"', '"--mcp-config=./evil.json"'],
  ['agent.effort', '[agent]\neffort = "-c"', '"-c"'],
  ['agent.tools', '[agent]\ntools = ["Read", "--mcp-config", "./evil.json"]', '"--mcp-config"'],
])('%s cannot bring a flag into the command line of the agent', async (key, toml, found) => {
  expect((await settingsErrorOf({ files: { '.ralph.toml': toml } })).message).toBe(
    `.ralph.toml:2: ${key}: found ${found}, expected a word that doesn't start with a dash`,
  )
})

describe('a tool list with a slip of the pen', () => {
  test.each<[string, SettingsFixture, string]>([
    ['flag', { flags: { 'allowed-tools': 'Read,Bash()' } }, '--allowed-tools: found "Bash()", expected something'],
    ['flag', { flags: { allow: 'Bash(git *' } }, '--allow: found "Bash(git *", expected a closing bracket'],
    [
      '.ralphrc',
      { files: { '.ralphrc': 'MAX_CALLS_PER_HOUR=9\nALLOWED_TOOLS="Write,Bash(git *,Read"\n' } },
      '.ralphrc:2: ALLOWED_TOOLS: found "Bash(git *,Read", expected a closing bracket',
    ],
    [
      '.ralph.toml',
      { files: { '.ralph.toml': '[agent]\ntools = ["Read", "Bash()"]\n' } },
      '.ralph.toml:2: agent.tools: found "Bash()", expected something between the brackets, or Bash alone',
    ],
    [
      'environment',
      { env: { CLAUDE_ALLOWED_TOOLS: 'Bash()' } },
      'environment variable CLAUDE_ALLOWED_TOOLS: found "Bash()", expected something',
    ],
  ])('is refused: %s', async (_, place, message) => {
    expect((await settingsErrorOf(place)).message).toContain(message)
  })
})

describe('the old flags with a unit', () => {
  test.each<[flag: string, values: string[], expected: string]>([
    ['timeout', ['0', '121', '1.5', '-1', '007', '2h', 'x', '+5', ' 5'], 'a whole number of minutes from 1 to 120'],
    ['session-expiry', ['0', '024', '1.5', '-1', '2h', 'x'], 'a whole number of hours from 1'],
  ])('--%s takes whole numbers as it did', async (flag, values, expected) => {
    for (const value of values)
      expect((await settingsErrorOf({ flags: { [flag]: value } })).message).toBe(
        `--${flag}: found "${value}", expected ${expected}`,
      )
  })

  test.each<[string, SettingKey, Record<string, string>, number]>([
    ['1', 'agent.timeout', { timeout: '1' }, 60_000],
    ['120', 'agent.timeout', { timeout: '120' }, 7_200_000],
    ['1', 'agent.conversation_hours', { 'session-expiry': '1' }, 3_600_000],
    ['720', 'agent.conversation_hours', { 'session-expiry': '720' }, 2_592_000_000],
  ])('%s for %s', async (_, key, flags, value) => {
    expect((await chosen({ flags }, key)).value).toBe(value)
  })

  test('other places may say more, but nothing absurd', async () => {
    const rc = 'CLAUDE_TIMEOUT_MINUTES=600\nSESSION_EXPIRY_HOURS=08\n'
    const { values } = await settingsOf({ files: { '.ralphrc': rc } })
    expect([values['agent.timeout'], values['agent.conversation_hours']]).toEqual([36_000_000, 28_800_000])
    const env = { CLAUDE_TIMEOUT_MINUTES: '999999999' }
    expect((await settingsErrorOf({ env })).message).toContain('from 0 to 168h')
    const absurd = { '.ralphrc': 'SESSION_EXPIRY_HOURS=999999\n' }
    expect((await settingsErrorOf({ files: absurd })).message).toMatch(
      /^\.ralphrc:1: SESSION_EXPIRY_HOURS: .*to 10000h$/,
    )
    const none = { '.ralphrc': 'SESSION_EXPIRY_HOURS=0\n' }
    expect((await settingsErrorOf({ files: none })).message).toContain('SESSION_EXPIRY_HOURS: found "0"')
  })
})

test('what the proof goes by', async () => {
  const settings = await settingsOf({
    files: {
      '.ralph.toml': [
        '[proof]',
        'level = "quick"',
        'source = ["lib/**"]',
        'trials = 3',
        'allow_tests = "test/**"',
        'allow_protected = ["data/*.csv"]',
        '[workspace]',
        'copy = [".env"]',
      ].join('\n'),
    },
  })
  const { level, source, trials, mayChange, copy } = settings.rules().proof
  expect({ level, source, trials, mayChange, copy }).toEqual({
    level: 'quick',
    source: ['lib/**'],
    trials: 3,
    mayChange: { tests: ['test/**'], protectedFiles: ['data/*.csv'] },
    copy: ['.env'],
  })
})
