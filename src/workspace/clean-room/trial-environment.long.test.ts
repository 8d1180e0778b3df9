import { basename, delimiter, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Env } from '../../core/trust/environment.ts'
import { fullEnvironment } from '../../system/environment.ts'
import { ensureFolder, exists, readText, writeWithoutSync } from '../../system/files/files.ts'
import { createLinkTo, realPath } from '../../system/files/links.ts'
import { runProgram } from '../../system/process/process.ts'
import { openRepo } from '../repo/git.ts'
import { aFolder, aRepo, removeTestProjects, type TestProject } from '../../../test/kit/workspace.ts'
import { buildTrialEnvironment } from './trial-environment.ts'
import { findSharedHome, linkSharedHome } from './shared-tools/shared-home.ts'
import type { CleanRoom } from './clean-room.ts'

afterAll(removeTestProjects)

describe('what a trial is told', () => {
  test('nothing of Ralph, a new home, a new place for scratch files', async () => {
    const { env, room } = await trial({ env: { RALPH_EFFECT: 'p.r.e1', XDG_CONFIG_HOME: '/x', LANG: 'C' } })
    expect(env).toEqual({
      PATH: '',
      LANG: 'C',
      HOME: room.home,
      USERPROFILE: room.home,
      TMPDIR: room.tmp,
      TMP: room.tmp,
      TEMP: room.tmp,
    })
  })

  test('what leads into the working tree leads into the room', async () => {
    const project = aFolder()
    const { env, room } = await trial({
      project,
      env: {
        VIRTUAL_ENV: project.path('.venv'),
        PYTHONPATH: `${project.path('src')}:/opt/lib`,
        FLAGS: `--config=${project.root}/x.json -q`,
        OTHER: `${project.root}-old/x`,
        PATH: `${project.path('node_modules/.bin')}:./bin:/usr/bin`,
      },
    })
    expect(env).toMatchObject({
      VIRTUAL_ENV: join(room.top, '.venv'),
      PYTHONPATH: `${join(room.top, 'src')}:/opt/lib`,
      FLAGS: `--config=${room.top}/x.json -q`,
      OTHER: `${project.root}-old/x`,
      PATH: `${join(room.top, 'node_modules/.bin')}:./bin:/usr/bin`,
    })
  })

  test('a link into the working tree is followed', async () => {
    const project = aFolder({ 'tools/x': '' })
    const link = join(aFolder().root, 'tools')
    createLinkTo(project.path('tools'), link)
    const { env, room } = await trial({ project, env: { TOOLS: link } })
    expect(env['TOOLS']).toBe(join(room.top, 'tools'))
  })

  test('of the home folder only tool chains and fetched packages are seen', async () => {
    const home = aFolder({
      '.npmrc': '',
      '.npm/_cacache/x': '',
      '.rustup/settings.toml': '',
      'jdk/bin/java': '',
      '.cargo/bin/x': '',
      'bin/mine': '',
    })
    const { env } = await trial({
      home,
      env: {
        npm_config_userconfig: home.path('.npmrc'),
        JAVA_HOME: home.path('jdk'),
        CARGO_HOME: home.path('.cargo'),
        MAVEN_OPTS: `-Dsettings=${home.path('.m2/settings.xml')}`,
        NODE_CACHE: `file:${home.path('.npm')}/x`,
        DATA: `${home.path('data')}:/opt/data`,
        PLAIN: 'homely',
        BEFORE: home.root,
        EDITOR: `/usr/bin/vim -u ${home.path('.vimrc')}`,
      },
    })
    const { HOME, USERPROFILE, TMPDIR, TMP, TEMP, PATH, ...rest } = env
    expect(rest).toEqual({
      JAVA_HOME: home.path('jdk'),
      NODE_CACHE: `file:${home.path('.npm')}/x`,
      DATA: '/opt/data',
      PLAIN: 'homely',
      RUSTUP_HOME: home.path('.rustup'),
      npm_config_cache: home.path('.npm'),
    })
    expect([HOME === home.root, USERPROFILE, TMP, TEMP, PATH]).toEqual([false, HOME, TMPDIR, TMPDIR, ''])
  })

  test('a cache that the user moved is lent from where it is', async () => {
    const home = aFolder({ 'big/uv/x': '', 'big/npm/x': '' })
    const { env } = await trial({
      home,
      env: { XDG_CACHE_HOME: home.path('big'), NPM_CONFIG_CACHE: home.path('big/npm') },
    })
    expect(env).toMatchObject({ UV_CACHE_DIR: home.path('big/uv'), npm_config_cache: home.path('big/npm') })
  })

  test('where there is no variable, the new home has a link', async () => {
    const home = aFolder({ '.m2/repository/a': 'jar', '.m2/settings.xml': 'secret' })
    const { room, again } = await trial({ home, env: {} })
    expect(readText(join(room.home, '.m2/repository/a'))).toBe('jar')
    expect(exists(join(room.home, '.m2/settings.xml'))).toBe(false)
    again()
    expect(readText(home.path('.m2/repository/a'))).toBe('jar')
  })

  test('versions that were chosen above the project are told, its own are not', async () => {
    const outer = aFolder({
      '.python-version': '3.11.7\n3.9.1\n',
      '.tool-versions': 'nodejs 20.1.0 # the usual\nruby 3.2\n',
      'rust-toolchain.toml': '[toolchain]\nchannel = "1.75"\n',
      '.ruby-version': '3.2\n',
      'app/.ruby-version': '3.3\n',
      'app/.tool-versions': 'ruby 3.3\n',
    })
    const { env } = await trial({ project: { ...outer, root: outer.path('app') }, env: {} })
    expect(env).toMatchObject({
      PYENV_VERSION: '3.11.7:3.9.1',
      RUSTUP_TOOLCHAIN: '1.75',
      ASDF_NODEJS_VERSION: '20.1.0',
    })
    expect(Object.keys(env).filter((name) => /RBENV|RUBY/.test(name))).toEqual([])
  })

  test("rustup's rule for the project's path is told", async () => {
    const project = aFolder()
    const home = aFolder({
      '.rustup/settings.toml': `version = "12"\n[overrides]\n"${project.root}" = "nightly-x86_64"\n"/elsewhere" = "beta"\n`,
    })
    const { env } = await trial({ project, home, env: {} })
    expect(env['RUSTUP_TOOLCHAIN']).toBe('nightly-x86_64')
  })

  test('who commits is known, and no more of the settings', async () => {
    const project = await aRepo({ a: '' })
    await project.git('config', 'user.name', 'Ada "the" Lovelace')
    await project.git('config', 'user.email', 'ada@example.com')
    const { env, room } = await trial({ project, env: pathOnly() })
    const asked = await runProgram(['git', 'config', '--global', 'user.name'], { cwd: room.top, env })
    expect(asked.stdout).toBe('Ada "the" Lovelace\n')
  })
})

