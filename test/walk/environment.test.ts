/** What agents and gates get of a developer's environment, what is told of the rest, and the line that hands it on. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { WithheldEnvFacts } from '../../src/app/doctor/withheld-env.ts'
import { DONE, testProject, type TestProject } from '../test-project.ts'

const GATE = `[[gate]]\nname = "test"\nrun = 'env > "$HOME/gate.env"'\n`

/** As it is on somebody's machine. */
const NEEDED = {
  DATABASE_URL: 'postgres://app:pw@localhost/app_test',
  JAVA_HOME: '/usr/lib/jvm/21',
  VIRTUAL_ENV: '/home/ada/p/.venv',
  GOPATH: '/home/ada/go',
  CARGO_HOME: '/home/ada/.cargo',
  NVM_DIR: '/home/ada/.nvm',
  PYENV_ROOT: '/home/ada/.pyenv',
  DISPLAY: ':7',
  DOCKER_HOST: 'unix:///nowhere/docker.sock',
  AWS_REGION: 'eu-central-1',
  AWS_PROFILE: 'dev',
}
const SECRET = {
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI',
  GITHUB_TOKEN: 'a-token-of-mine',
  OPENAI_API_KEY: 'a-key-of-another-vendor',
  PGPASSWORD: 'a-password',
}
const INJECTING = {
  BASH_ENV: '/nowhere/evil.sh',
  PYTHONSTARTUP: '/nowhere/evil.py',
  GIT_INDEX_FILE: '/nowhere/index',
}
const OWN_KEY = { ANTHROPIC_API_KEY: 'the-key-of-the-agent' }
const SOCKET = { SSH_AUTH_SOCK: '/nowhere/agent.sock' }
const SESSION = { CLAUDECODE: '1', CLAUDE_CODE_ENTRYPOINT: 'cli' }
const env = { ...NEEDED, ...SECRET, ...INJECTING, ...OWN_KEY, ...SOCKET, ...SESSION, RALPH_AGENT: 'claude' }

async function aProject(toml = GATE): Promise<TestProject> {
  return testProject({
    toml,
    env,
    agents: ['claude'],
    turns: [
      [
        { do: 'shell', command: 'env > "$HOME/agent.env"' },
        { do: 'write', path: 'a.txt', content: 'a\n' },
        { do: 'status', text: 'Done.', fields: DONE },
      ],
    ],
  })
}

/** Those of the developer's variables that somebody got. */
async function got({ home }: TestProject, file: string): Promise<Record<string, string>> {
  const lines = (await readFile(join(home, file), 'utf8')).trim().split('\n')
  const all = lines.map((line): [string, string] => {
    const at = line.indexOf('=')
    return [line.slice(0, at), line.slice(at + 1)]
  })
  return Object.fromEntries(all.filter(([name]) => Object.hasOwn(env, name)))
}

test('a run hands on what real gates need; keys stay where they belong', async () => {
  const made = await aProject()
  const { code, stdout } = await made.ralph(['loop'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/environment 11 variables withheld \(ralph doctor --env\)$/m)
  expect(stdout).toMatch(/permissions may edit files and run \d+ commands \(ralph config get agent\.tools\)$/m)
  expect(await got(made, 'gate.env')).toEqual({ ...NEEDED, ...SOCKET })
  expect(await got(made, 'agent.env')).toEqual({ ...NEEDED, ...OWN_KEY })
})

test('doctor --env tells each one that is withheld, never its value, and the line it gives works', async () => {
  const made = await aProject()
  const told = await made.ralph(['doctor', '--env', '--json'])
  const { withheld } = JSON.parse(told.stdout) as WithheldEnvFacts
  expect(withheld.map(({ name }) => name)).toEqual(
    Object.keys({ ...SECRET, ...INJECTING, ...OWN_KEY, ...SOCKET, ...SESSION }).toSorted(),
  )
  const screen = await made.ralph(['doctor', '--env'])
  expect([screen.code, screen.stdout]).toEqual([0, expect.stringContaining('11 variables withheld')])
  for (const value of Object.values({ ...SECRET, ...INJECTING, ...OWN_KEY }))
    expect(screen.stdout + told.stdout).not.toContain(value)
  const { from, line } = withheld.find(({ name }) => name === 'PGPASSWORD') ?? { from: [], line: '' }
  expect([from, screen.stdout.includes(line)]).toEqual([['claude', 'gates'], true])

  await made.write('.ralph.toml', `${line}\n${GATE}`)
  expect((await made.ralph(['verify'])).code).toBe(0)
  expect(await got(made, 'gate.env')).toEqual({ ...NEEDED, ...SOCKET, PGPASSWORD: SECRET.PGPASSWORD })
})

test('env.mode = "listed" is the short list, and says so', async () => {
  const made = await aProject(`env.mode = "listed"\nenv.pass = ["DATABASE_URL"]\n${GATE}`)
  const { code, stdout } = await made.ralph(['loop'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/environment only listed variables are passed \(env\.mode\); \d+ variables withheld/)
  const { DATABASE_URL } = NEEDED
  expect(await got(made, 'gate.env')).toEqual({ DATABASE_URL })
  expect(await got(made, 'agent.env')).toEqual({ DATABASE_URL, ...OWN_KEY })
})
