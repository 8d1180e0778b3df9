#!/usr/bin/env node
/**
 * The one script behind every `npm run …`: installs when the lock file changed, builds when the sources changed, then does
 * the job. Node built-ins only, because it runs before anything is installed. Two at once are safe: the second waits.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import Module from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const NODE_FLOOR = [20, 19]
const LOCK = join(ROOT, '.setup-lock')
const INSTALL_STAMP = join(ROOT, 'node_modules', '.ralph-install')
const BUILD_STAMP = join(ROOT, 'dist', '.ralph-build')
/** Everything the bundle is made of. */
const SOURCES = [
  'src',
  'scripted-agent',
  'scripts/drivers.mjs',
  'scripts/roll-types.mjs',
  'scripts/code-cache.ts',
  'test/stored-runs.ts',
  'test/kit/core.ts',
  'package.json',
  'package-lock.json',
  'rolldown.config.ts',
  'tsconfig.json',
]

const JOBS = {
  build: () => 0,
  demo: (args) => node(['bin/ralph.cjs', 'demo', ...args]),
  test: (args) => tool('vitest', ['run', '--project', 'unit', '--project', 'walk', ...args]),
  long: (args) => tool('vitest', ['run', '--project', 'long', ...args]),
  agents,
  browser,
  check,
  docs: (args) => script('scripts/docs.ts', args),
  picture: (args) => script('scripts/picture.ts', args),
  words: (args) => script('scripts/words/main.ts', args),
  sim: (args) => script('test/sim/main.ts', args),
  'false-done': falseDone,
  crash: (args) => script('test/crash/main.ts', args),
  bench: (args) => script('test/bench/main.ts', args),
  mutate: (args) => script('test/mutate/main.ts', args),
  records: (args) => script('test/records/main.ts', args),
}

async function main() {
  const [name, ...args] = process.argv.slice(2)
  const job = JOBS[name]
  if (job === undefined) fail(`Unknown job ${name}; known are ${Object.keys(JOBS).join(', ')}.`, 2)
  checkNode()
  await withLock(async () => {
    installIfNeeded()
    await buildIfNeeded()
  })
  process.exitCode = await job(args)
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > NODE_FLOOR[0] || (major === NODE_FLOOR[0] && minor >= NODE_FLOOR[1])) return
  fail(
    `Ralph needs Node ${NODE_FLOOR.join('.')} or newer, and this is ${process.versions.node}: install one from nodejs.org.`,
  )
}

