/**
 * Test programs beyond `sh` and Node: which of them this machine has, and how those from npm get into a project. They are
 * copied as installed packages, with all they depend on: an agent may change its copy, and the next project has its own.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, readlink, symlink } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Runner } from './scenario.ts'

const PACKAGES: Partial<Record<Runner, string>> = {
  jest: 'jest',
  vitest: 'vitest',
  mocha: 'mocha',
  eslint: 'eslint',
  tsc: 'typescript',
}
const PROGRAMS: Partial<Record<Runner, string>> = {
  pytest: 'python3 -m pytest --version',
  cargo: 'cargo --version',
  make: 'make --version',
}

export interface RunnerContext {
  /** The folder whose `node_modules` holds the runners from npm. */
  stock: string
  /** As projects have it. */
  env: Record<string, string>
}

/** Those that scenarios cannot use here. */
export async function missingOf(runners: Runner[], { stock, env }: RunnerContext): Promise<Runner[]> {
  const missing: Runner[] = []
  for (const runner of runners) {
    const found = PACKAGES[runner] === undefined ? await answers(runner, env) : isInStock(runner, stock)
    if (!found) missing.push(runner)
  }
  return missing
}

function isInStock(runner: Runner, stock: string): boolean {
  return existsSync(join(stock, 'node_modules', PACKAGES[runner] ?? '', 'package.json'))
}

async function answers(runner: Runner, env: Record<string, string>): Promise<boolean> {
  try {
    await execute('sh', ['-c', PROGRAMS[runner] ?? 'false'], { env })
    return true
  } catch {
    return false
  }
}

/** A home of one's own has no tool chains; this is where version managers find the machine's. */
export function toolChains(): Record<string, string> {
  const rustup = process.env['RUSTUP_HOME'] ?? join(homedir(), '.rustup')
  return existsSync(rustup) ? { RUSTUP_HOME: rustup } : {}
}

/** Copies those from npm into the project's `node_modules`, with their programs in `.bin`. */
export async function installRunners(project: string, runners: Runner[], stock: string): Promise<void> {
  const wanted = runners.map((runner) => PACKAGES[runner]).filter((name) => name !== undefined)
  if (wanted.length === 0) return
  const [from, to] = [join(stock, 'node_modules'), join(project, 'node_modules')]
  const packages = await neededBy(wanted, stock)
  for (const scope of new Set(packages.map((name) => dirname(name)))) {
    const folders = packages.filter((name) => dirname(name) === scope).map((name) => join(from, name))
    await mkdir(join(to, scope), { recursive: true })
    await execute('cp', ['-R', ...folders, join(to, scope)])
  }
  await linkPrograms({ from, to, packages })
}

async function linkPrograms(of: { from: string; to: string; packages: string[] }): Promise<void> {
  await mkdir(join(of.to, '.bin'), { recursive: true })
  for (const name of await readdir(join(of.from, '.bin'))) {
    const target = await readlink(join(of.from, '.bin', name))
    const owner = of.packages.find((each) => target.startsWith(`../${each}/`))
    if (owner !== undefined) await symlink(target, join(of.to, '.bin', name))
  }
}

interface Locked {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/** The packages at the top of the stock that these need, directly or not. What is nested in one of them comes with it. */
async function neededBy(wanted: string[], stock: string): Promise<string[]> {
  const lock = JSON.parse(await readFile(join(stock, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  const places = wanted.map((name) => `node_modules/${name}`)
  const seen = new Set(places)
  for (const place of seen) {
    const { dependencies, optionalDependencies, peerDependencies } = lock.packages[place] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = nearest(place, name).find((each) => lock.packages[each] !== undefined)
      // Parts for other machines stand in the lock file and nowhere else.
      if (found !== undefined && existsSync(join(stock, found))) seen.add(found)
    }
  }
  return [...new Set([...seen].map(topOf))]
}

/** Where Node looks for a package, from the inside out. */
function nearest(place: string, name: string): string[] {
  const parts = place.split('/node_modules/')
  const inside = parts.map((_, depth) => parts.slice(0, parts.length - depth).join('/node_modules/'))
  return [...inside.map((folder) => `${folder}/node_modules/${name}`), `node_modules/${name}`]
}

function topOf(place: string): string {
  const [first = '', second = ''] = place.slice('node_modules/'.length).split('/')
  return first.startsWith('@') ? `${first}/${second}` : first
}

const execute = promisify(execFile)
