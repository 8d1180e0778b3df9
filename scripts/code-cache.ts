/**
 * Makes V8's code cache of each quick command, by letting it do its work once: the cache then holds the functions that this command
 * uses and no others. To read the code of all of them would cost a start more than to compile the few that were missed.
 *
 *     warm.ts <the quick bundles>
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Script } from 'node:vm'
import type { QuickCommand } from '../src/ui/cli/quick/quick-command.ts'
import { storeRuns, convertToTaskRun } from '../test/stored-runs.ts'

const ONE = '--one'

async function main(bundles: string[]): Promise<number> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-warm-')))
  try {
    const loops = join(folder, 'loops')
    const tasks = join(folder, 'tasks')
    await project(loops)
    await convertToTaskRun(await project(tasks))
    const env = { PATH: process.env['PATH'], HOME: folder }
    // Each in a process of its own, or the second would find compiled what the first one used. What they say is nobody's business.
    const codes = bundles.map(
      (bundle) =>
        spawnSync(process.execPath, [process.argv[1] ?? '', ONE, bundle, loops, tasks], {
          env,
          stdio: ['ignore', 'ignore', 'inherit'],
        }).status,
    )
    return codes.every((code) => code === 0) ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const TOML = `[loop]
plan = ".ralph/fix_plan.md"

[[gate]]
name = "test"
run = "npm test"
`

/** A project as most are: a plan, a gate, and nights that have ended. Returns where its store lies. */
async function project(root: string): Promise<string> {
  for (const name of ['.git', '.ralph']) mkdirSync(join(root, name), { recursive: true })
  writeFileSync(join(root, '.git', 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(root, '.ralph.toml'), TOML)
  writeFileSync(join(root, '.ralph', 'PROMPT.md'), 'Do what the plan says.\n')
  writeFileSync(join(root, '.ralph', 'fix_plan.md'), '- [x] one\n- [ ] two\n')
  const store = join(root, '.git', 'ralph', 'root', 'ralph.db')
  await storeRuns(store, { root, runs: 2, iterations: 5 })
  return store
}

async function cache(bundle: string, roots: string[]): Promise<number> {
  // The name goes into the cache, and from there into traces on machines that have no such folder.
  const filename = `ralph/dist/${basename(bundle)}`
  const script = new Script(readFileSync(bundle, 'latin1'), { filename })
  const quick = load(script, bundle)
  const command = basename(bundle, '.cjs').split('-').slice(1).join(' ')
  for (const root of roots) {
    process.chdir(root)
    for (const words of [[], ['--json']]) {
      const answer = await quick(command, words)
      if (answer?.exit !== 0) throw new Error(`ralph ${[command, ...words].join(' ')} failed`)
    }
  }
  writeFileSync(`${bundle}.cache`, script.createCachedData())
  return 0
}

/** As `bin/ralph.cjs` does. */
function load(script: Script, bundle: string): QuickCommand {
  const loaded = { exports: {} as { quick: QuickCommand } }
  const wrapped = script.runInThisContext() as (...parts: unknown[]) => void
  wrapped(loaded.exports, createRequire(bundle), loaded, bundle, dirname(bundle))
  return loaded.exports.quick
}

const words = process.argv.slice(2)
const [first, bundle = '', ...roots] = words
process.exitCode = first === ONE ? await cache(bundle, roots) : await main(words)
