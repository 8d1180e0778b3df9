/** `ralph completion`: the scripts, tried in the shells themselves. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { testProject, NOT_YET, type TestProject } from '../test-project.ts'
import { runInProcess } from '../run-in-process.ts'

const execute = promisify(execFile)
const BINARY = join(dirname(dirname(import.meta.dirname)), 'bin', 'ralph.cjs')

/** Puts `ralph` on the test project's PATH and the script of a shell into its home. */
async function installed(shell: string): Promise<{ made: TestProject; script: string }> {
  const made = await testProject({ turns: [[{ do: 'status', text: 'Begun.', fields: NOT_YET }]] })
  const program = join(made.env['PATH']?.split(delimiter)[0] ?? '', 'ralph')
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`)
  await chmod(program, 0o755)
  const { code, stdout } = await made.ralph(['completion', shell])
  expect(code).toBe(0)
  const script = join(made.home, `ralph.${shell}`)
  await writeFile(script, stdout)
  return { made, script }
}

describe('bash', () => {
  /** What Tab offers after these words. */
  async function completed(
    { made, script }: Awaited<ReturnType<typeof installed>>,
    words: string[],
  ): Promise<string[]> {
    const press = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ralph; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = await execute('bash', ['--norc', '-c', press, 'bash', script, ...words], {
      cwd: made.path,
      env: made.env,
    })
    return stdout.split('\n').filter((line) => line !== '')
  }

  test('completes commands, flags, flags of settings, choices, keys and files', async () => {
    const shell = await installed('bash')
    await shell.made.write('a file.log', '')
    const cases: [words: string[], offered: string[]][] = [
      [['ralph', 'doc'], ['doctor']],
      [
        ['ralph', 'loop', '--budget'],
        ['--budget-usd', '--budget-tokens'],
      ],
      [
        ['ralph', 'loop', '--output-format', ''],
        ['stream-json', 'json', 'text'],
      ],
      [['ralph', 'loop', '--output-format', '=', 't'], ['text']],
      [['ralph', 'loop', '--help'], ['--help']],
      [
        ['ralph', 'config', 'get', 'proof.re'],
        ['proof.required', 'proof.rejections', 'proof.reruns', 'proof.reviewer'],
      ],
      [['ralph', 'inspect', 'reply', 'a'], ['a file.log']],
      [['ralph', 'status', ''], []],
    ]
    const offered = await Promise.all(cases.map(([words]) => completed(shell, words)))
    expect(offered).toEqual(cases.map(([, expected]) => expected))
  })

  test('completes the ids of runs', async () => {
    const shell = await installed('bash')
    expect(await completed(shell, ['ralph', 'replay', ''])).toEqual([])
    await shell.made.ralph(['loop', '--once'])
    const { run } = JSON.parse((await shell.made.ralph(['status', '--json'])).stdout) as { run: string }
    expect(await completed(shell, ['ralph', 'replay', run.slice(0, 2)])).toEqual([run])
  })

  test('tells bash what it completes', async () => {
    const { script } = await installed('bash')
    const { stdout } = await execute('bash', ['--norc', '-c', 'source "$1"; complete -p ralph', 'bash', script])
    expect(stdout).toBe('complete -F _ralph ralph\n')
  })
})

function has(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)))
}

test.skipIf(!has('zsh'))('zsh reads its script (skipped where there is no zsh)', async () => {
  const { script } = await installed('zsh')
  await execute('zsh', ['-f', '-n', script])
})

test.skipIf(!has('fish'))('fish completes commands and choices (skipped where there is no fish)', async () => {
  const { made, script } = await installed('fish')
  const ask = async (line: string): Promise<string[]> => {
    const { stdout } = await execute('fish', ['-N', '-c', 'source $argv[1]; complete -C $argv[2]', script, line], {
      env: made.env,
    })
    return stdout
      .split('\n')
      .map((each) => each.split('\t')[0] ?? '')
      .filter((each) => each !== '')
  }
  expect(await ask('ralph doc')).toEqual(['doctor'])
  expect((await ask('ralph loop --output-format ')).toSorted()).toEqual(['json', 'stream-json', 'text'])
})

test('each candidate comes with a word about it', async () => {
  const { path, home } = await testProject()
  const { code, out } = await runInProcess(['complete', '+ralph', '+st'], { cwd: path, env: { HOME: home } })
  expect([code, out]).toEqual([
    0,
    'stop\tStop the current run and every process it started\nsteer\tAdd guidance to the next prompt\nstatus\tShow the current run, or how the last one ended\nstats\tTotals across runs: iterations, proven work, time, tokens, cost\n',
  ])
})

test('run offers features and open tasks, task show also finished ones', async () => {
  const made = await testProject()
  const call = async (...argv: string[]) => (await runInProcess(argv, { cwd: made.path, env: made.env })).out
  await call('task', 'add', 'write the form', '--id', 't-open1', '--feature', 'checkout')
  await call('task', 'add', 'read the cart', '--id', 't-done1', '--feature', 'checkout')
  await call('task', 'done', 't-done1')
  const offered = async (...words: string[]) =>
    (await call('complete', ...words.map((word) => `+${word}`)))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\t')[0])
  expect(await offered('ralph', 'run', '')).toEqual(['checkout', 't-open1'])
  expect(await offered('ralph', 'run', 't-')).toEqual(['t-open1'])
  expect(new Set(await offered('ralph', 'task', 'show', ''))).toEqual(new Set(['t-done1', 't-open1']))
  expect(await offered('ralph', 'task', 'done', '')).toEqual(['t-open1'])
})

test('a shell without a script is refused with what there is', async () => {
  const { home } = await testProject()
  expect(await runInProcess(['completion', 'powershell'], { cwd: home, env: { HOME: home } })).toEqual({
    code: 2,
    out: '',
    err: 'ralph: SHELL must be one of bash, zsh, fish, not "powershell"\n',
  })
})
