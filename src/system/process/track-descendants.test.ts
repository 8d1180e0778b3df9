import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { randomId } from '../clock.ts'
import { exists, makeTempFolder, sizeOf } from '../files/files.ts'
import { livingProcesses, findProcess, procFileText } from './process-table.ts'
import { endMarkedProcesses, endRecordedProcesses, MARK_VARIABLE, startProcess } from './process.ts'
import { buildHelperEnv } from '../environment.ts'
import {
  detachedParentScript,
  HAS_PRLIMIT,
  HAS_SETSID,
  hasMarkLimit,
  isProcessAlive,
  type ShellChild,
  startShellChild,
  until,
} from '../../../test/kit/system.ts'
import { startUnrelatedProcess } from '../../../test/kit/system.ts'

let folder = ''
let notes = ''
beforeEach(() => {
  folder = makeTempFolder('ralph-lineage-')
  notes = join(folder, 'notes', 'e1')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** The sleeper's pid, once it was noted and its parent is gone. */
async function loosened(child: ShellChild): Promise<number> {
  child.write(detachedParentScript(folder))
  await until(() => child.numbers().length === 2 && child.noted().includes(child.numbers()[0] ?? 0))
  const [sleeper = 0, parent = 0] = child.numbers()
  process.kill(parent, 'SIGKILL')
  await until(() => findProcess(sleeper)?.parent !== parent)
  return sleeper
}

describe('what was noted is ended', () => {
  test('in a session of its own, with an empty environment and a dead parent', async () => {
    const child = startShellChild({ cwd: folder, notes, mark: null })
    const sleeper = await loosened(child)
    child.closeStdin()
    await child.ended
    expect(isProcessAlive(sleeper)).toBe(true)
    await child.stop({ graceMs: 0 })
    expect([isProcessAlive(sleeper), exists(notes)]).toEqual([false, false])
  })

  test('with what it starts after its parent is gone', async () => {
    const child = startShellChild({ cwd: folder, notes, mark: null })
    const sleeper = await loosened(child)
    const before = child.noted().length
    await until(() => exists(join(folder, `sleeper.cjs.${sleeper}`)))
    process.kill(sleeper, 'SIGUSR2')
    await until(() => child.noted().length > before)
    const another = child.noted().at(-1) ?? 0
    process.kill(sleeper, 'SIGKILL')
    await until(() => !isProcessAlive(sleeper))
    await child.stop({ graceMs: 1000 })
    expect([another === sleeper, isProcessAlive(another)]).toEqual([false, false])
  })

  test('by whoever comes after us, when we died', async () => {
    const child = startShellChild({ cwd: folder, notes, mark: null })
    const sleeper = await loosened(child)
    await endMarkedProcesses(randomId(10), { graceMs: 0, notes })
    expect([isProcessAlive(sleeper), isProcessAlive(child.pid), exists(notes)]).toEqual([false, false, false])
  })

  test('also by somebody who knows the folder of the notes only', async () => {
    const child = startShellChild({ cwd: folder, notes, mark: randomId(10) })
    const sleeper = await loosened(child)
    await endRecordedProcesses(join(folder, 'notes'), { graceMs: 0 })
    expect([isProcessAlive(sleeper), isProcessAlive(child.pid)]).toEqual([false, false])
  })
})

test.runIf(HAS_PRLIMIT && HAS_SETSID)('what a program cuts loose first of all is ended with it', async () => {
  const times = 10
  const pids: number[] = []
  for (let i = 0; i < times; i++) {
    const child = startProcess({
      argv: ['sh', '-c', 'env -i setsid sleep 300 > /dev/null 2>&1 < /dev/null & echo $!'],
      cwd: folder,
      env: buildHelperEnv({ pass: [], add: { [MARK_VARIABLE]: randomId(10) } }),
      stdin: 'none',
      follow: { notes: null },
      onStdout: (chunk) => pids.push(Number(chunk.toString())),
      onStderr: () => {},
    })
    await child.ended
    await child.stop({ graceMs: 0 })
  }
  expect([pids.length, pids.filter(isProcessAlive)]).toEqual([times, []])
})

test.runIf(HAS_PRLIMIT && HAS_SETSID)(
  'what cleared its environment and lost its parent at once is ended though nobody saw it',
  async () => {
    const child = startShellChild({ cwd: folder, notes, mark: randomId(10) })
    await until(() => hasMarkLimit(child.pid))
    const times = 10
    for (let i = 0; i < times; i++)
      child.write(`sh -c 'env -i setsid sleep 300 > /dev/null 2>&1 < /dev/null & echo $!'\n`)
    child.closeStdin()
    await child.ended
    const pids = child.numbers()
    expect([pids.length, pids.filter(isProcessAlive).length]).toEqual([times, times])
    await child.stop({ graceMs: 0 })
    expect(pids.filter(isProcessAlive)).toEqual([])
  },
)

test.runIf(HAS_PRLIMIT && HAS_SETSID).each(['who stops it', 'whoever comes after us, when we died'])(
  'what a command cut loose that we ran for a child of ours is ended by %s',
  async (who) => {
    const child = startShellChild({ cwd: folder, notes, mark: randomId(10) })
    const mark = { name: 'TMP_MARK', value: randomId(10) }
    child.expects(mark)
    let said = ''
    const command = startProcess({
      argv: ['sh', '-c', 'env -i setsid sleep 300 > /dev/null 2>&1 < /dev/null & echo $!'],
      cwd: folder,
      env: buildHelperEnv({ pass: [], add: { [mark.name]: mark.value } }),
      stdin: 'none',
      follow: { notes: null },
      mark,
      onStdout: (chunk) => (said += chunk.toString()),
      onStderr: () => {},
    })
    await command.ended
    const sleeper = Number(said)
    expect(isProcessAlive(sleeper)).toBe(true)
    if (who === 'who stops it') await child.stop({ graceMs: 0 })
    else await endRecordedProcesses(join(folder, 'notes'), { graceMs: 0 })
    expect(isProcessAlive(sleeper)).toBe(false)
  },
)

describe.runIf(HAS_SETSID)('a chain that forks faster than it is swept', () => {
  /** Each link starts the next one in a session of its own and ends. It ends by itself after so many links, whatever happens. */
  const LINKS = 4000
  const CHAIN = `echo >> "$2.at"\n[ "$1" -lt ${LINKS} ] && [ ! -e "$2.end" ] && { $3 setsid sh "$0" $(($1 + 1)) "$2" "$3" > /dev/null 2>&1 < /dev/null & }\n`

  test.each([
    ['keeps its mark', ''],
    ...(HAS_PRLIMIT ? [['clears its environment', `env -i PATH=${process.env['PATH'] ?? ''}`]] : []),
  ])('and %s is ended', async (_what, prefix = '') => {
    const file = join(folder, 'chain.sh')
    const state = join(folder, 'state')
    writeFileSync(file, CHAIN)
    const reached = () => sizeOf(`${state}.at`) ?? 0
    try {
      const child = startShellChild({ cwd: folder, notes, mark: randomId(10) })
      await until(() => !HAS_PRLIMIT || hasMarkLimit(child.pid))
      child.write(`sh '${file}' 1 '${state}' '${prefix}'\n`)
      await until(() => reached() > 20)
      child.closeStdin()
      await child.ended
      await child.stop({ graceMs: 0 })
      const at = reached()
      const links = livingProcesses().filter(({ pid }) => procFileText(pid, 'cmdline').includes(file))
      expect(links).toEqual([])
      expect(at).toBeLessThan(LINKS)
      for (let i = 0; i < 20; i++) expect(livingProcesses().length).toBeGreaterThan(0) // some 100 ms of a living chain
      expect(reached()).toBe(at)
    } finally {
      writeFileSync(`${state}.end`, '')
    }
  })
})

describe.runIf(process.platform === 'linux')('an orphan that nobody saw being born', () => {
  test('is named and left alone when it began meanwhile in the folder, and only then', async () => {
    const before = await startUnrelatedProcess(folder)
    const child = startShellChild({ cwd: folder, notes, mark: randomId(10) })
    const elsewhere = await startUnrelatedProcess(join(folder, '..'))
    const server = await startUnrelatedProcess(folder)
    await child.stop({ graceMs: 0 })
    const startTime = findProcess(server)?.startTime
    const command = `${process.execPath} -e setInterval(() => {}, 1000) my server`
    expect(child.orphans(folder)).toEqual([{ pid: server, startTime, command }])
    expect([before, elsewhere, server].filter(isProcessAlive)).toEqual([before, elsewhere, server])
  })

  test('one that was noted is ended and not named', async () => {
    const child = startShellChild({ cwd: folder, notes, mark: null })
    const sleeper = await loosened(child)
    await child.stop({ graceMs: 0 })
    expect([child.orphans(folder), isProcessAlive(sleeper)]).toEqual([[], false])
  })
})
