/** What happens when the store is damaged, loses its end, is moved, or its disk refuses, as a user meets it. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSqlite } from '../../src/store/db/sqlite.ts'
import { DONE, testProject, NOT_YET, type TestProject, type CommandResult, type ScriptedTurn } from '../test-project.ts'

const storeOf = ({ path }: Pick<TestProject, 'path'>): string => join(path, '.git', 'ralph', 'root')
const database = (made: Pick<TestProject, 'path'>): string => join(storeOf(made), 'ralph.db')

const WORK: ScriptedTurn = [
  { do: 'write', path: 'one.txt', content: 'one\n' },
  { do: 'status', fields: NOT_YET },
]
const FINISH: ScriptedTurn = [
  { do: 'write', path: 'two.txt', content: 'two\n' },
  { do: 'status', fields: DONE },
]
const HANG: ScriptedTurn = [
  { do: 'write', path: 'half.txt', content: 'half\n' },
  { do: 'say', text: 'half of it is there' },
  { do: 'hang' },
]

/** A run killed in its second iteration. */
async function cutOff(turns: ScriptedTurn[] = [WORK, HANG, FINISH]): Promise<TestProject> {
  const made = await testProject({ turns })
  const walk = made.start(['loop', '--live'])
  await walk.waitFor('half of it is there')
  await walk.kill('SIGKILL')
  return made
}

async function ended(): Promise<TestProject> {
  const made = await testProject({ turns: [FINISH, FINISH] })
  expect((await made.ralph(['loop'])).code).toBe(0)
  return made
}

/** The tables of runs and usage lie there. */
function damagePages(file: string): void {
  const bytes = readFileSync(file)
  bytes.fill(0xa5, 5 * 4096, 16 * 4096)
  writeFileSync(file, bytes)
}

async function runsIn(made: TestProject): Promise<{ id: string; is: string; workspace: string }[]> {
  return JSON.parse((await made.ralph(['runs', '--json'])).stdout) as never
}

describe('pages damaged inside', () => {
  test('a start quarantines the file, says so once, and continues', async () => {
    const made = await ended()
    damagePages(database(made))
    const first = await made.ralph(['loop'])
    expect([first.code, first.stderr]).toEqual([
      0,
      expect.stringMatching(/ralph\.db is damaged .+ Ralph saved it as .+ralph\.db\.damaged-.+ created a new store/),
    ])
    const second = await made.ralph(['loop'])
    expect([second.code, second.stderr]).toEqual([0, ''])
  })

  test.each([['runs'], ['resume'], ['doctor']])(
    'ralph %s sets it aside and says what to do, and that works',
    async (...words) => {
      const made = await ended()
      damagePages(database(made))
      const met = await made.ralph(words)
      expect([met.code, `${met.stdout}${met.stderr}`]).toEqual([
        words[0] === 'doctor' ? 1 : 7,
        expect.stringContaining('was quarantined as'),
      ])
      expect(`${met.stdout}${met.stderr}`).toContain('Start again: ralph loop')
      const after = await made.ralph(['runs'])
      expect([after.code, after.stderr]).toEqual([
        3,
        expect.stringContaining('since Ralph quarantined the damaged store'),
      ])
      expect((await made.ralph(['loop'])).code).toBe(0)
    },
  )
})

