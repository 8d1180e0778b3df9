/** The demo's project: a small repository in a temporary folder, worked on by the scripted agent. Kept until the next demo. */
import { join } from 'node:path'
import { RalphError } from '../../domain/error.ts'
import { asset, exists, readText, removeFolder, writeAtomic } from '../../system/files/files.ts'
import { NODE_PROGRAM } from '../../system/machine.ts'
import { copyFolder, ownTempFolder } from '../../system/files/folders.ts'
import { gitOut } from '../../workspace/repo/git.ts'
import { liveRun } from '../steer/steer.ts'

/** One folder per user, always the same, so that a cut-off demo is found again. */
function demoFolder(): string {
  return ownTempFolder('ralph-demo')
}

function demoRoot(): string {
  return join(demoFolder(), 'roman')
}

/** Lays the project out afresh and returns its folder. */
export async function layOutDemo(): Promise<string> {
  const root = demoRoot()
  if (exists(root) && (await liveRun(root)) !== null) {
    throw new RalphError('held', `a demo is running in ${root}`, {
      hint: `Stop it: (cd ${root} && ralph stop)`,
    })
  }
  removeFolder(demoFolder())
  const folder = demoFolder()
  copyFolder(asset('demo/project'), root)
  const scenario = join(folder, 'scenario.json')
  writeAtomic(scenario, readText(asset('demo/scenario.json')))
  const agent = [
    NODE_PROGRAM,
    asset('../bin/ralph-scripted-agent.mjs'),
    '--scenario',
    scenario,
    '--dialect',
    'claude',
  ]
  const settings = `${readText(join(root, '.ralph.toml'))}\n[agents.claude]\ncommand = ${JSON.stringify(agent)}\n`
  writeAtomic(join(root, '.ralph.toml'), settings)
  const git = (args: string[]): Promise<string> =>
    gitOut({ root }, args, { doing: 'make the demo repository' })
  await git(['init', '--quiet', '--initial-branch=main'])
  await git(['config', 'user.name', 'Scripted agent'])
  await git(['config', 'user.email', 'agent@localhost'])
  await git(['add', '--all', '--force'])
  await git(['commit', '--quiet', '--no-gpg-sign', '--message=roman: what there is before the loop'])
  return root
}

/** The folder of the demo that was cut off. */
export function demoToResume(): string {
  const root = demoRoot()
  if (exists(join(root, '.ralph'))) return root
  throw new RalphError('no-run', 'there is no demo to go on with', {
    hint: 'Start one: npm run demo, or: ralph demo',
  })
}
