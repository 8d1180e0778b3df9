/** The four workflows that `ralph init --github` writes: the gates as tests, an assistant, and two reviews by two vendors. */
import { assertNever } from '../../core/assert-never.ts'
import { assetPath, readText } from '../../system/files/files.ts'
import type { ProposedGate, DetectedProject } from '../../workspace/detect/detect-project.ts'

const REVIEWS = ['ralph-assistant.yml', 'ralph-review.yml', 'ralph-second-review.yml']

export interface GithubWorkflowOptions {
  project: DetectedProject
  gates: ProposedGate[]
  branch: string
}

/** Path in the project, and text. */
export function githubWorkflowTexts(facts: GithubWorkflowOptions): [string, string][] {
  return [
    ['.github/workflows/tests.yml', testsText(facts)],
    ...REVIEWS.map((name): [string, string] => [`.github/workflows/${name}`, readText(assetPath(`workflows/${name}`))]),
  ]
}

function testsText({ project, gates, branch }: GithubWorkflowOptions): string {
  const steps = [...setUpSteps(project), ...gateSteps(gates)]
    .map((step) => step.replace(/^(?=.)/gm, '      '))
    .join('\n')
  return readText(assetPath('workflows/tests.yml'))
    .replaceAll('{{branch}}', () => branch.replace(/["\\]/g, ''))
    .replace('{{steps}}\n', () => `${steps}\n`)
}

const NODE =
  '- uses: actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0\n  with:\n    node-version: 22'
const PYTHON =
  '- uses: actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065 # v5.6.0\n  with:\n    python-version: "3.12"'
const GO = '- uses: actions/setup-go@4a3601121dd01d1626a1e23e37211e3254c1c06c # v6.4.0\n  with:\n    go-version: stable'

/** GitHub's machines have Rust, Java, Ruby, PHP and .NET; other tools are installed first, then the dependencies. */
function setUpSteps({ type, packageManager }: DetectedProject): string[] {
  switch (type) {
    case 'javascript':
    case 'typescript':
      return [NODE, ...step('Install', installWith(packageManager ?? 'npm'))]
    case 'python':
      return [PYTHON, ...step('Install', pythonInstall(packageManager))]
    case 'go':
      return [GO]
    case 'ruby':
      return step('Install', 'bundle install')
    case 'php':
      return step('Install', 'composer install')
    case 'elixir':
      return step('Install', 'sudo apt-get update && sudo apt-get install --yes elixir && mix deps.get')
    case 'rust':
    case 'java':
    case 'dotnet':
    case 'generic':
      return []
    default:
      return assertNever(type)
  }
}

function installWith(manager: string): string {
  switch (manager) {
    case 'pnpm':
      return 'npx --yes pnpm@latest install --frozen-lockfile'
    case 'yarn':
      return 'corepack enable && yarn install --immutable'
    case 'bun':
      return 'npm install --global bun && bun install --frozen-lockfile'
    default:
      return 'if [ -f package-lock.json ]; then npm ci; else npm install; fi'
  }
}

const PYTHON_INSTALLS: Record<string, string> = {
  uv: 'pip install uv && uv sync',
  poetry: 'pip install poetry && poetry install',
}

function pythonInstall(manager: string | null): string {
  const usual =
    'if [ -f requirements.txt ]; then pip install -r requirements.txt; else pip install -e .; fi; pip install pytest'
  return PYTHON_INSTALLS[manager ?? ''] ?? usual
}

function gateSteps(gates: ProposedGate[]): string[] {
  if (gates.length === 0)
    return step('No gate', 'echo "Ralph found no gate: replace this line with your test command" && exit 1')
  return gates.flatMap(({ gate }) => step(`Gate ${gate.name}`, gate.run))
}

/** Every JSON string is a valid YAML string. */
function step(name: string, run: string): string[] {
  return [`- name: ${JSON.stringify(name)}\n  run: ${JSON.stringify(run)}`]
}
