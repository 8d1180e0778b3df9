import { describe, expect, test } from 'vitest'
import {
  GATE_RECEIVER,
  buildEnvironment,
  minimalEnvironment,
  variableRuleFor,
  secretsIn,
  withheldVariables,
  type EnvPolicy,
  type EnvReceiver,
  envAdditionProblem,
} from './environment.ts'
import {
  looksSecret,
  VARIABLE_RULES,
  SECRET_SHAPES,
  SECRET_MAX_LENGTH,
  SECRET_MIN_LENGTH,
  SECRET_CHARACTERS,
} from './variable-rules.ts'

const CLAUDE: EnvReceiver = { is: 'agent', keys: ['ANTHROPIC_*', 'CLAUDE_*'] }
const FILTERED: EnvPolicy = { mode: 'filtered', pass: [] }

const A40 = 'a1B2c3D4e5'.repeat(4)

/** What a gate gets of a variable whose name says this. */
const FATES = { session: 'session', injects: 'injects', secret: 'secret', gates: 'handed', fine: 'handed' }

function split(variable: string): [name: string, value: string] {
  const [name = '', ...value] = variable.split('=')
  return [name, value.join('=')]
}

function rowOf(variable: string): string | undefined {
  return variableRuleFor(...split(variable))?.row
}

/** What becomes of one variable: `handed`, or why it is withheld. */
function fate(variable: string, receiver: EnvReceiver = GATE_RECEIVER, envPolicy: EnvPolicy = FILTERED): string {
  const [name, value] = split(variable)
  const { env, withheld } = buildEnvironment({ [name]: value }, { envPolicy, receiver, caseless: false })
  return env[name] === value ? 'handed' : (withheld.get(name) ?? 'lost')
}

