/** The demo's project: a small repository in a temporary folder in which the scripted agent works. Kept until the next demo. */
import { join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import { newTask, type NewTask } from '../../core/tasks/task.ts'
import { addTasks } from '../../store/task/add-tasks.ts'
import { systemClock } from '../../system/clock.ts'
import { assetPath, exists, readText, removeFolder, writeAtomic } from '../../system/files/files.ts'
import { NODE_PROGRAM } from '../../system/platform.ts'
import { copyRecursively, ensureUserTempFolder } from '../../system/files/copy-move.ts'
import { gitOrThrow } from '../../workspace/repo/git.ts'
import { findLiveRun } from '../steer/engine-requests.ts'
import { withStore } from '../open-store.ts'

/** A loop over a plan, or a run over tasks. */
export type DemoKind = 'loop' | 'tasks'

export interface Demo {
  root: string
  kind: DemoKind
}

const ROOTS: Readonly<Record<DemoKind, string>> = { loop: 'roman', tasks: 'roman-tasks' }
const KINDS: readonly DemoKind[] = ['loop', 'tasks']
const ASSETS: Readonly<Record<DemoKind, string>> = { loop: 'demo', tasks: 'demo/tasks' }

/** One folder per user, always the same, so that an interrupted demo can be resumed. */
function demoFolder(): string {
  return ensureUserTempFolder('ralph-demo')
}

/** Creates the project again; there is only one demo. */
export async function createDemo(kind: DemoKind): Promise<Demo> {
  for (const root of KINDS.map((each) => join(demoFolder(), ROOTS[each]))) await refuseIfLive(root)
  removeFolder(demoFolder())
  const folder = demoFolder()
  const root = join(folder, ROOTS[kind])
  copyRecursively(assetPath(`${ASSETS[kind]}/project`), root)
  const scenario = join(folder, 'scenario.json')
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
  await git(['commit', '--quiet', '--no-gpg-sign', `--message=roman: what there is before the ${kind}`])
  if (kind === 'tasks')
    await withStore(root, ({ sql }) => addTasks(sql, TASKS, systemClock().at()), { create: true, notice: () => {} })
  return { root, kind }
}

async function refuseIfLive(root: string): Promise<void> {
  if (!exists(root) || (await findLiveRun(root)) === null) return
  throw new RalphError('held', `a demo is running in ${root}`, { hint: `Stop it: (cd ${root} && ralph stop)` })
}

/** In this order, as in the scenario. The second is retried once, the fourth fails, and so the fifth stays blocked. */
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
    description:
      '`fromRoman(text)` in roman.mjs reads them, and refuses what no Roman would have written: IIX, VV, MCMC.',
  }),
  newTask('List the emperors', {
    id: 'emperors',
    maxRetries: 0,
    description: 'emperors.mjs has every emperor with the years of the reign, taken from an encyclopedia on the web.',
  }),
  newTask('Print the reigns in Roman numerals', { id: 'reigns', blockers: ['module', 'emperors'] }),
  newTask('A command that goes both ways', {
    id: 'convert',
    blockers: ['module'],
    description: '`node convert.mjs 1994` prints MCMXCIV, `node convert.mjs XIV` prints 14.',
  }),
]

/** The interrupted demo. */
export function findDemoToResume(): Demo {
  const demos = KINDS.map((kind) => ({ root: join(demoFolder(), ROOTS[kind]), kind }))
  const found = demos.find(({ root }) => exists(join(root, '.git')))
  if (found !== undefined) return found
  throw new RalphError('no-run', 'there is no demo to go on with', { hint: 'Start one: npm run demo, or: ralph demo' })
}