describe('programs of the home folder', () => {
  test('are those of the start, wherever they look for themselves', async () => {
    const home = aFolder({ 'lib/help.txt': 'helped' })
    program(home, 'bin/plain', '#!/bin/sh\necho plain')
    program(home, 'bin/near', '#!/bin/sh\ncat "$(dirname "$0")/../lib/help.txt"')
    program(home, 'real/behind', '#!/bin/sh\necho behind')
    createLinkTo(home.path('real/behind'), home.path('bin/linked'))
    const { env, room } = await trial({
      home,
      env: { PATH: `${home.path('bin')}:${pathOnly()['PATH']}` },
      after: () => program(home, 'bin/make', '#!/bin/sh\necho mine'),
    })
    const said = await runProgram(['sh', '-c', 'plain; near; linked; command -v make'], {
      cwd: room.top,
      env,
    })
    expect(said.stdout.split('\n').slice(0, 2)).toEqual(['plain', 'helpedbehind'])
    expect(said.stdout).not.toContain(home.root)
  })

  test('what a trial puts among them is gone in the next', async () => {
    const home = aFolder()
    program(home, 'bin/plain', '#!/bin/sh\necho plain')
    const first = await trial({ home, env: { PATH: home.path('bin') } })
    const folder = first.env['PATH'] ?? ''
    writeWithoutSync(join(folder, 'make'), '#!/bin/sh\ntrue')
    first.again()
    expect([exists(join(folder, 'make')), exists(join(folder, 'plain'))]).toEqual([false, true])
  })

  test('a virtual environment in the home folder stays one', async ({ skip }) => {
    const home = aFolder()
    const made = await runProgram(['python3', '-m', 'venv', '--without-pip', 'env'], {
      cwd: home.root,
      env: fullEnvironment(),
    })
    skip(made.code !== 0, 'python3 makes no virtual environment on this machine')
    const { env, room } = await trial({
      home,
      env: {
        PATH: `${home.path('env/bin')}:${pathOnly()['PATH']}`,
        VIRTUAL_ENV: home.path('env'),
      },
    })
    const said = await runProgram(['python3', '-c', 'import sys; print(sys.prefix)'], { cwd: room.top, env })
    expect(said.stdout.trim()).toBe(home.path('env'))
  })

  test('a package that is installed as it lies in the working tree is loaded from the room', async ({ skip }) => {
    const project = aFolder({ 'src/pkg/__init__.py': 'print("tree")' })
    const home = aFolder()
    const made = await runProgram(['python3', '-m', 'venv', '--without-pip', 'env'], {
      cwd: home.root,
      env: fullEnvironment(),
    })
    skip(made.code !== 0, 'python3 makes no virtual environment on this machine')
    const site = await runProgram(
      [home.path('env/bin/python'), '-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'],
      {
        cwd: home.root,
      },
    )
    writeWithoutSync(join(site.stdout.trim(), '__editable__.pkg.pth'), `${project.path('src')}\n`)
    const { env, room } = await trial({
      project,
      home,
      env: { PATH: `${home.path('env/bin')}:${pathOnly()['PATH']}`, VIRTUAL_ENV: home.path('env') },
    })
    ensureFolder(join(room.top, 'src/pkg'))
    writeWithoutSync(join(room.top, 'src/pkg/__init__.py'), 'print("room")')
    const said = await runProgram(['python3', '-c', 'import pkg'], { cwd: room.top, env })
    expect([said.stdout, said.stderr]).toEqual(['room\n', ''])
  })
})