describe('names: every row', () => {
  /** By the row's own name: variables it is for, and variables that only look like it. */
  const rows: Record<string, { fits: string[]; not: string[] }> = {
    "claude's session": {
      fits: ['CLAUDECODE=1', 'CLAUDE_CODE_ENTRYPOINT=cli'],
      not: ['CLAUDE_CODE_MAX_RETRIES=1'],
    },
    "codex's session": { fits: ['CODEX_SANDBOX=seatbelt', 'CODEX_THREAD_ID=1'], not: ['CODEX_HOME=/x'] },
    "other agents' sessions": {
      fits: ['GEMINI_CLI=1', 'CURSOR_AGENT=1'],
      not: ['GEMINI_CLI_NO_RELAUNCH=true'],
    },
    'who commits': { fits: ['GIT_AUTHOR_NAME=Ada', 'GIT_COMMITTER_EMAIL=a@b.c'], not: ['GIT_AUTHORS=x'] },
    git: { fits: ['GIT_DIR=/x', 'GIT_SSH_COMMAND=ssh', 'GIT_CONFIG_COUNT=1'], not: ['GITHUB_ACTIONS=true'] },
    'the loader': {
      fits: ['LD_PRELOAD=/x.so', 'DYLD_INSERT_LIBRARIES=/x', 'GCONV_PATH=/x'],
      not: ['LDFLAGS=-lm', 'RUSTC_WRAPPER=sccache'],
    },
    "a shell's start": {
      fits: ['BASH_ENV=/x', 'BASH_FUNC_ls%%=() { :; }', 'CDPATH=..', 'ZDOTDIR=/x'],
      not: ['BASH_VERSION=5'],
    },
    "a shell's file": { fits: ['ENV=/home/a/.shrc'], not: ['ENV=test', 'NODE_ENV=test'] },
    node: { fits: ['NODE_OPTIONS=--require /x'], not: ['NODE_PATH=/x', 'NODE_ENV=test', 'NVM_DIR=/x'] },
    python: {
      fits: ['PYTHONSTARTUP=/x', 'PYTHONHOME=/x', 'PYTHONBREAKPOINT=x.y'],
      not: ['PYTHONPATH=src', 'PYENV_ROOT=/x'],
    },
    'perl, ruby, lua': {
      fits: ['PERL5OPT=-Mx', 'RUBYOPT=-rx', 'LUA_INIT_5_4=@x'],
      not: ['PERL5LIB=/x', 'RUBYLIB=/x'],
    },
    java: {
      fits: ['JAVA_TOOL_OPTIONS=-javaagent:x', '_JAVA_OPTIONS=-x'],
      not: ['JAVA_HOME=/x', 'MAVEN_OPTS=-Xmx1g'],
    },
    '.net': { fits: ['DOTNET_STARTUP_HOOKS=/x.dll', 'CORECLR_PROFILER_PATH_64=/x'], not: ['DOTNET_ROOT=/x'] },
    'later steps': {
      fits: ['GITHUB_ENV=/x', 'GITHUB_PATH=/x'],
      not: ['GITHUB_SHA=0123abcd', 'GITHUB_WORKSPACE=/x'],
    },
    helpers: { fits: ['SSH_ASKPASS=/x', 'LESSOPEN=|x %s'], not: ['LESS=-R'] },
    'the ssh agent': { fits: ['SSH_AUTH_SOCK=/tmp/agent.1'], not: ['SSH_AGENT_PID=1'] },
    'doors to a login': {
      fits: ['AWS_CONTAINER_CREDENTIALS_FULL_URI=http://x', 'VSCODE_GIT_IPC_HANDLE=/x'],
      not: ['VSCODE_PID=1'],
    },
    'settings with keys': {
      fits: [
        'OPENCODE_CONFIG_CONTENT={}',
        'BUNDLE_GEMS__EXAMPLE__COM=a:b',
        'DIRENV_DIFF=eJzT',
        'OTEL_EXPORTER_OTLP_HEADERS=k=v',
      ],
      not: ['BUNDLE_PATH=/x', 'OPENCODE_CONFIG=/x', 'DIRENV_DIR=-/x'],
    },
    webhook: { fits: ['SLACK_WEBHOOK_URL=https://x', 'DEPLOY_WEBHOOK=https://x'], not: ['WEBHOOK_PORT=80'] },
    'about something': {
      fits: [
        'DATABASE_URL=postgres://me:secret@db/x',
        'AWS_WEB_IDENTITY_TOKEN_FILE=/x',
        'SECRET_NAME=x',
        'AUTH_MODE=x',
      ],
      not: ['SECRET_NAME_2=x'],
    },
    "where google's login is": {
      fits: ['GOOGLE_APPLICATION_CREDENTIALS=/home/ada/key.json', 'GOOGLE_APPLICATION_CREDENTIALS=C:\\key.json'],
      not: ['GOOGLE_APPLICATION_CREDENTIALS={"private_key":"x"}', 'GOOGLE_CREDENTIALS=/x'],
    },
    token: {
      fits: ['GITHUB_TOKEN=x', 'GH_TOKEN=x', 'npm_config_//npm.example/:_authToken=x', 'TOKEN_OLD=x'],
      not: ['MAX_TOKENS=9', 'TOKENIZERS_PARALLELISM=1'],
    },
    secret: {
      fits: ['AWS_SECRET_ACCESS_KEY=x', 'SECRET_KEY_BASE=x', 'clientSecret=x'],
      not: ['SECRETARY=x'],
    },
    password: {
      fits: ['PGPASSWORD=x', 'DB_PASS=x', 'MYSQL_PWD=x', 'SSHPASS=x'],
      not: ['BYPASS=1', 'COMPASS=n'],
    },
    key: {
      fits: ['ANTHROPIC_API_KEY=x', 'AWS_ACCESS_KEY_ID=x', 'apiKey=x', 'DEPLOY_KEY=x', 'API_KEY_2=x'],
      not: ['KEYBOARD=us', 'MONKEY=x', 'KEY_REPEAT=2'],
    },
    credentials: { fits: ['GOOGLE_APPLICATION_CREDENTIALS={"type":1}', 'CI_CREDS=x'], not: ['CREDIT=x'] },
    auth: {
      fits: ['REDISCLI_AUTH=x', 'GITHUB_PAT=x', 'SESSION_COOKIE=x'],
      not: ['AUTHOR=Ada', 'XAUTHORITY=/x'],
    },
    'every machine has it': { fits: [`PATH=/srv/ghp_${A40}/bin`, 'CI=true'], not: ['PATHS=x', 'CITY=x'] },
  }
  test('each row is shown', () => expect(Object.keys(rows)).toEqual(VARIABLE_RULES.map(({ row }) => row)))

  test.each(VARIABLE_RULES)('$row', ({ row, says }) => {
    const { fits = [], not = [] } = rows[row] ?? {}
    expect(fits.map((one) => rowOf(one))).toEqual(fits.map(() => row))
    expect(fits.map((one) => fate(one))).toEqual(fits.map(() => FATES[says]))
    expect(not.map((one) => rowOf(one))).not.toContain(row)
  })
})

