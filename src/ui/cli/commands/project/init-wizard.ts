/** The questions of `ralph init` on a terminal: what to build, which agents, where tasks come from, which gates, which limits. */
import { detectProjectContext, type ProjectContext } from '../../../../app/project/detect-context.ts'
import type { InitOptions } from '../../../../app/project/init.ts'
import { needsGoal } from '../../../../app/project/init-files.ts'
import { TASK_LABEL, parseTaskSource, type TaskSourceChoice } from '../../../../app/import/task-import.ts'
import type { ProposedGate } from '../../../../app/project/detect-context.ts'
import type { PromptChoice, Prompter } from '../../asking/terminal-prompts.ts'

export async function runInitWizard(options: InitOptions, ask: Prompter): Promise<InitOptions | null> {
  const around = await detectProjectContext(options.root, options.env)
  const wanted = options.wanted ?? (await askGoal(options.root, ask))
  if (wanted === null) return null
  const agents = options.agents ?? (await askAgent(around, ask))
  if (agents === null) return null
  const tasks = options.tasks.from === 'none' ? await askTasks(around, { wanted }, ask) : options.tasks
  if (tasks === null) return null
  const gates = await askGates(around, ask)
  if (gates === null) return null
  const setUp = gates.length === 0 || around.setUp === null ? true : await askSetUp(around.setUp, ask)
  if (setUp === null) return null
  const bypass = await askPermission(ask)
  if (bypass === null) return null
  const mayPush = bypass || (await ask.yes('May the agent push your commits (git push)?', false))
  if (mayPush === null) return null
  const usd = await ask.number('Spending limit per run, in US dollars? (empty: no limit)', 0.01)
  if (usd === null) return null
  const iterations = await ask.number('Iterations per run? (empty: 20, 0: no limit)', 0)
  if (iterations === null) return null
  const github =
    options.github || around.github === null ? options.github : await ask.yes('Write GitHub workflows?', false)
  if (github === null) return null
  const gitInit = around.git.is === 'none' && around.git.installed ? await askGit(ask) : options.gitInit
  if (gitInit === null) return null
  const limits = { ...options.limits, usd: readNumber(usd), iterations: readNumber(iterations) }
  return { ...options, wanted: wanted || null, agents, tasks, gates, setUp, bypass, mayPush, limits, github, gitInit }
}

/** Asks what to build if no file says so yet. Empty: later. */
export async function askGoal(root: string, ask: Prompter): Promise<string | null> {
  if (!needsGoal(root)) return ''
  const said = await ask.text('What do you want to build? (a sentence or two; Enter: later)')
  return said === null ? null : said.trim()
}

function askGit(ask: Prompter): Promise<boolean | null> {
  return ask.yes('This is not a git repository, so Ralph could not undo anything. Run git init?', true)
}

async function askAgent(around: ProjectContext, ask: Prompter): Promise<string[] | null> {
  if (around.agents.length < 2) return [around.agents[0] ?? 'claude']
  const first = await ask.one(
    'Which agent?',
    around.agents.map((name) => ({ value: name, label: name })),
  )
  if (first === null) return null
  const others = around.agents.filter((name) => name !== first).map((name) => ({ value: name, label: name }))
  const rest = await ask.several('Fallbacks, for usage limits and outages?', others, [])
  return rest === null ? null : [first, ...rest]
}

async function askTasks(
  around: ProjectContext,
  { wanted }: { wanted: string },
  ask: Prompter,
): Promise<TaskSourceChoice | null> {
  const choices: PromptChoice[] = [
    { value: 'none', label: wanted === '' ? 'I write the plan myself' : 'Only what I just described' },
    ...(around.beads ? [{ value: 'beads', label: 'Open beads issues' }] : []),
    ...(around.gh
      ? [{ value: 'github', label: `Open issues on GitHub with the label ${TASK_LABEL}`, hint: around.github ?? '' }]
      : []),
    ...around.prds.map((file) => ({ value: `prd ${file}`, label: `Checkboxes and lists in ${file}` })),
  ]
  if (choices.length === 1) return { from: 'none' }
  const chosen = await ask.one('Where do the first tasks come from?', choices)
  if (chosen === null) return null
  const prd = chosen.startsWith('prd ') ? chosen.slice('prd '.length) : null
  return parseTaskSource({ from: prd === null ? chosen : 'prd', prd, label: TASK_LABEL, limit: null })
}

async function askGates({ gates }: ProjectContext, ask: Prompter): Promise<ProposedGate[] | null> {
  if (gates.length === 0) return []
  const choices = gates.map(({ gate, why, slow }) => ({
    value: gate.name,
    label: `${gate.name}: ${gate.run}`,
    hint: slow === null ? why : `${why}; slow: ${slow}`,
  }))
  const marked = gates.filter(({ chosen }) => chosen).map(({ gate }) => gate.name)
  const taken = await ask.several('Which gates must pass before work counts as done?', choices, marked)
  return taken === null ? null : gates.filter(({ gate }) => taken.includes(gate.name))
}

/** Explains the permission modes to somebody who does not know them. */
async function askPermission(ask: Prompter): Promise<boolean | null> {
  const chosen = await ask.one('What may the agent do unattended?', [
    {
      value: 'list',
      label: "Read and edit files, commit, and run this project's tools",
      hint: 'everything else is denied; Ralph shows the flag that would allow it',
    },
    {
      value: 'bypass',
      label: 'Everything you can do on this machine, without asking',
      hint: 'delete, install, push, read your keys: only in a container or a throwaway machine',
    },
  ])
  return chosen === null ? null : chosen === 'bypass'
}

/** No: the clean room uses the tools that are installed in the working tree. */
function askSetUp({ run, why }: NonNullable<ProjectContext['setUp']>, ask: Prompter): Promise<boolean | null> {
  return ask.yes(`Ralph proves work in a clean room. Install its dependencies with "${run}" (${why})?`, true)
}

function readNumber(text: string): number | null {
  const value = Number(text)
  return text.trim() === '' || !(value >= 0) ? null : value
}
