/**
 * What each program needs to work offline: fake keys in the environment variables its driver lets through, and settings in the
 * home folder, so that the command line under test is Ralph's own.
 */
export interface Vendor {
  /** As in Ralph's settings. */
  agent: string
  package: string
  program: string
  /** The tools it has when nothing is taken from it. */
  habits: string[]
  env(url: string): Record<string, string>
  /** Files of the home folder. */
  home(url: string): Record<string, string>
}

export const claude: Vendor = {
  agent: 'claude',
  package: '@anthropic-ai/claude-code',
  program: 'claude',
  habits: ['Write', 'Bash'],
  env: claudeEnv,
  home: () => ({}),
}

export const claudeAcp: Vendor = {
  agent: 'acp:claude-agent-acp',
  package: '@agentclientprotocol/claude-agent-acp',
  program: 'claude-agent-acp',
  habits: ['Write', 'Bash'],
  env: claudeEnv,
  home: () => ({}),
}

function claudeEnv(url: string): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'fake',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // Ten by default, over more than a minute.
    CLAUDE_CODE_MAX_RETRIES: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
  }
}

export const codexAcp: Vendor = {
  agent: 'acp:codex-acp',
  package: '@agentclientprotocol/codex-acp',
  program: 'codex-acp',
  habits: ['exec_command', 'shell_command', 'shell'],
  env: () => ({ OPENAI_API_KEY: 'fake' }),
  home: codexHome,
}

export const codex: Vendor = {
  agent: 'codex',
  package: '@openai/codex',
  program: 'codex',
  habits: ['exec_command', 'shell_command', 'shell'],
  env: () => ({ OPENAI_API_KEY: 'fake' }),
  home: codexHome,
}

/** Plugins and analytics wait five seconds for a network at each end. */
function codexHome(url: string): Record<string, string> {
  return {
    '.codex/config.toml': `
model = "gpt-5.5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 1
stream_max_retries = 1
[features]
plugins = false
[analytics]
enabled = false
`,
  }
}

export const qwen: Vendor = {
  agent: 'acp:qwen --acp',
  package: '@qwen-code/qwen-code',
  program: 'qwen',
  habits: ['write_file', 'run_shell_command'],
  env: (url) => ({ OPENAI_API_KEY: 'fake', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'scripted' }),
  home: () => ({
    '.qwen/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'openai' } },
      model: { generationConfig: { maxRetries: 0 } },
      // Else it asks the model on, after its turn: what to remember, and what a person might type next.
      memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
      ui: { enableFollowupSuggestions: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false },
    }),
  }),
}

const OPENCODE_ENV = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
}

const SCRIPTED = {
  name: 'Scripted',
  tool_call: true,
  cost: { input: 1, output: 2, cache_read: 0.1 },
  limit: { context: 1_000_000, output: 8_192 },
}

export const opencode: Vendor = {
  agent: 'opencode',
  package: 'opencode-ai',
  program: 'opencode',
  habits: ['write', 'bash'],
  env: () => OPENCODE_ENV,
  home: (url) => ({
    '.config/opencode/opencode.json': JSON.stringify({
      model: 'scripted/scripted',
      small_model: 'scripted/scripted',
      autoupdate: false,
      share: 'disabled',
      permission: { bash: { '*': 'allow', 'forbidden *': 'deny' } },
      provider: {
        scripted: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Scripted',
          options: { baseURL: `${url}/v1`, apiKey: 'fake' },
          models: { small: SCRIPTED, scripted: SCRIPTED, large: SCRIPTED },
        },
      },
    }),
  }),
}

export const gemini: Vendor = {
  agent: 'gemini',
  package: '@google/gemini-cli',
  program: 'gemini',
  habits: ['write_file', 'run_shell_command'],
  env: (url) => ({ GEMINI_API_KEY: 'fake', GOOGLE_GEMINI_BASE_URL: url }),
  home: () => ({
    '.gemini/settings.json': JSON.stringify({
      // Without it the base URL chooses a way to log in that works on a terminal only.
      security: { auth: { selectedType: 'gemini-api-key' } },
      model: { name: 'gemini-2.5-pro' },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false },
    }),
  }),
}

export const copilot: Vendor = {
  agent: 'copilot',
  package: '@github/copilot',
  program: 'copilot',
  habits: ['create', 'bash'],
  env: (url) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_API_KEY: 'fake',
    COPILOT_MODEL: 'gpt-4.1',
  }),
  home: () => ({}),
}