describe('shapes: every row', () => {
  const samples: Record<string, string> = {
    Anthropic: 'sk-ant-api03-AbCdEfGhIjKlMnOpQr',
    'OpenAI, of a project': `sk-proj-${A40}`,
    OpenRouter: `sk-or-v1-${'0f'.repeat(32)}`,
    'OpenAI and many others': 'sk-test-1234567890abcdef',
    Stripe: 'sk_live_51HabcDEFghiJKLmno',
    'Stripe, for tests': 'sk_test_51HabcDEFghiJKLmno',
    'GitHub, of a person': `ghp_${A40.slice(4)}`,
    'GitHub, of an app for a person': `gho_${A40.slice(4)}`,
    'GitHub, of an app in a browser': `ghu_${A40.slice(4)}`,
    'GitHub, of a workflow': `ghs_${A40.slice(4)}`,
    'GitHub, to renew': `ghr_${A40.slice(4)}`,
    'GitHub, fine-grained': `github_pat_11AAAAAAA0_${A40}`,
    GitLab: 'glpat-AbCdEf-12345678_90xyz',
    Slack: 'xoxb-123456789012-AbCdEfGhIjKl',
    npm: `npm_${A40.slice(4)}`,
    PyPI: `pypi-AgEIcHlwaS5vcmc${A40}`,
    'Hugging Face': `hf_${A40.slice(6)}`,
    Groq: `gsk_${A40}`,
    xAI: `xai-${A40}`,
    'AWS, lasting': 'AKIAABCDEFGHIJKLMNOP',
    'AWS, for a while': 'ASIAABCDEFGHIJKLMNOP',
    Google: `AIza${A40}`,
    'Google, for a while': `ya29.${A40}`,
    'a JSON web token': 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.AbCdEf-GhIjKl_0123',
  }

  test('each row is shown', () => expect(Object.keys(samples)).toEqual(SECRET_SHAPES.map(({ what }) => what)))

  test.each(SECRET_SHAPES)('$what', ({ what, begins }) => {
    const secret = samples[what] ?? ''
    expect([secret.startsWith(begins), looksSecret(secret), looksSecret(`"${secret}",`)]).toEqual([true, true, true])
    expect([looksSecret(`a${secret}`), looksSecret(secret.slice(0, begins.length + 6))]).toEqual([false, false])
    expect(fate(`SOMETHING=${secret}`)).toBe('looks-secret')
    // What a stream relies on.
    expect(secret.replaceAll(new RegExp(SECRET_CHARACTERS, 'g'), '')).toBe('')
    expect(secret.length >= SECRET_MIN_LENGTH && secret.length <= SECRET_MAX_LENGTH).toBe(true)
  })

  test('a private key', () => {
    const key = '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----'
    expect([looksSecret(key), looksSecret(key.replaceAll('PRIVATE', 'PUBLIC'))]).toEqual([true, false])
  })

  test.each([
    'postgres://user:pa55word@localhost:5432/app',
    'sk-learn-experiments-2024',
    'task-3f786850e387550fdab836ed7e6dc881de23001b',
    '3f786850e387550fdab836ed7e6dc881de23001b',
    '123e4567-e89b-12d3-a456-426614174000',
    'msg_01XFDUDYJgAACzvnptvVoYEL',
    'toolu_01A09q90qw90lq917835lq9',
    'chatcmpl-9nYxAbCdEf0123456789',
    'npm_config_registry_of_the_whole_company_is_here',
    'eyJ is how base64 of JSON begins',
    'AKIA is a beginning',
  ])('%s is none', (text) => expect(looksSecret(text)).toBe(false))
})

