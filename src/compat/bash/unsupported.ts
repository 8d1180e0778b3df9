/**
 * Names of the old tools that are no settings here, each with its kind, its default and a reason. They occur in `.ralphrc`, in
 * `.ralph/config.json` and in the environment, with the same meaning everywhere. `ralph config list` shows those without effect; one
 * that asks for an unsupported feature prevents the start, because a run without the feature may do harm.
 */

export interface UnsupportedSetting {
  /**
   * `informative`: it had no effect in the old loop. `harmless`: it had one, and nothing is lost without it, or it is an option of
   * a feature that another name asks for. `refused`: it asks for an unsupported feature.
   */
  is: 'informative' | 'harmless' | 'refused'
  /** With this value it asks for nothing. Empty: it had no default. */
  default: string
  why: string
  /** For a refused name: what to do instead, after the line is removed. */
  instead: string
  /**
   * Where the environment variable counts: in projects of the old tools, whose loop read it; elsewhere it may be meant for another
   * program. `everywhere`: ignoring it could do harm that cannot be undone. `nowhere`: another program owns the name.
   */
  environment: 'old projects' | 'everywhere' | 'nowhere'
}

/** Why a feature of the old tools is not supported, and what to use instead; its flags are refused with the same text. */
export const UNSUPPORTED_FEATURES = {
  issues: {
    why: 'the loop does not report to GitHub issues',
    instead: 'After the run, post the text of ralph report yourself: gh issue comment, gh pr create.',
  },
  queue: {
    why: 'there is no issue queue; Ralph works through the plan',
    instead: 'Import the issues into the plan: ralph import --github-issue N.',
  },
  sandbox: {
    why: 'agents run directly on this machine; Ralph has no sandbox',
    instead: 'To isolate the agent, run Ralph itself in a container or a virtual machine.',
  },
  sync: {
    why: 'it is for the E2B sandbox, which is not supported',
    instead: 'To isolate the agent, run Ralph itself in a container or a virtual machine.',
  },
  review: {
    why: 'reviews between iterations are not supported',
    instead: 'To have a second agent review each completion, set proof.reviewer.',
  },
  generatedPlan: {
    why: 'Ralph neither scores issues nor invents a plan for a short one',
    instead: 'Read the imported plan and add what the issue left out.',
  },
} as const satisfies Record<string, { why: string; instead: string }>

/** Flags of the old programs, by the feature they ask for. */
export const REFUSED_FLAGS: Readonly<Record<keyof typeof UNSUPPORTED_FEATURES, readonly string[]>> = {
  queue: [
    'queue-status',
    'process-queue',
    'halt-on-failure',
    'resume-queue',
    'queue-next',
    'queue-clear',
    'queue-remove',
    'github-issues',
  ],
  issues: [
    'github-issue',
    'comment-progress',
    'comment-interval',
    'auto-close',
    'close-summary',
    'create-pr',
    'link-issue',
    'draft-pr',
    'create-followups',
    'followup-label',
    'add-label',
  ],
  sandbox: [
    'sandbox',
    'sandbox-image',
    'sandbox-memory',
    'sandbox-cpus',
    'sandbox-network',
    'sandbox-template',
    'sandbox-id',
    'sandbox-timeout',
    'sandbox-keep-alive',
    'sandbox-max-cost',
    'sandbox-cost-alert',
  ],
  sync: ['sync-include', 'sync-exclude'],
  generatedPlan: ['generate-plan', 'no-generate-plan', 'plan-model', 'completeness-threshold', 'auto-approve'],
  review: ['review'],
}

const IMPORT = 'tasks are imported with `ralph import`'
const INFORMATION = 'for information only, as in bash Ralph'
const NO_PROGRESS = 'an iteration without changes counts towards the circuit breaker (breaker.no_progress)'