describe('what was written and is gone', () => {
  test('a missing -wal is noticed, and nothing of the lost run is left running', async () => {
    const made = await cutOff([WORK, HANG, FINISH])
    rmSync(`${database(made)}-wal`)
    const looked = await made.ralph(['status'])
    expect([looked.code, looked.stderr]).toEqual([7, expect.stringContaining('its -wal file is gone. It held run')])
    const again = await made.ralph(['loop'])
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('Ralph created a new store')])
    expect(processesIn(made)).toEqual([])
  })

  test('a database restored from an older copy continues from there and says what is lost', async () => {
    const made = await testProject({ turns: [WORK, HANG, FINISH] })
    const walk = made.start(['loop', '--live'])
    await walk.waitFor('half of it is there')
    const kept = await copied(database(made))
    await walk.kill('SIGINT')
    for (const tail of ['', '-wal', '-shm']) rmSync(`${database(made)}${tail}`, { force: true })
    renameSync(kept, database(made))
    const looked = await made.ralph(['runs'])
    expect(looked.stderr).toMatch(/Run \w+ wrote \d+ rows, but the database has only the first \d+/)
    const again = await made.ralph(['loop'])
    expect([again.code, again.stderr]).toEqual([0, expect.stringMatching(/The run continues from row \d+\./)])
    expect((await made.ralph(['runs'])).stderr).toBe('')
    expect((await made.ralph(['replay', '--check'])).code).toBe(0)
  })

  test('reports an emptied database instead of taking it for a project without a run', async () => {
    const made = await ended()
    truncateSync(database(made))
    const looked = await made.ralph(['status'])
    expect([looked.code, looked.stderr]).toEqual([7, expect.stringContaining('is empty (0 bytes). It held run')])
    const again = await made.ralph(['loop'])
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('is empty (0 bytes). It held run')])
    expect((await made.ralph(['status'])).code).toBe(0)
  })
})

test('a project folder that was moved resumes its unfinished run', async () => {
  const made = await cutOff()
  const [left] = await runsIn(made)
  const to = `${made.path}-moved`
  renameSync(made.path, to)
  const there = { cwd: '../project-moved' }
  const looked = await made.ralph(['status'], there)
  expect(looked.stdout).toContain(`run ${left?.id}`)
  const again = await made.ralph(['loop'], there)
  expect([again.code, again.stderr]).toEqual([
    0,
    `This project was moved here from ${made.path}. Ralph still has its runs and tasks.\n`,
  ])
  expect(again.stdout).toContain(`Resuming run ${left?.id}, interrupted in iteration 2.`)
})

describe('a disk that refuses leaves the run unfinished, and the same command continues', () => {
  test('no folder can be made for the logs', async () => {
    const made = await testProject({ turns: [WORK, FINISH] })
    const logs = join(storeOf(made), 'logs')
    const first = made.start(['loop', '--once'])
    await first.ended
    rmSync(logs, { recursive: true })
    writeFileSync(logs, 'in the way\n')
    const refused = await made.ralph(['loop'])
    expect([refused.code, refused.stderr]).toEqual([7, expect.stringContaining('a file is where a folder is needed')])
    expect((await runsIn(made))[0]).toMatchObject({ is: 'cut-off' })
    rmSync(logs)
    const again = await made.ralph(['loop'])
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('Resuming run')])
  })

  test('files may not grow any further', async () => {
    const made = await testProject({ turns: [WORK, FINISH] })
    const limited = limitedTo(made, { kilobytes: 64 }, ['loop'])
    expect([limited.code, limited.stderr]).toEqual([7, expect.stringMatching(/disk|larger than/)])
    const again = await made.ralph(['loop'])
    expect(again.code).toBe(0)
    expect(await runsIn(made)).toHaveLength(1)
  })

  const asRoot = process.getuid?.() === 0
  test.skipIf(asRoot)('the store may not be written', async () => {
    const made = await ended()
    execFileSync('chmod', ['-R', 'a-w', storeOf(made)])
    const refused = await made.ralph(['loop'])
    execFileSync('chmod', ['-R', 'u+w', storeOf(made)])
    expect([refused.code, refused.stderr]).toEqual([7, expect.stringContaining('permission denied')])
    expect((await made.ralph(['loop'])).code).toBe(0)
  })
})

describe('nothing of ours is left behind in the repository', () => {
  test('when a run ends by itself', async () => {
    const made = await ended()
    expect(remains(made)).toEqual([])
  })

  test('when the next run begins after a kill in the middle of a snapshot', async () => {
    const made = await cutOff()
    const [left] = await runsIn(made)
    const before = remains(made)
    writeFileSync(join(made.path, '.git', 'refs', 'ralph', left?.id ?? '', '3.lock'), '')
    writeFileSync(join(made.path, '.ralph', '.ralph-999999-0123456789.tmp'), 'half')
    const again = await made.ralph(['loop'])
    expect([before.length > 0, again.code, remains(made)]).toEqual([true, 0, []])
  })
})

