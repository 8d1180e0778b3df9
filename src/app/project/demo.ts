/**
 * The demo's project: a small repository in a temporary folder in which the scripted agent works. Each demo has a new folder, so that
 * nobody loses what they changed in an earlier one.
 */
import { join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import type { RunId } from '../../core/ids.ts'
import { newTask, type NewTask } from '../../core/tasks/task.ts'
import { addTasks } from '../../store/task/add-tasks.ts'
import { systemClock } from '../../system/clock.ts'
import { assetPath, exists, listFolder, readText, writeAtomic } from '../../system/files/files.ts'
import { NODE_PROGRAM } from '../../system/platform.ts'
import { copyRecursively, ensureUserTempFolder } from '../../system/files/copy-move.ts'
import { gitOrThrow } from '../../workspace/repo/git.ts'
import { findUnfinishedRun } from '../run/find-run.ts'
import { withStore } from '../open-store.ts'

/** A loop over a plan, or a run over tasks. */
export type DemoKind = 'loop' | 'tasks'

export interface Demo {
  root: string
  kind: DemoKind
}

const ASSETS: Readonly<Record<DemoKind, string>> = { loop: 'demo', tasks: 'demo/tasks' }

/** `roman-3`: the third demo of this user; `roman-tasks-4`: the fourth, of tasks. */
const NAME = /^roman-(tasks-)?(\d+)$/

function demoFolder(): string {
  return ensureUserTempFolder('ralph-demo')
}

/** All demos of this user, the newest first. */
function listDemos(): (Demo & { number: number })[] {
  const folder = demoFolder()
  const found = listFolder(folder).flatMap((name) => {
    const [, tasks, number] = NAME.exec(name) ?? []
    if (number === undefined) return []
    return [{ root: join(folder, name), kind: tasks === undefined ? 'loop' : 'tasks', number: Number(number) } as const]
  })
  return found.toSorted((a, b) => b.number - a.number)
}

export interface NewDemo extends Demo {
  /** How many earlier demos are beside it. */
  earlier: number
}

export async function createDemo(kind: DemoKind): Promise<NewDemo> {
  const demos = listDemos()
  const name = `${kind === 'tasks' ? 'roman-tasks' : 'roman'}-${(demos[0]?.number ?? 0) + 1}`
  const folder = demoFolder()
  const root = join(folder, name)
  copyRecursively(assetPath(`${ASSETS[kind]}/project`), root)
  const scenario = join(folder, `${name}.json`)
  writeAtomic(scenario, readText(assetPath(`${ASSETS[kind]}/scenario.json`)))
  const agent = [
    NODE_PROGRAM,
    assetPath('../bin/ralph-scripted-agent.mjs'),
    '--scenario',
    scenario,
    '--dialect',
    'claude',
  ]
  const settings = `${readText(join(root, '.ralph.toml'))}\n[agents.claude]\ncommand = ${JSON.stringify(agent)}\n`
  writeAtomic(join(root, '.ralph.toml'), settings)
  const git = (args: string[]): Promise<string> => gitOrThrow({ root }, args, { activity: 'make the demo repository' })
  await git(['init', '--quiet', '--initial-branch=main'])
  await git(['config', 'user.name', 'Scripted agent'])
  await git(['config', 'user.email', 'agent@localhost'])
  await git(['add', '--all', '--force'])
  await git(['commit', '--quiet', '--no-gpg-sign', `--message=roman: start`])
  if (kind === 'tasks')
    await withStore(root, ({ sql }) => addTasks(sql, TASKS, systemClock().at()), { create: true, notice: () => {} })
  return { root, kind, earlier: demos.length }
}

/** Five tasks and their parent, in the order of the scenario: `read` is retried once, `emperors` fails, and so `reigns` stays blocked. */
const TASKS: NewTask[] = [
  newTask('A module for Roman numerals', { id: 'module' }),
  newTask('Write numbers as Roman numerals', {
    id: 'write',
    parent: 'module',
    description: '`toRoman(number)` in roman.mjs writes the numbers from 1 to 3999: 1994 is MCMXCIV.',
  }),
  newTask('Read Roman numerals back', {
    id: 'read',
    parent: 'module',
    blockers: ['write'],
    description: '`fromRoman(text)` in roman.mjs reads them, and rejects invalid ones: IIX, VV, MCMC.',
  }),
  newTask('List the emperors', {
    id: 'emperors',
    maxRetries: 0,
    description: 'emperors.mjs lists every emperor and the years of the reign, from an encyclopedia on the web.',
  }),
  newTask('Print the reigns in Roman numerals', { id: 'reigns', blockers: ['module', 'emperors'] }),
  newTask('A command that goes both ways', {
    id: 'convert',
    blockers: ['module'],
    description: '`node convert.mjs 1994` prints MCMXCIV, `node convert.mjs XIV` prints 14.',
  }),
]

/** The newest demo that was interrupted. */
export async function findDemoToResume(): Promise<Demo & { run: RunId }> {
  for (const { root, kind } of listDemos()) {
    const run = exists(join(root, '.git')) ? await findUnfinishedRun(root, null) : null
    if (run !== null) return { root, kind, run }
  }
  throw new RalphError('no-run', 'there is no interrupted demo', {
    hint: 'Start a new one: run the same command without --resume',
  })
}