/** What this machine has, asked in a room whose home is new. */
describe.skipIf(process.platform === 'win32')('the tools of this machine', () => {
  const TOOLS = [
    ['python3', '-c', '1'],
    ['python3', '-m', 'pytest', '--version'],
    ['pytest', '--version'],
    ['cargo', '--version'],
    ['rustc', '--version'],
    ['node', '--version'],
    ['npm', '--version'],
    ['npx', '--version'],
    ['pnpm', '--version'],
    ['yarn', '--version'],
    ['go', 'version'],
    ['ruby', '--version'],
    ['java', '-version'],
    ['uv', '--version'],
  ]

  test.for(TOOLS)('%s %s says the same as before', async (argv, { skip }) => {
    const before = await runProgram(argv, { cwd: aFolder().root, env: fullEnvironment() })
    skip(before.code !== 0, `${argv[0]} does not run on this machine`)
    const { env, room } = await trial({ env: fullEnvironment(), home: realHome() })
    const now = await runProgram(argv, { cwd: room.top, env })
    expect([now.code, now.stdout]).toEqual([before.code, before.stdout])
    expect(Object.keys(env).filter((name) => name.startsWith('RALPH_'))).toEqual([])
  })

  test('pytest runs in the room', async ({ skip }) => {
    const { env, room } = await trial({ env: fullEnvironment(), home: realHome() })
    const version = await runProgram(['pytest', '--version'], { cwd: room.top, env })
    skip(version.code !== 0, 'pytest does not run on this machine')
    writeWithoutSync(join(room.top, 'test_a.py'), 'def test_a(): assert 1\n')
    const said = await runProgram(['pytest', '-q'], { cwd: room.top, env })
    expect([said.code, said.stdout]).toEqual([0, expect.stringContaining('1 passed')])
  })

  test('a crate is compiled and tested in the room', { timeout: 120_000 }, async ({ skip }) => {
    const { env, room } = await trial({ env: fullEnvironment(), home: realHome() })
    const version = await runProgram(['cargo', '--version'], { cwd: room.top, env })
    skip(version.code !== 0, 'cargo does not run on this machine')
    ensureFolder(join(room.top, 'src'))
    writeWithoutSync(join(room.top, 'Cargo.toml'), '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n')
    writeWithoutSync(join(room.top, 'src/lib.rs'), '#[test]\nfn a() {}\n')
    const said = await runProgram(['cargo', 'test', '--offline'], { cwd: room.top, env })
    expect([said.code, said.stdout]).toEqual([0, expect.stringContaining('1 passed')])
  })
})

interface Trial {
  project?: TestProject
  home?: TestProject
  env: Env
  /** Done after the start of the run, and before the trial. */
  after?: () => void
}

async function trial({ project = aFolder(), home = aFolder(), env, after }: Trial) {
  const all = { PATH: '', ...env }
  const repo = await openRepo(project.root)
  const found = await findSharedHome({ env: all, repo, top: project.root, home: home.root })
  // A folder that cargo would make in this person's home is not for a test to make.
  const there = Object.entries(found.links).filter(([, target]) => exists(target))
  const sharedPaths = { ...found, links: Object.fromEntries(there) }
  after?.()
  const parent = aFolder().root
  const top = join(parent, basename(project.root))
  const room: CleanRoom = { parent, top, root: top, home: join(parent, 'h'), tmp: join(parent, 't') }
  for (const folder of [room.top, room.home, room.tmp]) ensureFolder(folder)
  const links = join(parent, 'b')
  const again = () => linkSharedHome(sharedPaths, { room, links })
  again()
  return {
    env: buildTrialEnvironment({ env: all, room, top: project.root, home: home.root, links, sharedPaths }),
    room,
    again,
  }
}

function pathOnly(): Env {
  const real = realHome().root
  const entries = (fullEnvironment()['PATH'] ?? '').split(delimiter)
  return {
    PATH: entries.filter((entry) => !(realPath(entry) ?? entry).startsWith(real)).join(delimiter),
  }
}

function realHome(): TestProject {
  return { ...aFolder(), root: fullEnvironment()['HOME'] ?? '/' }
}

function program(testProject: TestProject, path: string, text: string): void {
  ensureFolder(join(testProject.root, path, '..'))
  writeWithoutSync(testProject.path(path), `${text}\n`, { mode: 0o755 })
}
