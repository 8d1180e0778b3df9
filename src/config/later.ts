/**
 * Names that the old tools' files may set and that have no effect here, each with what to know about it. They are
 * accepted, so that an old project starts as it is, and told by `ralph config list`.
 */

const ISSUES = 'reporting to a GitHub issue is not part of the loop yet'
const SANDBOX = 'there is no sandbox yet: agents run on this machine, in the project'
const SYNC = 'belongs to the E2B sandbox, which is not offered'
const REVIEW = 'reviews between iterations are not offered yet'
const IMPORT = 'tasks come by `ralph import`'
const INFORMATION = 'for information only, as it was in the old tool'

/** Names in `.ralphrc`. */
export const LATER: Readonly<Record<string, string>> = {
  ...each(['PROJECT_NAME', 'PROJECT_TYPE', 'AGENT_FILE', 'RALPH_HOME', 'RALPH_DIR'], INFORMATION),
  ...each(['TASK_SOURCES', 'GITHUB_TASK_LABEL', 'BEADS_FILTER'], IMPORT),
  ...each(
    [
      'GITHUB_ISSUE',
      'COMMENT_PROGRESS',
      'COMMENT_INTERVAL',
      'AUTO_CLOSE',
      'CLOSE_SUMMARY',
      'CREATE_PR',
      'LINK_ISSUE',
      'DRAFT_PR',
      'CREATE_FOLLOWUPS',
      'FOLLOWUP_LABEL',
      'ADD_COMPLETION_LABELS',
    ],
    ISSUES,
  ),
  ...each(
    [
      'SANDBOX_PROVIDER',
      'SANDBOX_DOCKER_IMAGE',
      'SANDBOX_DOCKER_MEMORY',
      'SANDBOX_DOCKER_CPUS',
      'SANDBOX_DOCKER_NETWORK',
      'SANDBOX_E2B_TEMPLATE',
      'SANDBOX_E2B_SANDBOX_ID',
      'SANDBOX_E2B_TIMEOUT',
      'SANDBOX_E2B_KEEP_ALIVE',
      'SANDBOX_E2B_MAX_COST',
      'SANDBOX_E2B_COST_ALERT',
      'SANDBOX_E2B_COST_PER_HOUR',
      'SANDBOX_E2B_PYTHON',
      'SANDBOX_E2B_WORKDIR',
    ],
    SANDBOX,
  ),
  ...each(
    [
      'E2B_API_KEY',
      'E2B_API_KEY_FILE',
      'SYNC_INCLUDE',
      'SYNC_EXCLUDE',
      'SYNC_MAX_FILE_SIZE',
      'SYNC_LARGE_FILE_ACTION',
    ],
    SYNC,
  ),
  ...each(['REVIEW_MODE', 'REVIEW_ENABLED', 'REVIEW_INTERVAL'], REVIEW),
  ANTHROPIC_API_KEY: 'a settings file is no place for a key: set it in the environment',
  RALPH_SHELL_INIT_FILE:
    'no shell is started; set what the agent needs in the environment and name it in env.pass',
  RALPH_JSONL_SAFE_MAX_BYTES: 'output of any size is read in bounded memory',
  WRITE_TIMEOUT_MINUTES: 'an iteration without changes counts for the breaker (breaker.no_progress)',
  CB_READ_ONLY_TIMEOUT_THRESHOLD: 'an iteration without changes counts for the breaker (breaker.no_progress)',
  QUALITY_GATE_MODE: 'a gate must always hold before work counts as done',
  QUALITY_GATE_ON_COMPLETION_ONLY: 'gates run when everything else says complete',
}

/** Groups in the orchestrator's `.ralph/config.json`. */
export const LATER_JSON: Readonly<Record<string, string>> = {
  git: "commits carry the repository's own identity",
  claude: 'only the back-off seconds are used (retry.first, retry.max)',
  workers: 'only max_iterations and sleep_seconds are used; a fleet of workers comes later',
  hooks: 'hooks come with the fleet',
  paths: 'the places of files are fixed',
  rate_limit: 'limits are set by quota.*',
  runtime: 'only the backend is used (agent.order)',
  github: 'issue synchronisation comes with the task sources',
  log_rotation: 'logs are kept by keep.logs_gb',
  resume: 'an unfinished run always goes on',
  task_source: IMPORT,
  review: REVIEW,
}

/** What must be said aloud at the start, because to run without it may be unwanted. */
export const SAY_ALOUD: ReadonlySet<string> = new Set([
  'SANDBOX_PROVIDER',
  'ANTHROPIC_API_KEY',
  'REVIEW_MODE',
])

function each(names: readonly string[], remark: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, remark]))
}
