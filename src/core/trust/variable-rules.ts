/**
 * Which variables of the user's environment agents and gates do not get, as two tables: names, and shapes of values. Names come first and
 * win: the value of a known name is not checked. `environment.ts` decides by these tables; `redact.ts` and `system/mask/mask.ts` also
 * search texts for the shapes.
 */
import { escapeRegExp } from '../text/sanitize.ts'

/** What a name says about its variable. `gates`: gates get it, an agent only by `env.pass`. */
type NameSays = 'session' | 'injects' | 'secret' | 'gates' | 'fine'

export interface VariableRule {
  row: string
  /** Matched against the name in capitals (`apiKey` as `API_KEY`), with `_` for every character that is no letter or digit. */
  name: RegExp
  /** The row matches only if the value matches this too. */
  value?: RegExp
  says: NameSays
}

/** The first matching row decides. A variable injects if it makes code run that the project did not ask for. Variables for what a project
 *  itself loads (PYTHONPATH, NODE_PATH, PERL5LIB, MAVEN_OPTS, GOFLAGS) are passed on, and so is RUSTC_WRAPPER: it names the
 *  compiler cache (sccache), without which every gate compiles everything. */
export const VARIABLE_RULES: readonly VariableRule[] = [
  // Marks of the agent session that started Ralph; one vendor's program refuses to start inside its own session.
  {
    row: "claude's session",
    name: /^(?:CLAUDECODE|CLAUDE_CODE_(?:ENTRYPOINT|SSE_PORT|SESSION_ID|CHILD_SESSION|EXECPATH)|CLAUDE_(?:PID|ENV_FILE|PROJECT_DIR|AGENT_SDK_VERSION))$/,
    says: 'session',
  },
  {
    row: "codex's session",
    name: /^CODEX_(?:SANDBOX|SANDBOX_NETWORK_DISABLED|THREAD_ID|CI|INTERNAL_ORIGINATOR_OVERRIDE)$/,
    says: 'session',
  },
  {
    row: "other agents' sessions",
    name: /^(?:AI_AGENT|GEMINI_CLI|OPENCODE|OPENCODE_PID|COPILOT_CLI|CURSOR_AGENT|CURSOR_TRACE_ID)$/,
    says: 'session',
  },

  { row: 'who commits', name: /^GIT_(?:AUTHOR|COMMITTER)_|^GIT_SSL_CAINFO$/, says: 'fine' },
  { row: 'git', name: /^GIT_/, says: 'injects' },
  // glibc loads the modules that turn one encoding into another from GCONV_PATH.
  { row: 'the loader', name: /^(?:LD|DYLD)_|^GCONV_PATH$/, says: 'injects' },
  {
    row: "a shell's start",
    name: /^(?:BASH_ENV|ZDOTDIR|PROMPT_COMMAND|PS4|SHELLOPTS|BASHOPTS|CDPATH)$|^BASH_FUNC_/,
    says: 'injects',
  },
  // `ENV=test` belongs to a project, `ENV=~/.shrc` to a shell.
  { row: "a shell's file", name: /^ENV$/, value: /[/\\]/, says: 'injects' },
  { row: 'node', name: /^(?:NODE_OPTIONS|NODE_REPL_EXTERNAL_MODULE)$/, says: 'injects' },
  {
    row: 'python',
    name: /^(?:PYTHONSTARTUP|PYTHONHOME|PYTHONINSPECT|PYTHONBREAKPOINT|PYTEST_PLUGINS)$/,
    says: 'injects',
  },
  { row: 'perl, ruby, lua', name: /^(?:PERL5OPT|PERL5DB|RUBYOPT|LUA_INIT(?:_\d_\d)?)$/, says: 'injects' },
  { row: 'java', name: /^(?:JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS)$/, says: 'injects' },
  { row: '.net', name: /^(?:DOTNET_STARTUP_HOOKS|(?:CORECLR|COR)_(?:ENABLE_PROFILING|PROFILER\w*))$/, says: 'injects' },
  // Files from which later steps of a workflow, with more permissions than this one, take variables and programs.
  { row: 'later steps', name: /^GITHUB_(?:ENV|PATH|OUTPUT|STATE|STEP_SUMMARY)$/, says: 'injects' },
  // Programs that ask a person, who is absent; and programs that a pager starts.
  { row: 'helpers', name: /_ASKPASS$|^LESS(?:OPEN|CLOSE)$/, says: 'injects' },

  { row: 'the ssh agent', name: /^SSH_AUTH_SOCK$/, says: 'gates' },
  { row: 'doors to a login', name: /^(?:AWS_CONTAINER|VSCODE_GIT)_/, says: 'secret' },
  // DIRENV_DIFF holds what direnv changed in the environment, compressed: every key of an `.envrc`.
  {
    row: 'settings with keys',
    name: /^(?:OPENCODE_CONFIG_CONTENT|DOCKER_AUTH_CONFIG|DIRENV_DIFF)$|^BUNDLE_.+__|_HEADERS$/,
    says: 'secret',
  },
  { row: 'webhook', name: /WEBHOOK(?:_UR[IL])?$/, says: 'secret' },
  // The path, lifetime or name of a secret, not the secret itself.
  {
    row: 'about something',
    name: /_(?:FILE|PATH|DIR|UR[IL]|ENDPOINT|HOST|PORT|NAME|TYPE|MODE|LENGTH|SIZE|TTL|TIMEOUT|ALGORITHM|ENABLED|VERSION)$/,
    says: 'fine',
  },
  // A path, despite its name; some people put the content of the file there.
  { row: "where google's login is", name: /^GOOGLE_APPLICATION_CREDENTIALS$/, value: /^(?!\s*\{)/, says: 'fine' },
  { row: 'token', name: /TOKEN(?:_|$)/, says: 'secret' },
  { row: 'secret', name: /SECRETS?(?:_|$)/, says: 'secret' },
  { row: 'password', name: /(?:PASSWORD|PASSWD|PASSPHRASE)(?:_|$)|_(?:PASS|PWD|PW)$|^SSHPASS$/, says: 'secret' },
  {
    row: 'key',
    name: /(?:^|_)KEYS?$|APIKEYS?$|(?:API|ACCESS|PRIVATE|SIGNING|ENCRYPTION|MASTER)_KEYS?_/,
    says: 'secret',
  },
  { row: 'credentials', name: /(?:^|_)(?:CREDENTIALS?|CREDS?)(?:_|$)/, says: 'secret' },
  { row: 'auth', name: /(?:^|_)(?:AUTH|AUTHORIZATION|COOKIES?|JWT|PAT|SAS)$/, says: 'secret' },

  // Listed so that their values never count as secrets.
  {
    row: 'every machine has it',
    name: /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TERM|TMPDIR|TZ|XDG_\w+|NO_PROXY|CI)$/,
    says: 'fine',
  },
]

