/** The ground of one strike: a repository with source, a test that counts itself, and a scripted agent that needs two iterations. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface CrashProject {
  root: string
  ralphPath: string
  env: Record<string, string>
  ralph(args: string[]): { code: number | null; stdout: string; stderr: string }
  git(args: string[]): string
  /** Processes that still name this ground on their command line. */
  survivors(): string[]
  remove(): void
}

/** Scripts run from the project's root (see scripts/setup.mjs). */
const HOME = process.cwd()

const TOML = `[[gate]]
name = "test"
run = "node test.mjs"

[proof]
baseline = "off"
`

/** What the agent works on: a file that the base has and its test imports, so that every proof step of the proof has something to try. */
export const SOURCE = 'src/numbers.mjs'
export const source = (one: number, two: number): string =>
  `export function one() {\n  return ${one}\n}\n\nexport function two() {\n  return ${two}\n}\n`

const TEST = `import { one, two } from './src/numbers.mjs'

const good = one() === 1 && two() === 2
console.log(\`TAP version 13\\n1..1\\n\${good ? 'ok' : 'not ok'} 1 - counts\`)
process.exitCode = good ? 0 : 1
`

const BLOCK = (done: boolean): object => ({
  do: 'status',
  text: done ? 'All done.' : 'Half done.',
  fields: { STATUS: done ? 'COMPLETE' : 'IN_PROGRESS', EXIT_SIGNAL: done },
})

/** The second turn does the first one's work as well: an agent that was killed with the engine before it wrote anything has used up
 *  its turn, and the next one must find out for itself what is missing, as a real agent would. */
const SCENARIO = {
  turns: [
    { steps: [{ do: 'write', path: SOURCE, content: source(1, 0) }, BLOCK(false)] },
    {
      steps: [{ do: 'write', path: SOURCE, content: source(1, 2) }, { do: 'commit', message: 'two' }, BLOCK(true)],
    },
  ],
}

const FOLDER = '.ralph/features/money'
const PROSE = `# Money\n\n${'Amounts of two currencies cannot be added.\n'.repeat(6)}`
const TASKS = { version: 1, tasks: [{ key: 'type', title: 'A type for amounts', criteria: ['It is there'] }] }

/** Each writes its document whenever it is asked for; the first one also what it should not. */
export const DRAFT_TURNS = [
  document('spec.md', PROSE, { do: 'write', path: SOURCE, content: source(9, 9) }),
  document('plan.md', PROSE),
  document('tasks.json', JSON.stringify(TASKS)),
]

function document(file: string, content: string, ...before: object[]): { for: string; steps: object[] } {
  const path = `${FOLDER}/${file}`
  const steps = [...before, { do: 'write', path, content }, { do: 'say', text: 'Written.' }]
  return { for: `Write the document to ${path}`, steps }
}

/** Lays the ground out, or takes it as a copy left it. */
export function project(
  folder: string,
  { toml = TOML, turns = SCENARIO.turns }: { toml?: string; turns?: object[] } = {},
): CrashProject {
  const root = join(folder, 'project')
  const bin = join(folder, 'bin')
  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: join(folder, 'home'),
    NO_COLOR: '1',
    RALPH_TRUST: '1',
  }
  const git = (args: string[]): string => execFileSync('git', args, { cwd: root, env, encoding: 'utf8' })
  if (!existsSync(root)) {
    for (const path of [join(root, '.ralph'), join(root, 'src'), bin, env.HOME]) mkdirSync(path, { recursive: true })
    writeFileSync(join(root, '.ralph', 'PROMPT.md'), 'Make one() return 1 and two() return 2.\n')
    writeFileSync(join(root, '.ralph.toml'), toml)
    writeFileSync(join(root, SOURCE), source(0, 0))
    writeFileSync(join(root, 'test.mjs'), TEST)
    writeFileSync(join(root, 'helper.mjs'), '// for tests\n')
    git(['init', '-q', '-b', 'main', '--template='])
    git(['config', 'user.name', 'Gardener'])
    git(['config', 'user.email', 'gardener@localhost'])
    git(['add', '-A', '-f'])
    git(['commit', '-q', '-m', 'first'])
  }
  const scenario = join(folder, 'scenario.json')
  writeFileSync(scenario, JSON.stringify({ turns }))
  const agent = join(bin, 'claude')
  writeFileSync(
    agent,
    `#!/bin/sh\nexec '${process.execPath}' '${join(HOME, 'bin', 'ralph-scripted-agent.mjs')}' --scenario '${scenario}' --dialect claude "$@"\n`,
  )
  chmodSync(agent, 0o755)
  if (!existsSync(join(bin, 'node'))) symlinkSync(process.execPath, join(bin, 'node'))
  const ralphPath = join(HOME, 'bin', 'ralph.cjs')
  return {
    root,
    ralphPath,
    env,
    git,
    ralph(args) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [ralphPath, ...args], {
        cwd: root,
        env,
        encoding: 'utf8',
      })
      return { code: status, stdout, stderr }
    },
    survivors() {
      const table = spawnSync('ps', ['-axww', '-o', 'pid=,command='], { encoding: 'utf8' }).stdout
      return table.split('\n').filter((line) => line.includes(`${folder}/`) && !line.includes('ps -axww'))
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  }
}
