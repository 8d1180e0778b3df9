import { basename, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { newAbortController } from '../../system/process/git-context.ts'
import { fullEnvironment } from '../../system/environment.ts'
import { ensureFolder, exists, readText } from '../../system/files/files.ts'
import { createMasker } from '../../system/mask/mask.ts'
import { findMarkedPids, runProgram, findProgram } from '../../system/process/process.ts'
import { openRepo } from '../repo/git.ts'
import { aFolder, removeTestProjects, testProjectAt } from '../../../test/kit/workspace.ts'
import { buildTrialEnvironment } from './trial-environment.ts'
import { findSharedHome, linkSharedHome } from './shared-tools/shared-home.ts'
import { runSetup, type SetupOptions } from './run-setup.ts'

afterAll(removeTestProjects)

describe('a set-up', () => {
  test('tells what it made, and nothing that was there', async () => {
    const { inside, set } = await aRoom({ 'src/a.js': '', 'deps/old.txt': '', 'node_modules/kept/x': '1' })
    const ran = await set('mkdir -p node_modules/new out/deep src/made && echo > .pnp.cjs && echo > src/a.js')
    expect(ran).toMatchObject({ ok: true, made: ['.pnp.cjs', 'node_modules', 'out', 'src/made'] })
    inside.write({ 'src/b.js': '' })
    expect(await set('rm deps/old.txt && echo 2 > node_modules/kept/x')).toMatchObject({
      ok: true,
      made: ['deps', 'node_modules'],
    })
    expect(await set('true')).toMatchObject({ ok: true, made: [] })
  })

  test('that fails says so with its last lines, keys masked', async () => {
    const { set, log } = await aRoom({})
    expect(await set('echo "no correct horse battery" >&2; exit 3')).toEqual({
      ok: false,
      why: 'failed',
      step: 'echo "no correct horse battery" >&2; exit 3',
      lines: [expect.stringMatching(/^no \S/)],
    })
    expect(readText(log)).not.toContain('correct horse battery')
    expect(await set('no-such-program-here')).toMatchObject({ ok: false, why: 'not-found' })
  })

  test('has its time, and leaves nobody behind', async () => {
    const { set, room } = await aRoom({})
    expect(await set('sleep 60 & sleep 60', { timeoutMs: 100 })).toMatchObject({
      ok: false,
      why: 'timed-out',
    })
    expect(await findMarkedPids({ name: 'TMPDIR', value: room.tmp })).toEqual([])
  })

  test('that is called off ends at once', async () => {
    const { set, room } = await aRoom({})
    const abort = newAbortController()
    const running = set('echo begun; sleep 60', { signal: abort.signal, tail: () => abort.abort() })
    await expect(running).rejects.toThrow()
    expect(await findMarkedPids({ name: 'TMPDIR', value: room.tmp })).toEqual([])
  })
})

describe.runIf(findProgram('npm') !== null)('npm in a room', { timeout: 60_000 }, () => {
  test('brings what the lock file names, in a home where nothing is', async () => {
    const { inside, set } = await aRoom(await aPackage())
    const ran = await set('npm ci --offline --no-audit --no-fund')
    expect(ran).toMatchObject({ ok: true, made: ['node_modules'] })
    expect(readText(inside.path('node_modules/small/installed.txt'))).toBe('yes\n')
  })

  test('runs no install script of a package that the base did not have, and those of others', async () => {
    const { inside, set } = await aRoom(await aPackage({ prepare: 'echo own > own.txt' }))
    const command = 'npm ci --offline --no-audit --no-fund'
    const script = inside.path('node_modules/small/installed.txt')
    const held = await set(command, { ignoreScripts: { added: ['small'], known: [] } })
    expect(held).toMatchObject({ ok: true, made: ['node_modules', 'own.txt'] })
    expect(exists(script)).toBe(false)
    await set(command, { ignoreScripts: { added: ['other'], known: ['small'] } })
    expect(exists(script)).toBe(true)
  })
})

/** A project with one dependency, packed into the project itself, which writes a file when it is installed. */
async function aPackage(scripts: Record<string, string> = {}): Promise<Record<string, string>> {
  const project = aFolder({
    'small/package.json': JSON.stringify({
      name: 'small',
      version: '1.0.0',
      scripts: { postinstall: 'echo yes > installed.txt' },
    }),
  })
  const env = { ...fullEnvironment(), npm_config_cache: project.path('.cache') }
  const npm = async (...args: string[]) => {
    const ran = await runProgram(['npm', ...args], { cwd: project.root, env })
    if (ran.code !== 0) throw new Error(ran.stderr)
  }
  await npm('pack', './small', '--silent')
  project.write({
    'package.json': JSON.stringify({
      name: 'app',
      version: '1.0.0',
      scripts,
      dependencies: { small: 'file:small-1.0.0.tgz' },
    }),
  })
  await npm('install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund')
  const packed = await runProgram(['base64', '-w0', 'small-1.0.0.tgz'], { cwd: project.root })
  return {
    'package.json': readText(project.path('package.json')),
    'package-lock.json': readText(project.path('package-lock.json')),
    'small-1.0.0.tgz.base64': packed.stdout,
  }
}

async function aRoom(files: Record<string, string>) {
  const project = aFolder({ 'README.md': '' })
  const env = fullEnvironment()
  const home = aFolder().root
  const sharedPaths = await findSharedHome({
    env,
    repo: await openRepo(project.root),
    top: project.root,
    home,
  })
  const parent = aFolder().root
  const top = join(parent, basename(project.root))
  const room = { parent, top, root: top, home: join(parent, 'h'), tmp: join(parent, 't') }
  for (const folder of [room.top, room.home, room.tmp]) ensureFolder(folder)
  const links = join(parent, 'b')
  linkSharedHome({ ...sharedPaths, links: {} }, { room, links })
  const inside = testProjectAt(top)
  inside.write(files)
  if (files['small-1.0.0.tgz.base64'] !== undefined)
    await inside.sh('sh', '-c', 'base64 -d small-1.0.0.tgz.base64 > small-1.0.0.tgz && rm *.base64')
  const log = join(parent, 'log')
  let ticks = 0
  const set = (command: string, more: Partial<SetupOptions> = {}) =>
    runSetup({
      command,
      room,
      env: buildTrialEnvironment({ env, room, top: project.root, home, links, sharedPaths }),
      log,
      mask: createMasker(['correct horse battery']),
      now: () => (ticks += 1),
      ignoreScripts: null,
      ...more,
    })
  return { room, inside, set, log }
}
