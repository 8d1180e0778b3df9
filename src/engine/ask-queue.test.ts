import { expect, test } from 'vitest'
import type { PermissionAnswer, PermissionRequest } from '../core/calls/permission-request.ts'
import type { AskPerson } from '../system/terminal/ask-person.ts'
import { askOneAtATime } from './ask-queue.ts'

const NEVER = new AbortController().signal

function wants(command: string | null, more: Partial<PermissionRequest> = {}): PermissionRequest {
  return {
    agent: 'acp:small',
    tool: command === null ? 'Write' : 'Bash',
    command,
    env: {},
    cwd: null,
    paths: [],
    about: [],
    ...more,
  }
}

/** A person who is given the answers, and what was asked. */
function someone(): { ask: AskPerson; asked: PermissionRequest[]; say: (given: PermissionAnswer) => void } {
  const asked: PermissionRequest[] = []
  const open: ((given: PermissionAnswer) => void)[] = []
  const ask = askOneAtATime((wanted) => {
    asked.push(wanted)
    return new Promise((resolve) => open.push(resolve))
  })
  return { ask, asked, say: (given) => open.shift()?.(given) }
}

test('one question at a time, and what is allowed for the run answers those that waited', async () => {
  const { ask, asked, say } = someone()
  const answers = ['make', 'make', 'rm x'].map((command) => ask(wants(command), NEVER))
  await expect.poll(() => asked).toEqual([wants('make')])
  say('always')
  expect(await Promise.all(answers.slice(0, 2))).toEqual(['always', 'always'])
  await expect.poll(() => asked).toEqual([wants('make'), wants('rm x')])
  say('no')
  expect(await answers[2]).toBe('no')
})

test.each<[string, PermissionRequest, PermissionRequest, boolean]>([
  ['the very command', wants('make'), wants('make'), true],
  ['another command', wants('make'), wants('make all'), false],
  ['the command of another agent', wants('make'), wants('make', { agent: 'acp:other' }), false],
  ['the command elsewhere', wants('make'), wants('make', { cwd: '/P/src' }), false],
  ['the command with a variable', wants('make'), wants('make', { env: { CC: './cc' } }), false],
  ['a tool on another file', wants(null, { paths: ['a'] }), wants(null, { paths: ['b'] }), true],
  ['another tool', wants(null), wants(null, { tool: 'Delete' }), false],
])('allowed for the run: %s', async (_, first, second, isSame) => {
  const { ask, asked, say } = someone()
  const allowed = ask(first, NEVER)
  await expect.poll(() => asked).toHaveLength(1)
  say('always')
  await allowed
  const again = ask(second, NEVER)
  if (!isSame) {
    await expect.poll(() => asked).toHaveLength(2)
    say('no')
  }
  expect(await again).toBe(isSame ? 'always' : 'no')
})

test('a question that nobody needs any more is not asked, and one that failed holds up no other', async () => {
  const over = new AbortController()
  const { ask, asked, say } = someone()
  const first = ask(wants('make'), NEVER)
  const second = ask(wants('rm x'), over.signal)
  over.abort()
  await expect.poll(() => asked).toHaveLength(1)
  say('once')
  expect([await first, await second]).toEqual(['once', 'no'])
  expect(asked).toEqual([wants('make')])
  let n = 0
  const failing = askOneAtATime(() => ((n += 1) === 1 ? Promise.reject(new Error('gone')) : Promise.resolve('once')))
  await expect(failing(wants('make'), NEVER)).rejects.toThrowError('gone')
  expect(await failing(wants('make'), NEVER)).toBe('once')
})