function installIfNeeded() {
  const wanted = hash(readFileSync(join(ROOT, 'package-lock.json')))
  if (stamp(INSTALL_STAMP) === wanted) return
  say('Installing …')
  const done = spawnSync(npm(), ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (done.status !== 0) fail(whyNotInstalled(`${done.stderr ?? ''}${done.stdout ?? ''}${done.error?.message ?? ''}`))
  writeFileSync(INSTALL_STAMP, wanted)
}

/** The vendors' real programs, almost two gigabytes of them, are for this one suite. What cannot be installed is skipped there. npm
 *  leaves out what asks for a newer Node than this one, so the lock file does not tell who asks: all of them start on Node 20. */
async function agents(args) {
  await withLock(installAgents)
  return tool('vitest', ['run', '-c', 'test/agents/vitest.config.ts', ...args])
}

function installAgents() {
  const folder = join(ROOT, 'test', 'agents')
  if (!installAside(folder, 'the agents')) return
  // These two put the program for this machine in its place themselves. Other scripts compile what no test needs.
  for (const file of ['@anthropic-ai/claude-code/install.cjs', 'opencode-ai/postinstall.mjs']) {
    const script = join(folder, 'node_modules', file)
    if (existsSync(script)) spawnSync(process.execPath, [script], { cwd: dirname(script), stdio: 'ignore' })
  }
}

/** Jest, Vitest and their like are for these scenarios alone. Those of a runner that cannot be installed are skipped. */
async function falseDone(args) {
  await withLock(() => installAside(join(ROOT, 'test', 'false-done', 'runners'), 'the runners'))
  return script('test/false-done/main.ts', args)
}

/** Opens pages in the Chromium of this machine; nothing is downloaded for it. */
async function browser(args) {
  const chromium = process.env.RALPH_CHROMIUM ?? '/usr/bin/chromium'
  if (!existsSync(chromium)) {
    say(
      `Skipped: there is no Chromium at ${chromium}. Install it (Debian: apt-get install chromium) or set RALPH_CHROMIUM.`,
    )
    return 0
  }
  const folder = join(ROOT, 'test', 'browser')
  await withLock(() => installAside(folder, 'playwright-core'))
  if (!existsSync(join(folder, 'node_modules', 'playwright-core'))) {
    say('Skipped: playwright-core could not be installed.')
    return 0
  }
  return tool('vitest', ['run', '-c', 'test/browser/vitest.config.ts', ...args])
}

/** Packages that only one suite needs, in a folder with a lock file of its own. True: they were installed just now. */
function installAside(folder, what) {
  const installed = join(folder, 'node_modules', '.ralph-install')
  const wanted = hash(readFileSync(join(folder, 'package-lock.json')))
  if (stamp(installed) === wanted) return false
  say(`Installing ${what} …`)
  // Not `npm ci`, which refuses a lock file without the parts for machines that a registry does not have.
  const done = spawnSync(
    npm(),
    ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  if (done.status !== 0) {
    say(whyNotInstalled(`${done.stderr ?? ''}${done.stdout ?? ''}${done.error?.message ?? ''}`))
    return false
  }
  writeFileSync(installed, wanted)
  return true
}

function whyNotInstalled(output) {
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|network/i.test(output)) {
    return 'The packages could not be fetched: connect to the network once, or put them in the npm cache, and try again.'
  }
  if (/ENOENT/.test(output) && /npm/.test(output)) return 'npm was not found: it comes with Node; check your PATH.'
  return `npm ci failed: ${output.trim().split('\n').slice(-4).join(' ')}`
}

async function buildIfNeeded() {
  if (stamp(BUILD_STAMP) === hashTree() && existsSync(join(ROOT, 'dist', 'cli.cjs'))) return
  say('Building …')
  run(join(ROOT, 'scripts', 'drivers.mjs'), [])
  // Built aside and swapped in, so that a failed build leaves the old program working.
  const fresh = join(ROOT, 'dist.new')
  rmSync(fresh, { recursive: true, force: true })
  run(bin('rolldown'), ['-c', '--logLevel', 'silent', '--dir', fresh])
  const quick = readdirSync(fresh)
    .filter((file) => file.startsWith('quick-'))
    .map((file) => join(fresh, file))
  const whole = ['cli.cjs', 'mcp.cjs'].map((file) => join(fresh, file))
  for (const file of [...whole, ...quick]) asFunction(file)
  for (const file of whole) makeCache(file)
  if ((await script('scripts/code-cache.ts', quick)) !== 0)
    fail('The quick commands do not work; what is wrong stands above.')
  const types = join(fresh, 'types')
  run(bin('tsc'), ['-p', 'tsconfig.build.json', '--outDir', types])
  run(join(ROOT, 'scripts', 'roll-types.mjs'), [types, join(fresh, 'index.d.ts')])
  rmSync(types, { recursive: true })
  writeFileSync(join(fresh, '.ralph-build'), hashTree())
  rmSync(join(ROOT, 'dist'), { recursive: true, force: true })
  renameSync(fresh, join(ROOT, 'dist'))
}

/**
 * The files that commands start with (see bin/ralph.cjs) are in ASCII, which Node reads in no time and V8 keeps in half the room. They
 * stand in the function that Node puts around a module: done at each start, it would copy the whole text once more.
 */
function asFunction(file) {
  const text = readFileSync(file, 'utf8')
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(text))
    fail(`${file} has a String.raw with a sign beyond ASCII: write it as \\u….`)
  const source = text.replaceAll(/[^\0-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
  writeFileSync(file, Module.wrap(source))
}

/**
 * V8's code cache of the whole program: all functions are compiled for it, because nobody knows which ones a start will touch. It fits
 * the V8 that made it; the flag is taken back first, because a cache remembers flags too. Those of the quick commands: scripts/code-cache.ts.
 */
function makeCache(file) {
  setFlagsFromString('--no-lazy')
  // The name goes into the cache, and from there into traces on machines that have no such folder.
  const whole = new Script(readFileSync(file, 'latin1'), {
    filename: `ralph/dist/${basename(file)}`,
  })
  setFlagsFromString('--lazy')
  writeFileSync(`${file}.cache`, whole.createCachedData())
}

function hashTree() {
  const sum = createHash('sha256')
  for (const name of SOURCES) {
    for (const file of filesBelow(join(ROOT, name))) {
      if (file.endsWith('.test.ts')) continue
      sum.update(file.slice(ROOT.length)).update('\0').update(readFileSync(file)).update('\0')
    }
  }
  return sum.digest('hex')
}

function filesBelow(path) {
  if (!existsSync(path)) return []
  const entries = statOrNull(path)
  if (entries === null) return [path]
  return entries.flatMap((entry) => filesBelow(join(path, entry)))
}

function statOrNull(path) {
  try {
    return readdirSync(path).toSorted()
  } catch {
    return null
  }
}

/** Types, lint, format, dead code, package shape, stale docs. No tests: those are `npm test`. */
async function check() {
  const steps = [
    ['types', () => tool('tsc', ['--noEmit', '-p', '.'])],
    ['types of the pure rooms', () => tool('tsc', ['-p', 'tsconfig.pure.json'])],
    ['lint', () => tool('oxlint', ['--type-aware', '--deny-warnings', 'src', 'scripted-agent', 'test', 'scripts'])],
    ['format', () => tool('oxfmt', ['--check'])],
    ['dead code', () => tool('knip', [])],
    ['package', () => tool('publint', ['--strict'])],
    ['docs', () => script('scripts/docs.ts', ['--check'])],
  ]
  let failed = 0
  for (const [name, step] of steps) {
    const began = Date.now()
    const code = await step()
    say(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
    if (code !== 0) failed += 1
  }
  say(`${steps.length - failed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

/** TypeScript programs of the project itself: bundled into the cache folder of node_modules, then run. */
async function script(file, args) {
  const { build } = await import('rolldown')
  const out = join(
    ROOT,
    'node_modules',
    '.cache',
    'ralph',
    `${file.replaceAll(/[\\/]/g, '-').replace(/\.ts$/, '')}.mjs`,
  )
  await build({
    input: join(ROOT, file),
    platform: 'node',
    external: ['@photostructure/sqlite', 'fast-check', 'rolldown', 'rolldown/parseAst', 'vitest', 'vitest/node'],
    output: { file: out, format: 'esm', sourcemap: 'inline', codeSplitting: false },
    logLevel: 'warn',
  })
  return node(['--enable-source-maps', out, ...args])
}

function tool(name, args) {
  return node([bin(name), ...args])
}

function node(args) {
  const done = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' })
  return done.status ?? 1
}

function run(file, args) {
  const done = spawnSync(process.execPath, [file, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // The long list of what was built is only of interest when it was not.
  if (done.status !== 0) fail(`${done.stdout}The build failed; what is wrong stands above.`)
}

/** The script behind a package's command, so that no shell and no shebang is needed. */
function bin(name) {
  const folder = join(ROOT, 'node_modules', name === 'tsc' ? 'typescript' : name)
  const { bin: bins } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bins === 'string' ? bins : bins[name])
}

function npm() {
  return process.platform === 'win32' ? 'npm.cmd' : 'npm'
}

/** A folder is made by one process only; a lock whose owner is gone is taken over. */
async function withLock(work) {
  for (;;) {
    try {
      mkdirSync(LOCK)
      break
    } catch (error) {
      if (error.code === 'EEXIST') {
        if (isStale()) rmSync(LOCK, { recursive: true, force: true })
        else await new Promise((resolve) => setTimeout(resolve, 200))
      } else if (error.code === 'EROFS' || error.code === 'EACCES') {
        fail(`This folder cannot be written: ${error.message}`)
      } else throw error
    }
  }
  writeFileSync(join(LOCK, 'pid'), String(process.pid))
  try {
    await work()
  } finally {
    rmSync(LOCK, { recursive: true, force: true })
  }
}

function isStale() {
  const pid = Number(stamp(join(LOCK, 'pid')))
  // Its owner writes the pid at once; a lock without one was left by a process that died in between.
  if (!(pid > 0)) return lockAge() > 5_000
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

function lockAge() {
  try {
    return Date.now() - statSync(LOCK).mtimeMs
  } catch {
    return 0
  }
}

function stamp(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

function hash(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}

function say(text) {
  process.stderr.write(`${text}\n`)
}

function fail(text, code = 1) {
  say(text)
  rmSync(LOCK, { recursive: true, force: true })
  process.exit(code)
}

await main()
