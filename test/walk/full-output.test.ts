/** An answer that could not be written whole is no answer: a file that takes no more, and a reader that left. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { testProject } from '../test-project.ts'

const RALPH = fileURLToPath(new URL('../../bin/ralph.cjs', import.meta.url))

async function shell(line: string): Promise<{ code: number; stderr: string }> {
  const { path, env } = await testProject()
  return new Promise((done) => {
    execFile('sh', ['-c', line, process.execPath, RALPH], { cwd: path, env }, (error, _, stderr) =>
      done({ code: typeof error?.code === 'number' ? error.code : 0, stderr }),
    )
  })
}

// The device is Linux's own.
test.runIf(existsSync('/dev/full')).each(['status', 'task list', 'config --json', 'help', '--version'])(
  'ralph %s into a file that is full: exit 7, and an error on stderr',
  async (command) => {
    const { code, stderr } = await shell(`"$0" "$1" ${command} > /dev/full`)
    expect([code, stderr]).toEqual([7, expect.stringMatching(/^ralph: could not write all of the output: .*\n$/)])
  },
)

test.runIf(existsSync('/dev/full'))('where the errors go is full too: the exit code says it', async () => {
  const both = '> /dev/full 2> /dev/full'
  expect((await shell(`"$0" "$1" status ${both}`)).code).toBe(7)
  expect((await shell(`"$0" "$1" --version ${both}`)).code).toBe(7)
})

test('a reader that left is no error', async () => {
  expect(await shell('{ "$0" "$1" help; echo $? >&2; } | true')).toEqual({ code: 0, stderr: '0\n' })
})
