/** The guides. They are part of the package, so `ralph help` prints them without the repository. */
import { assetPath, readText } from '../system/files/files.ts'

export const GUIDE_TOPICS = {
  recipes: 'commands for common situations',
  proof: 'how Ralph proves that work is done',
  agents: 'agents, permissions, limits, fallbacks',
  models: 'choose models by tier and attempt',
  tasks: 'tasks with dependencies',
  features: 'turn an idea into a spec, a plan and tasks',
  memory: 'notes and knowledge pages',
  prompts: 'what the agent gets in its prompt',
  dashboard: 'keys of the dashboard',
  endings: 'how a run can end and what to do next',
  undo: 'what ralph undo reverts',
  trust: 'commands that project files specify',
  environment: 'which variables agents and gates get',
  json: 'JSON output for scripts',
  migration: 'coming from bash Ralph',
  'migration-rust': 'coming from Rust Ralph',
  'exit-codes': 'what each exit code means',
} as const
export type GuideTopic = keyof typeof GUIDE_TOPICS

export function isGuideTopic(name: string): name is GuideTopic {
  return Object.hasOwn(GUIDE_TOPICS, name)
}

export function readGuidePage(topic: GuideTopic): string {
  return readText(assetPath(`../docs/guide/${topic}.md`))
}