export interface SecretShape {
  what: string
  /** The prefix of every secret of this shape; searched for first. */
  begins: string
  /** The complete secret from its prefix on, long enough that prose does not match. It uses only `SECRET_CHARACTERS` and is at most
   *  `SECRET_MAX_LENGTH` long; the masking of streams relies on both. */
  body: string
}

/** A sequence of letters and digits that no word has. */
const DENSE = '(?=[\\w-]{0,80}?(?=\\w{0,15}\\d)\\w{16})'

/** Keys and tokens on one line. A URL with a password is not included: the project's own tests need it. */
export const SECRET_SHAPES: readonly SecretShape[] = [
  { what: 'Anthropic', begins: 'sk-ant-', body: '[\\w-]{16,500}' },
  { what: 'OpenAI, of a project', begins: 'sk-proj-', body: '[\\w-]{16,500}' },
  { what: 'OpenRouter', begins: 'sk-or-', body: '[\\w-]{16,500}' },
  // `sk-learn-experiments-2024` is not a key.
  { what: 'OpenAI and many others', begins: 'sk-', body: `${DENSE}[\\w-]{17,500}` },
  { what: 'Stripe', begins: 'sk_live_', body: '\\w{16,500}' },
  { what: 'Stripe, for tests', begins: 'sk_test_', body: '\\w{16,500}' },
  { what: 'GitHub, of a person', begins: 'ghp_', body: '[A-Za-z0-9]{20,500}' },
  { what: 'GitHub, of an app for a person', begins: 'gho_', body: '[A-Za-z0-9]{20,500}' },
  { what: 'GitHub, of an app in a browser', begins: 'ghu_', body: '[A-Za-z0-9]{20,500}' },
  { what: 'GitHub, of a workflow', begins: 'ghs_', body: '[A-Za-z0-9]{20,500}' },
  { what: 'GitHub, to renew', begins: 'ghr_', body: '[A-Za-z0-9]{20,500}' },
  { what: 'GitHub, fine-grained', begins: 'github_pat_', body: '\\w{20,500}' },
  { what: 'GitLab', begins: 'glpat-', body: '[\\w-]{16,500}' },
  { what: 'Slack', begins: 'xox', body: '[abeoprs]-[\\w-]{15,500}' },
  { what: 'npm', begins: 'npm_', body: '[A-Za-z0-9]{30,500}' },
  { what: 'PyPI', begins: 'pypi-', body: 'AgE[\\w-]{40,1000}' },
  { what: 'Hugging Face', begins: 'hf_', body: '[A-Za-z0-9]{30,500}' },
  { what: 'Groq', begins: 'gsk_', body: '[A-Za-z0-9]{30,500}' },
  { what: 'xAI', begins: 'xai-', body: '[A-Za-z0-9]{40,500}' },
  { what: 'AWS, lasting', begins: 'AKIA', body: '[A-Z0-9]{16}(?!\\w)' },
  { what: 'AWS, for a while', begins: 'ASIA', body: '[A-Z0-9]{16}(?!\\w)' },
  { what: 'Google', begins: 'AIza', body: '[\\w-]{30,500}' },
  { what: 'Google, for a while', begins: 'ya29.', body: '[\\w-]{20,2000}' },
  { what: 'a JSON web token', begins: 'eyJ', body: '[\\w-]{8,1500}\\.[\\w-]{8,4000}\\.[\\w-]{8,1500}' },
]

/** The characters that secrets of these shapes consist of. */
export const SECRET_CHARACTERS = /[\w.-]/
/** The length limits of secrets of these shapes. */
export const SECRET_MIN_LENGTH = 20
export const SECRET_MAX_LENGTH = 8 * 1024

/** A shape is not searched for inside a word: `task-0f3b…` contains no `sk-` key. */
export const secretShapePattern = ({ begins, body }: SecretShape): string =>
  `(?<![A-Za-z0-9])${escapeRegExp(begins)}${body}`

let anyShape: RegExp | null = null
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/

/** Whether a value looks like a secret, independent of its name. */
export function looksSecret(value: string): boolean {
  anyShape ??= new RegExp(SECRET_SHAPES.map(secretShapePattern).join('|'))
  return anyShape.test(value) || PRIVATE_KEY.test(value)
}