test('a developer with a full environment: gates get what real projects need, and no secret', () => {
  const needed = {
    DATABASE_URL: 'postgres://app:pw@localhost/app_test',
    REDIS_URL: 'redis://:pw@localhost',
    JAVA_HOME: '/usr/lib/jvm/21',
    VIRTUAL_ENV: '/home/ada/p/.venv',
    SSH_AUTH_SOCK: '/tmp/ssh-x/agent.1',
    GOPATH: '/home/ada/go',
    CARGO_HOME: '/home/ada/.cargo',
    NVM_DIR: '/home/ada/.nvm',
    PYENV_ROOT: '/home/ada/.pyenv',
    PYTHONPATH: 'src',
    CI: 'true',
    DISPLAY: ':0',
    DOCKER_HOST: 'unix:///run/user/1/docker.sock',
    AWS_REGION: 'eu-central-1',
    AWS_PROFILE: 'dev',
    KUBECONFIG: '/home/ada/.kube/config',
    NODE_ENV: 'test',
    PORT: '3000',
    RAILS_ENV: 'test',
    ANDROID_HOME: '/opt/android',
  }
  const secrets = {
    ANTHROPIC_API_KEY: 'k',
    AWS_SECRET_ACCESS_KEY: 'k',
    AWS_SESSION_TOKEN: 'k',
    GITHUB_TOKEN: 'k',
    PGPASSWORD: 'k',
    NPM_TOKEN: 'k',
    STRANGE: `ghp_${A40}`,
  }
  const injecting = { NODE_OPTIONS: '--require x', LD_PRELOAD: 'x', GIT_DIR: '/x' }
  const all = { ...needed, ...secrets, ...injecting, PWD: '/x', SHLVL: '2', RALPH_AGENT: 'codex' }
  const { env, withheld } = buildEnvironment(all, {
    envPolicy: FILTERED,
    receiver: GATE_RECEIVER,
    caseless: false,
  })
  expect(env).toEqual(needed)
  expect(Object.fromEntries(withheld)).toEqual({
    ...Object.fromEntries(Object.keys(secrets).map((name) => [name, 'secret'])),
    STRANGE: 'looks-secret',
    ...Object.fromEntries(Object.keys(injecting).map((name) => [name, 'injects'])),
    PWD: 'shell',
    SHLVL: 'shell',
    RALPH_AGENT: 'ours',
  })
})

describe('who gets what', () => {
  test('the key of an agent goes to that agent only', () => {
    expect([
      fate('ANTHROPIC_API_KEY=k', CLAUDE),
      fate('OPENAI_API_KEY=k', CLAUDE),
      fate('ANTHROPIC_API_KEY=k'),
    ]).toEqual(['handed', 'secret', 'secret'])
  })

  test('the ssh agent is for gates, and for an agent only when it is asked for', () => {
    const asked: EnvPolicy = { mode: 'filtered', pass: ['SSH_AUTH_SOCK'] }
    const sock = 'SSH_AUTH_SOCK=/tmp/agent'
    expect([fate(sock), fate(sock, CLAUDE), fate(sock, CLAUDE, asked)]).toEqual(['handed', 'asked-only', 'handed'])
  })

  test('env.pass hands on what it names; a pattern does not reach the signs of another session, nor ours', () => {
    const whole: EnvPolicy = {
      mode: 'filtered',
      pass: ['GITHUB_TOKEN', 'LD_LIBRARY_PATH', 'CLAUDECODE', 'RALPH_X'],
    }
    const pattern: EnvPolicy = { mode: 'filtered', pass: ['*'] }
    const names = ['GITHUB_TOKEN', 'LD_LIBRARY_PATH', 'CLAUDECODE', 'RALPH_X']
    expect(names.map((name) => fate(name, CLAUDE, whole))).toEqual(names.map(() => 'handed'))
    expect(names.map((name) => fate(name, CLAUDE, pattern))).toEqual(['handed', 'handed', 'session', 'ours'])
  })

  test('a session of its own vendor is not handed to an agent, though its name is like a key of its', () => {
    expect([fate('CLAUDE_CODE_ENTRYPOINT=cli', CLAUDE), fate('CLAUDECODE=1', CLAUDE)]).toEqual(['session', 'session'])
  })

  test('in mode listed there is the list, the own keys, and what was passed', () => {
    const how: EnvPolicy = { mode: 'listed', pass: ['MINE'] }
    const names = ['PATH', 'LC_ALL', 'https_proxy', 'MINE', 'ANTHROPIC_API_KEY', 'DATABASE_URL', 'SSH_AUTH_SOCK']
    expect(names.map((name) => fate(name, CLAUDE, how))).toEqual([
      ...Array<string>(5).fill('handed'),
      'not-listed',
      'not-listed',
    ])
  })

  test('where names know no case, neither do the lists', () => {
    const options = {
      envPolicy: { mode: 'listed', pass: ['mine'] } as const,
      receiver: GATE_RECEIVER,
      caseless: true,
    }
    expect(buildEnvironment({ Path: 'a', MINE: 'b', Other: 'c' }, options).env).toEqual({
      Path: 'a',
      MINE: 'b',
    })
  })
})

test("Ralph's own helpers get the list and what is passed", () => {
  const env = { PATH: 'a', DATABASE_URL: 'b', GH_TOKEN: 'c', EMPTY: undefined }
  expect(minimalEnvironment(env, { pass: ['GH_*'], caseless: false })).toEqual({ PATH: 'a', GH_TOKEN: 'c' })
})