/** Names in `.ralphrc` and in the environment. */
export const UNSUPPORTED_SETTINGS: readonly UnsupportedGroup[] = [
  informative(INFORMATION, { PROJECT_NAME: '', PROJECT_TYPE: '', AGENT_FILE: '', RALPH_HOME: '', RALPH_DIR: '' }),
  informative(IMPORT, { TASK_SOURCES: 'local', GITHUB_TASK_LABEL: 'ralph-task', BEADS_FILTER: 'status:open' }),
  refused(UNSUPPORTED_FEATURES.issues, {
    GITHUB_ISSUE: '',
    COMMENT_PROGRESS: 'false',
    AUTO_CLOSE: 'false',
    CLOSE_SUMMARY: 'false',
    CREATE_PR: 'false',
    LINK_ISSUE: 'false',
    DRAFT_PR: 'false',
    CREATE_FOLLOWUPS: 'false',
    ADD_COMPLETION_LABELS: '',
  }),
  detail('COMMENT_PROGRESS', { COMMENT_INTERVAL: '5' }),
  detail('CREATE_FOLLOWUPS', { FOLLOWUP_LABEL: 'tech-debt' }),
  refused(UNSUPPORTED_FEATURES.sandbox, { SANDBOX_PROVIDER: 'host' }, 'everywhere'),
  detail('SANDBOX_PROVIDER', {
    SANDBOX_DOCKER_IMAGE: 'ralph-sandbox:latest',
    SANDBOX_DOCKER_MEMORY: '4g',
    SANDBOX_DOCKER_CPUS: '2',
    SANDBOX_DOCKER_NETWORK: 'bridge',
    SANDBOX_E2B_TEMPLATE: 'base',
    SANDBOX_E2B_SANDBOX_ID: '',
    SANDBOX_E2B_TIMEOUT: '3600',
    SANDBOX_E2B_KEEP_ALIVE: 'false',
    SANDBOX_E2B_MAX_COST: '',
    SANDBOX_E2B_COST_ALERT: '',
    SANDBOX_E2B_COST_PER_HOUR: '0.10',
    SANDBOX_E2B_PYTHON: 'python3',
    SANDBOX_E2B_WORKDIR: '/home/user/workspace',
    E2B_API_KEY: '',
    E2B_API_KEY_FILE: '~/.ralph/e2b_api_key',
    SYNC_INCLUDE: '',
    SYNC_EXCLUDE: '',
    SYNC_MAX_FILE_SIZE: '10485760',
    SYNC_LARGE_FILE_ACTION: 'warn',
  }),
  refused(UNSUPPORTED_FEATURES.review, { REVIEW_MODE: 'off', REVIEW_ENABLED: 'false' }),
  detail('REVIEW_MODE', { REVIEW_INTERVAL: '5' }),
  refused(
    {
      why: 'Ralph does not read API keys from project files, so the agent would use another account',
      instead: 'Set it in the environment: export ANTHROPIC_API_KEY.',
    },
    { ANTHROPIC_API_KEY: '' },
    'nowhere',
  ),
  refused(
    {
      why: 'Ralph starts no shell, so the agent would miss the variables of that file',
      instead:
        'Source the file in the shell that starts ralph. To see which variables are withheld: ralph doctor --env.',
    },
    { RALPH_SHELL_INIT_FILE: '' },
  ),
  harmless('Ralph reads output of any size in bounded memory', { RALPH_JSONL_SAFE_MAX_BYTES: '1048576' }),
  harmless(NO_PROGRESS, { WRITE_TIMEOUT_MINUTES: '8', CB_READ_ONLY_TIMEOUT_THRESHOLD: '2' }),
  harmless('gates must always pass before work counts as done', { QUALITY_GATE_MODE: 'warn' }),
  harmless('gates run only when everything else says that the work is done', {
    QUALITY_GATE_ON_COMPLETION_ONLY: 'false',
  }),
]

/** By name. */
export const UNSUPPORTED_BY_NAME = /* @__PURE__ */ byName(UNSUPPORTED_SETTINGS)

/** Paths in `.ralph/config.json` that ask for unsupported features. */
export const UNSUPPORTED_JSON_PATHS = /* @__PURE__ */ byName([
  refused(UNSUPPORTED_FEATURES.issues, { 'github.issue_sync.enabled': 'false' }),
  refused(UNSUPPORTED_FEATURES.sandbox, { 'sandbox.provider': 'host' }),
  refused(UNSUPPORTED_FEATURES.review, { 'review.mode': 'off', 'review.enabled': 'false' }),
])

/** Groups in the old orchestrator's `.ralph/config.json` that are not used, or only in part. */
export const UNUSED_JSON_GROUPS: Readonly<Record<string, string>> = {
  git: "commits use the repository's git identity",
  claude: 'only the back-off seconds are used (retry.first, retry.max)',
  workers: 'only max_iterations and sleep_seconds are used; parallel workers are not supported yet',
  hooks: 'hooks are not supported yet',
  paths: 'file locations are fixed',
  rate_limit: 'limits are set by quota.*',
  runtime: 'only the backend is used (agent.order)',
  github: 'issue synchronisation is not supported yet',
  log_rotation: 'use keep.logs_gb',
  resume: 'Ralph always resumes an unfinished run',
  task_source: IMPORT,
  review: UNSUPPORTED_FEATURES.review.why,
  sandbox: UNSUPPORTED_FEATURES.sandbox.why,
}

type Defaults = Record<string, string>

/** Several names of one kind, each with its default. */
interface UnsupportedGroup extends Omit<UnsupportedSetting, 'default'> {
  defaults: Defaults
}

function informative(why: string, defaults: Defaults): UnsupportedGroup {
  return { is: 'informative', why, instead: '', environment: 'nowhere', defaults }
}

function harmless(why: string, defaults: Defaults): UnsupportedGroup {
  return { is: 'harmless', why, instead: '', environment: 'nowhere', defaults }
}

/** An option of a feature; another name turns the feature on. */
function detail(of: string, defaults: Defaults): UnsupportedGroup {
  return harmless(`it has no effect without ${of}, which is not supported`, defaults)
}

function refused(
  { why, instead }: Pick<UnsupportedSetting, 'why' | 'instead'>,
  defaults: Defaults,
  environment: UnsupportedSetting['environment'] = 'old projects',
): UnsupportedGroup {
  return { is: 'refused', why, instead, environment, defaults }
}

/** Built on the first lookup (files of the old tools, docs), so that a start without such files does not pay for it. */
function byName(groups: readonly UnsupportedGroup[]): Readonly<Record<string, UnsupportedSetting>> {
  return Object.fromEntries(
    groups.flatMap(({ defaults, ...rest }) =>
      Object.entries(defaults).map(([name, usual]) => [name, { ...rest, default: usual }] as const),
    ),
  )
}