test('a run that ended before it could report does so at the next start, without a paid call', async () => {
  const made = await testProject({ turns: [FINISH, FINISH] })
  const mend = holdAfterTheEnd(made)
  const walk = made.start(['loop', '--json'])
  await walk.waitFor('"type":"run-ended"')
  await walk.kill('SIGKILL')
  mend()
  const paid = made.starts().length
  const told = await made.ralph(['loop'])
  expect([told.code, told.stdout, made.starts().length]).toEqual([
    0,
    expect.stringMatching(
      /Run \w+ had already finished at .+\n.*No agent was started\. To start a new run: ralph loop\n/,
    ),
    paid,
  ])
  expect(told.stdout).toContain('report: .ralph/reports/')
  const next = await made.ralph(['loop'])
  expect([next.code, made.starts().length > paid, (await runsIn(made)).length]).toEqual([0, true, 2])
})

test('but where something changed since, there is new work', async () => {
  const made = await testProject({ turns: [FINISH, FINISH] })
  const mend = holdAfterTheEnd(made)
  const walk = made.start(['loop', '--json'])
  await walk.waitFor('"type":"run-ended"')
  await walk.kill('SIGKILL')
  mend()
  const paid = made.starts().length
  await made.write('wish.txt', 'one more thing\n')
  const next = await made.ralph(['loop'])
  expect([next.code, next.stderr, made.starts().length > paid]).toEqual([
    0,
    expect.stringMatching(/^Run \w+ has ended \(.+\)\. Starting a new one\.\n$/),
    true,
  ])
})

/** Puts a git in the way that does not come back from clearing away old snapshots, which is done after the last row. */
function holdAfterTheEnd({ path }: TestProject): () => void {
  const git = join(dirname(path), 'bin', 'git')
  const real = realpathSync(git)
  const pipe = join(dirname(path), 'never')
  execFileSync('sh', ['-c', `mkfifo '${pipe}'`])
  rmSync(git)
  writeFileSync(git, `#!/bin/sh\ncase "$*" in *for-each-ref*) read -r _ < '${pipe}' ;; esac\nexec '${real}' "$@"\n`)
  chmodSync(git, 0o755)
  return () => {
    rmSync(git)
    symlinkSync(real, git)
  }
}

/** A copy by SQLite itself, in the middle of a run. */
async function copied(file: string): Promise<string> {
  const sqlite = openSqlite(file, { immutable: false, notice: () => {} })
  await sqlite.script(`vacuum into '${file}.copy'`)
  await sqlite.close()
  return `${file}.copy`
}

/** Names in the repository's own folder, and temporary files in `.ralph`, that should not be there. */
function remains({ path }: TestProject): string[] {
  const git = readdirSync(join(path, '.git')).filter((name) => name.startsWith('ralph-'))
  const refs = readdirSync(join(path, '.git', 'refs', 'ralph'), { recursive: true }) as string[]
  const temporary = readdirSync(join(path, '.ralph')).filter((name) => name.endsWith('.tmp'))
  return [...git, ...refs.filter((name) => name.endsWith('.lock')), ...temporary]
}

function processesIn({ path }: TestProject): string[] {
  const table = execFileSync('ps', ['-axww', '-o', 'pid=,command='], { encoding: 'utf8' })
  return table.split('\n').filter((line) => line.includes('ralph-scripted-agent') && line.includes(join(path, '..')))
}

/** A limit on file sizes: what a full disk does, without a disk. */
function limitedTo({ path, env }: TestProject, { kilobytes }: { kilobytes: number }, words: string[]): CommandResult {
  const ralph = join(import.meta.dirname, '..', '..', 'bin', 'ralph.cjs')
  const script = `trap '' XFSZ; ulimit -f ${kilobytes}; exec "$0" "$@"`
  const argv = ['-c', script, process.execPath, ralph, ...words]
  try {
    const stdout = execFileSync('bash', argv, { cwd: path, env, encoding: 'utf8', stdio: 'pipe' })
    return { code: 0, signal: null, stdout, stderr: '' }
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string }
    return { code: status, signal: null, stdout, stderr }
  }
}
