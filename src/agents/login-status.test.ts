import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { allDrivers, driverFor, probeAgent } from './registry.ts'
import type { LoginCheck } from './login-status.ts'

/** A home with a vendor's program that counts how often it is asked about its login. */
function machine(name: string, answer: string) {
  const home = mkdtempSync(join(tmpdir(), 'ralph-login-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const path = join(home, 'bin', name)
  mkdirSync(join(home, 'bin'))
  writeFileSync(
    path,
    `#!/bin/sh\n[ "$1" = --version ] && { echo 9.9.9; exit; }\necho "$*" >> '${home}/asked'\n. '${home}/answer.sh'\n`,
  )
  chmodSync(path, 0o755)
  // Beside the program, which is never written again: a program that another thread has open for writing cannot start.
  const answers = (text: string) => writeFileSync(join(home, 'answer.sh'), `${text}\n`)
  answers(answer)
  const env: Record<string, string> = { PATH: join(home, 'bin'), HOME: home }
  return {
    home,
    env,
    answers,
    asked: () => (existsSync(join(home, 'asked')) ? readFileSync(join(home, 'asked'), 'utf8').trim().split('\n') : []),
    login: async (check: LoginCheck, more: { program?: string[]; outside?: string } = {}) => {
      const { program = [], outside = null } = more
      return (await probeAgent(driverFor(name, {}), env, { program, mayStart: { outside }, check })).login
    },
  }
}

const CLAUDE_NO = `echo '{ "loggedIn": false, "authMethod": "none" }'; exit 1`
const CLAUDE_YES = `echo '{ "loggedIn": true, "authMethod": "claude.ai" }'`

test.each<[agent: string, args: string, answer: string, login: string]>([
  ['claude', 'auth status', CLAUDE_YES, 'yes'],
  ['claude', 'auth status', CLAUDE_NO, 'no'],
  ['claude', 'auth status', 'echo unknown command; exit 1', 'unknown'],
  ['codex', 'login status', 'echo "Logged in using ChatGPT" >&2', 'yes'],
  ['codex', 'login status', 'echo "WARNING: x" >&2; echo "Not logged in" >&2; exit 1', 'no'],
  ['opencode', 'auth list', 'echo "└  2 credentials"', 'yes'],
  ['opencode', 'auth list', 'echo "└  0 credentials"', 'unknown'],
  ['cursor', 'status', 'echo "✓ Logged in as ann@example.org"', 'yes'],
  ['cursor', 'status', 'echo "Not logged in"', 'no'],
])('%s %s: %s means %s', async (agent, args, answer, login) => {
  const at = machine(agent === 'cursor' ? 'cursor-agent' : agent, answer)
  const driver = driverFor(agent, {})
  const found = await probeAgent(driver, at.env, { mayStart: { outside: null }, check: 'doctor' })
  expect([found.login, at.asked()]).toEqual([login, [args]])
})

test('agents whose program cannot tell are not started', async () => {
  const silent = allDrivers().filter(({ login }) => login.status === undefined)
  expect(silent.map(({ name }) => name)).toEqual(['gemini', 'copilot', 'plain'])
  const at = machine('gemini', 'exit 1')
  expect([await at.login('doctor'), at.asked()]).toEqual(['unknown', []])
})

test('a start asks only if neither a key nor a file shows a login; doctor asks despite a file', async () => {
  const at = machine('claude', CLAUDE_NO)
  mkdirSync(join(at.home, '.claude'))
  writeFileSync(join(at.home, '.claude/.credentials.json'), '{}')
  expect([await at.login('start'), at.asked()]).toEqual(['yes', []])
  expect([await at.login('doctor'), at.asked()]).toEqual(['no', ['auth status']])
  at.env['ANTHROPIC_API_KEY'] = 'k'
  expect([await at.login('doctor'), at.asked()]).toEqual(['yes', ['auth status']])
})

test('a start remembers a yes for an hour, and asks again after a no', async () => {
  const at = machine('claude', CLAUDE_NO)
  expect(await at.login('start')).toBe('no')
  at.answers(CLAUDE_YES)
  expect(await at.login('start')).toBe('yes')
  at.answers(CLAUDE_NO)
  expect([await at.login('start'), at.asked().length]).toEqual(['yes', 2])

  const folder = join(at.home, '.local/state/ralph/logins')
  const [file = ''] = readdirSync(folder)
  const saved = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { at: number }
  writeFileSync(join(folder, file), JSON.stringify({ ...saved, at: saved.at - 60 * 60_000 - 1 }))
  expect([await at.login('start'), at.asked().length]).toEqual(['no', 3])
})

test('doctor does not believe an earlier answer', async () => {
  const at = machine('claude', CLAUDE_YES)
  expect(await at.login('doctor')).toBe('yes')
  at.answers(CLAUDE_NO)
  expect(await at.login('doctor')).toBe('no')
})

test('a program that hangs is stopped, and its login is unknown', async () => {
  const at = machine('claude', 'sleep 60')
  expect(await at.login('doctor')).toBe('unknown')
})

test('a list of agents, a program in the repository and a replacement are not asked', async () => {
  const at = machine('claude', CLAUDE_YES)
  expect(await at.login('list')).toBe('unknown')
  expect(await at.login('doctor', { outside: at.home })).toBe('unknown')
  expect(await at.login('doctor', { program: ['claude', '--x'] })).toBe('unknown')
  expect(at.asked()).toEqual([])
})
