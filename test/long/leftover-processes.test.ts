/** What an agent leaves behind that does not want to be found is ended; what nobody saw being born is named and spared. */
import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listFolder, readIfExists } from '../../src/system/files/files.ts'
import { isRunning, findProcess, type Proc } from '../../src/system/process/process-table.ts'
import { HAS_PRLIMIT, HAS_SETSID, isProcessAlive, until, startUnrelatedProcess } from '../kit/system.ts'
import { DONE, testProject, type TestProject, type ScriptedTurn } from '../test-project.ts'
import { ADDS, CLAIM, GATE, makeProofProject } from '../walk/proof-project.ts'
import { install } from '../walk/setup-kit.ts'

/** Cuts itself loose in every way at once; its parent waits until it is told to go, so that it is seen. */
const LOOSE =
  '{ env -i setsid sleep 300 & echo $! > loose.pid; until [ -e go ]; do sleep 0.05; done; } > /dev/null 2>&1 < /dev/null'
const AT_ONCE = 'sleep 0.3; { env -i setsid sleep 300 & echo $! > loose.pid; } > /dev/null 2>&1 < /dev/null'
const FINISH = [{ do: 'status', text: 'Done.', fields: DONE }] as const

async function fixture(turn: ScriptedTurn): Promise<TestProject & { loose(): Promise<number> }> {
  const made = await testProject({ turns: [turn, [{ do: 'hang' }]] })
  const loose = async (): Promise<number> => {
    await until(() => made.has('loose.pid') && readFileSync(join(made.path, 'loose.pid'), 'utf8') !== '')
    const pid = Number(await made.read('loose.pid'))
    const proc = findProcess(pid)
    onTestFinished(() => spare(proc))
    return pid
  }
  return { ...made, loose }
}

/** A failing test leaves nothing behind either. */
function spare(proc: Proc | null): void {
  if (proc !== null && isRunning(proc)) process.kill(proc.pid, 'SIGKILL')
}

/** Noted by the engine: from then on it is known whatever becomes of it. */
async function noted(fixture: TestProject, pid: number): Promise<void> {
  const logs = join(fixture.path, '.git', 'ralph', 'root', 'logs')
  const files = () =>
    listFolder(logs).flatMap((run) =>
      listFolder(join(logs, run, 'processes')).map((name) => join(logs, run, 'processes', name)),
    )
  await until(() => files().some((file) => (readIfExists(file) ?? '').includes(`\n${pid} `)))
}

/** Its parent ends. */
async function bereave(fixture: TestProject, pid: number): Promise<void> {
  const parent = findProcess(pid)?.parent
  await fixture.write('go', '')
  await until(() => findProcess(pid)?.parent !== parent)
}

describe.runIf(HAS_SETSID)('a process without environment, group and parent', () => {
  test.runIf(HAS_PRLIMIT)('is ended with its iteration, though its parent ended at once', async () => {
    const made = await fixture([{ do: 'shell', command: AT_ONCE }, ...FINISH])
    const ran = await made.ralph(['loop', '--json', '--max-iterations', '1'])
    expect([ran.code === null, isProcessAlive(await made.loose())]).toEqual([false, false])
  })

  test('is ended by the next engine when this one was killed', async () => {
    const made = await fixture([{ do: 'shell', command: LOOSE }, { do: 'hang' }])
    const walk = made.start(['loop', '--json'])
    const pid = await made.loose()
    await noted(made, pid)
    await walk.kill('SIGKILL')
    await bereave(made, pid)
    expect(isProcessAlive(pid)).toBe(true)
    await made.play([[...FINISH]])
    await made.ralph(['loop', '--json', '--max-iterations', '2'])
    expect(isProcessAlive(pid)).toBe(false)
  })

  test('is ended by `ralph stop` when the engine hangs and has to be killed', async () => {
    const made = await fixture([{ do: 'shell', command: LOOSE }, { do: 'hang' }])
    const walk = made.start(['loop', '--json'])
    const pid = await made.loose()
    await noted(made, pid)
    process.kill(walk.pid, 'SIGSTOP')
    await bereave(made, pid)
    const stop = await made.ralph(['stop', '--json'])
    expect(JSON.parse(stop.stdout)).toMatchObject({ how: 'killed', left: [] })
    expect(isProcessAlive(pid)).toBe(false)
  })
})

test('what a gate leaves running in the clean room is ended with its trial', async () => {
  const toml = GATE.replace('sh test', 'leaves && sh test')
  const made = await makeProofProject({ toml, turns: [[ADDS, CLAIM]] })
  const pids = join(made.home, 'pids')
  await install(
    made,
    'leaves',
    `test "$PWD" = '${made.path}' || { sleep 300 & echo $! >> '${pids}'; } > /dev/null 2>&1`,
  )
  const ran = await made.ralph(['loop', '--json'])
  const left = readFileSync(pids, 'utf8').trim().split('\n').map(Number)
  expect([ran.code, left.length > 1, left.filter(isProcessAlive)]).toEqual([0, true, []])
})

describe.runIf(process.platform === 'linux')('a server of the user, started in the project meanwhile', () => {
  const WAIT = 'echo > waits; until [ -e go ]; do sleep 0.05; done'

  test('is named in the iteration line and at the end, and keeps running', async () => {
    const made = await fixture([{ do: 'shell', command: WAIT }, ...FINISH])
    const walk = made.start(['loop', '--max-iterations', '1'])
    await until(() => made.has('waits'))
    const pid = await startUnrelatedProcess(made.path)
    await made.write('go', '')
    const { stdout } = await walk.ended
    expect(stdout).toMatch(
      new RegExp(`^iteration .*still running \\(not started by Ralph\\): ${pid} .* my server`, 'm'),
    )
    expect(stdout).toMatch(
      /^result +Still running in the project. Ralph did not see an agent start these, so they may be yours:/m,
    )
    expect(stdout).toMatch(new RegExp(`^result +${pid} .* my server`, 'm'))
    expect(isProcessAlive(pid)).toBe(true)
  })

  test('is named by `ralph stop`, which does not say that nothing is left', async () => {
    const made = await fixture([{ do: 'shell', command: WAIT }, ...FINISH])
    const walk = made.start(['loop', '--json'])
    await until(() => made.has('waits'))
    const pid = await startUnrelatedProcess(made.path)
    const stop = await made.ralph(['stop'])
    expect(stop.stdout).toMatch(
      new RegExp(`^Stopped run .*\\nStill running in the project\\. .*\\n +${pid} .* my server\\n$`),
    )
    const ended = JSON.parse((await walk.ended).stdout.trim().split('\n').at(-1) ?? '') as { left: Proc[] }
    expect(ended.left).toEqual([{ pid, startTime: findProcess(pid)?.startTime, command: expect.any(String) as string }])
    expect(isProcessAlive(pid)).toBe(true)
  })
})