test('what is withheld is told with who goes without it, why, and the line that hands it on; never a value', () => {
  const env = {
    GH_TOKEN: 'value-1',
    ANTHROPIC_API_KEY: 'value-2',
    SSH_AUTH_SOCK: '/value-3',
    PWD: '/',
    RALPH_X: 'y',
  }
  const receivers = { claude: CLAUDE, gates: GATE_RECEIVER }
  expect(withheldVariables(env, { envPolicy: { mode: 'filtered', pass: ['A'] }, receivers, caseless: false })).toEqual([
    {
      name: 'ANTHROPIC_API_KEY',
      from: ['gates'],
      why: 'its name looks like a secret',
      line: 'env.pass = ["A", "ANTHROPIC_API_KEY"]',
    },
    {
      name: 'GH_TOKEN',
      from: ['claude', 'gates'],
      why: 'its name looks like a secret',
      line: 'env.pass = ["A", "GH_TOKEN"]',
    },
    {
      name: 'SSH_AUTH_SOCK',
      from: ['claude'],
      why: 'it gives access to your ssh agent; only gates get it',
      line: 'env.pass = ["A", "SSH_AUTH_SOCK"]',
    },
  ])
})

test('secrets of an environment are known by their names and by their looks', () => {
  const env = {
    PATH: '/bin',
    GH_TOKEN: 'one',
    RALPH_WEBHOOK_URL: 'two',
    MY_PASSWORD: 'three',
    LD_PRELOAD: 'no secret',
    PLAIN: `ghp_${A40}`,
    EMPTY_KEY: '',
    NONE_KEY: undefined,
  }
  expect(secretsIn(env)).toEqual(['one', 'two', 'three', `ghp_${A40}`])
})

describe('what an agent may add for a command that is run for it', () => {
  test.each<[name: string, why: string | null, value?: string]>([
    ['CI', null],
    ['PYTHONPATH', null],
    // Its secrets are its own affair.
    ['DATABASE_PASSWORD', null],
    ['ENV', null, 'test'],
    ['ENV', 'it makes programs run code that the project did not ask for', './rc'],
    ['NODE_OPTIONS', 'it makes programs run code that the project did not ask for'],
    ['GIT_SSH_COMMAND', 'it makes programs run code that the project did not ask for'],
    ['CLAUDECODE', 'it belongs to the agent session that started Ralph'],
    ['SSH_AUTH_SOCK', 'it gives access to your ssh agent; only gates get it'],
    ['RALPH_EFFECT', "it is one of Ralph's own variables"],
    ['ralph_effect', "it is one of Ralph's own variables"],
    ['PATH', 'it decides where programs and settings are found'],
    ['Path', 'it decides where programs and settings are found'],
    ['HOME', 'it decides where programs and settings are found'],
    ['XDG_CONFIG_HOME', 'it decides where programs and settings are found'],
    ['XDG_CACHE_HOME', null],
    ['NODE_PATH', null],
    ['npm_config_loglevel', null],
    ['npm_config_script_shell', 'it decides where programs and settings are found'],
    ['NPM_CONFIG_USERCONFIG', 'it decides where programs and settings are found'],
    ...[
      'RUSTC_WRAPPER',
      'OPENSSL_CONF',
      'OPENSSL_MODULES',
      'GTK_MODULES',
      'RIPGREP_CONFIG_PATH',
      'GH_PAGER',
      'MAKEFLAGS',
      'CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER',
      'GOFLAGS',
      'PIP_INDEX_URL',
      'PIP_EXTRA_INDEX_URL',
      'PYTHONWARNINGS',
      'MAVEN_OPTS',
      'KUBECONFIG',
    ].map((name): [string, string] => [name, 'it decides where programs and settings are found']),
    ...['GIT_EXEC_PATH', 'PYTHONSTARTUP', 'PERL5OPT', 'RUBYOPT', 'JAVA_TOOL_OPTIONS', 'GCONV_PATH', 'LESSOPEN'].map(
      (name): [string, string] => [name, 'it makes programs run code that the project did not ask for'],
    ),
    ...['RUST_LOG', 'CARGO_TERM_COLOR', 'DEBUG', 'LESSONS', 'PIP_NO_INPUT', 'CCACHE_DIR'].map(
      (name): [string, null] => [name, null],
    ),
  ])('%s: %s', (name, why, value = 'x') => {
    expect(envAdditionProblem(name, value)).toBe(why)
  })
})
