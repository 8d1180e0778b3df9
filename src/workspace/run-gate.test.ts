import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Gate } from '../core/proof/evidence.ts'
import { exists, readIfExists, sizeOf } from '../system/files/files.ts'
import { identifyProcess } from '../system/process/process-identity.ts'
import { buildHelperEnv } from '../system/environment.ts'
import { findMarkedPids, MARK_VARIABLE } from '../system/process/process.ts'
import { aFolder, removeTestProjects } from '../../test/kit/workspace.ts'
import { type GateOptions, runGate } from './run-gate.ts'
import { openGateLog } from './gate-log.ts'
import { createMasker } from '../system/mask/mask.ts'

afterAll(removeTestProjects)

function aGate(run: string, more: Partial<Gate> = {}): Gate {
  return { name: 'test', run, timeoutMs: 10_000, when: 'completion', cwd: '.', env: {}, ...more }
}

function setUp(more: Partial<GateOptions> = {}) {
  const testProject = aFolder()
  let ticks = 0
  const log = testProject.path('logs/gate.log')
  const env = buildHelperEnv({ pass: [], add: {} })
  const options: GateOptions = {
    root: testProject.root,
    env,
    mask: createMasker(['correct horse battery']),
    log,
    now: () => (ticks += 5),
    ...more,
  }
  return { testProject, log, options }
}

test('a gate that succeeds', async () => {
  const { log, options } = setUp()
  const result = await runGate(aGate('echo one; echo two >&2'), options).done
  expect(result).toEqual({
    exit: 0,
    signal: null,
    timedOut: false,
    missing: false,
    durationMs: 5,
    summary: 'one\ntwo',
    bytes: 8,
    orphans: [],
  })
  expect(readIfExists(log)).toBe('one\ntwo\n')
})

test('a gate that fails, with what it says about it', async () => {
  const { options } = setUp()
  const result = await runGate(aGate('echo "not ok 1 - adds"; exit 3'), options).done
  expect([result.exit, result.missing, result.summary]).toEqual([3, false, 'Failing (1):\n- adds\n\nnot ok 1 - adds'])
})

test('it runs in its folder, with its own environment and nothing of ours, and no input', async () => {
  process.env['SECRET_KEY_OF_AGENT'] = 'x'
  const { testProject, options } = setUp()
  testProject.write({ 'sub/here': '' })
  const gate = aGate('pwd; echo "$MODE-$SECRET_KEY_OF_AGENT"; cat', { cwd: 'sub', env: { MODE: 'ci' } })
  const result = await runGate(gate, options).done
  delete process.env['SECRET_KEY_OF_AGENT']
  expect([result.exit, result.summary]).toEqual([0, `${testProject.path('sub')}\nci-`])
})

test.each([
  ['no-such-program-here', 127],
  ['./not-executable', 126],
])('%s is missing', async (run, exit) => {
  const { testProject, options } = setUp()
  testProject.write({ 'not-executable': 'x' })
  const result = await runGate(aGate(run), options).done
  expect([result.exit, result.missing]).toEqual([exit, true])
})

test('a folder that is not there is missing, and named', async () => {
  const { testProject, options } = setUp()
  const result = await runGate(aGate('true', { cwd: 'nowhere' }), options).done
  expect([result.exit, result.missing, result.summary.includes(testProject.path('nowhere'))]).toEqual([
    null,
    true,
    true,
  ])
})

test('a gate that hangs is ended at its limit, with all it started', async () => {
  const run = 'sh -c "echo \\$\\$ > pid; exec sleep 300" & echo started; wait'
  for (const timeoutMs of [200, 2_000, 12_000]) {
    const { testProject, log, options } = setUp()
    const result = await runGate(aGate(run, { timeoutMs }), options).done
    expect([result.exit, result.timedOut]).toEqual([null, true])
    const pid = readIfExists(testProject.path('pid')) ?? ''
    // A busy machine may need longer to begin than that.
    if (pid === '' && timeoutMs < 12_000) continue
    expect(readIfExists(log)).toBe('started\n')
    return expect(identifyProcess(Number(pid))).toBeNull()
  }
})

test('what a gate leaves behind is swept', async () => {
  const { testProject, options } = setUp({
    env: buildHelperEnv({ pass: [], add: { [MARK_VARIABLE]: 'gate-test' } }),
  })
  const result = await runGate(aGate('sleep 300 & echo $! > pid'), options).done
  expect(result.exit).toBe(0)
  expect(identifyProcess(Number(readIfExists(testProject.path('pid'))))).toBeNull()
})

test('it can be stopped, and then it has not succeeded however politely it ends', async () => {
  const started = later()
  const { options } = setUp({ tail: () => started.resolve() })
  const gate = runGate(aGate("trap 'exit 0' TERM; echo go; sleep 300 & wait"), options)
  await started.promise
  await gate.stop()
  const result = await gate.done
  expect([result.exit, result.timedOut]).toEqual([null, false])
})

test('a log keeps the beginning and the end, and marks what was cut', async () => {
  const { testProject } = setUp()
  const path = join(testProject.root, 'deep/log')
  const log = openGateLog(path, 10)
  for (const text of ['01234', '56789ab', 'cdefghijklmnop', 'qrst']) log.write(Buffer.from(text))
  const closed = await log.close()
  expect(closed).toEqual({ bytes: 30, tail: '0123456789abcdefghijklmnopqrst' })
  expect(readIfExists(path)).toBe('0123456789\n[ralph: 10 bytes left out here]\nklmnopqrst')
})

test('output without end stays within 10 MB of log', async () => {
  const { log, options } = setUp()
  const result = await runGate(aGate('head -c 30000000 /dev/zero; echo; echo the end'), options).done
  expect([result.bytes, result.summary]).toEqual([30_000_009, 'the end'])
  expect(exists(log) && (sizeOf(log) ?? 0)).toBeLessThan(10.1 * 1024 * 1024)
})

function later(): { promise: Promise<void>; resolve(): void } {
  let resolve = () => {}
  const promise = new Promise<void>((fulfil) => (resolve = fulfil))
  return { promise, resolve: () => resolve() }
}

test('secrets that a gate prints, in two writes and on either pipe, are in no log and no summary', async () => {
  const { log, options } = setUp()
  const command =
    'printf "correct hor"; printf "correct ho" >&2; sleep 0.1; printf "se battery\\n"; echo "rse battery" >&2; exit 1'
  const { summary } = await runGate(aGate(command), options).done
  const kept = readIfExists(log) ?? ''
  expect([kept, summary].filter((text) => text.includes('battery'))).toEqual([])
  expect(kept.match(/\*{21}/g)).toHaveLength(2)
})

test('a gate in whose environment nothing tells of Ralph is known by another mark', async () => {
  const mark = { name: 'TMPDIR', value: aFolder().root }
  let found = 0
  const { options } = setUp({ env: buildHelperEnv({ pass: [], add: { TMPDIR: mark.value } }), mark })
  const running = runGate(aGate('echo; exec sleep 60'), {
    ...options,
    tail: () =>
      void findMarkedPids(mark)
        .then((pids) => (found = pids.length))
        .then(() => running.stop()),
  })
  const result = await running.done
  expect([result.exit, found, await findMarkedPids(mark)]).toEqual([null, 1, []])
})
