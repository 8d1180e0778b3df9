/** Keys and tokens that agents and gates print: in no log, no record, no report, no export. */
import { chmod, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { DONE, testProject, type TestProject, type TestProjectOptions, type Program } from '../test-project.ts'

const KEY = 'sk-ant-api03-Zq7XvL2mN8pR4tW6yB1cD3fG5hJ9kM0sVxYz'
const KNOWN = 'correct "horse" battery 7'
const SECRETS = [KEY, KNOWN, JSON.stringify(KNOWN).slice(1, -1), KEY.slice(12)]

const TURN: TestProjectOptions['turns'] = [
  [
    { do: 'think', text: `I should not say ${KEY}.` },
    { do: 'say', text: `The key is ${KEY}\nand the password is ${KNOWN}.` },
    { do: 'shell', command: `echo '${KEY} and ${KNOWN}'` },
    { do: 'stderr', text: `warning: ${KEY}\n` },
    { do: 'write', path: 'a.txt', content: 'a\n' },
    { do: 'commit', message: `Add a (with ${KEY})` },
    { do: 'status', text: `Done with ${KEY}.`, fields: { ...DONE, RECOMMENDATION: `keep ${KEY}` } },
  ],
]

/** Lets an agent's output come in pieces of a few bytes, so that every key is split over several writes. */
async function splitOutput({ env }: TestProject, program: Program): Promise<void> {
  const bin = env['PATH']?.split(delimiter)[0] ?? ''
  await rename(join(bin, program), join(bin, `${program}.whole`))
  const script = `#!${process.execPath}
import { spawn } from 'node:child_process'
import { writeSync } from 'node:fs'
const pieces = (to) => (all) => {
  for (let at = 0; at < all.length; at += 11) writeSync(to, all.subarray(at, at + 11))
}
const child = spawn(process.argv[1].replace(/\\.mjs$/, '') + '.whole', process.argv.slice(2), { stdio: ['inherit', 'pipe', 'pipe'] })
child.stdout.on('data', pieces(1))
child.stderr.on('data', pieces(2))
child.on('close', (code) => (process.exitCode = code ?? 1))
`
  await writeFile(join(bin, `${program}.mjs`), script)
  await writeFile(join(bin, program), `#!/bin/sh\nexec '${process.execPath}' '${join(bin, `${program}.mjs`)}' "$@"\n`)
  await chmod(join(bin, program), 0o755)
}

/** Every file that Ralph keeps, inside the repository's folder and in `.ralph`. */
async function kept({ path }: TestProject): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const folder of [join(path, '.git', 'ralph'), join(path, '.ralph')]) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name)
      if (entry.isFile()) found.set(file, await readFile(file, 'latin1'))
    }
  }
  return found
}

/** What `ralph show` tells of the first iteration of the only run. */
async function firstIteration<Shown>(made: TestProject): Promise<Shown> {
  const [run] = JSON.parse((await made.ralph(['runs', '--json'])).stdout) as { id: string }[]
  return JSON.parse((await made.ralph(['show', run?.id ?? '', '1', '--json'])).stdout) as Shown
}

const AGENTS: [agent: string, program: Program][] = [
  ['claude', 'claude'],
  ['codex', 'codex'],
  ['opencode', 'opencode'],
  ['gemini', 'gemini'],
  ['copilot', 'copilot'],
]

test.each(AGENTS)(
  '%s prints a key in pieces: it is kept nowhere, and the run is understood',
  async (agent, program) => {
    const made = await testProject({
      toml: `agent = "${agent}"\n[[gate]]\nname = "test"\nrun = "cat words.txt"\n`,
      agents: [program],
      turns: TURN,
      files: { 'words.txt': `the gate says ${KEY} and ${KNOWN}\n` },
      env: { SOME_PASSWORD: KNOWN },
    })
    await splitOutput(made, program)
    const run = await made.ralph(['loop', '--live'])
    expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('GATES PASSED') as string])
    const asked = [
      ['export', '--output', '-', '--logs'],
      ['status', '--json'],
      ['report'],
      ['report', '--json'],
      ['logs'],
      ['runs', '--json'],
      ['replay'],
    ]
    const told = await Promise.all(
      asked.map(async (args): Promise<[string, string]> => [args.join(' '), (await made.ralph(args)).stdout]),
    )
    const everything = [...(await kept(made)), ...told, ['loop', run.stdout + run.stderr] as const]
    const leaks = everything.filter(([, text]) => SECRETS.some((secret) => text.includes(secret)))
    expect(leaks.map(([name]) => name)).toEqual([])
    // It was there, and is masked at its length.
    const log = everything.find(([name]) => name.endsWith('/1/agent.log'))?.[1] ?? ''
    expect(log).toContain(`sk-ant-${'*'.repeat(KEY.length - 7)}`)
    const { reply } = await firstIteration<{ reply: { conversation: string; end: string } }>(made)
    expect([reply.end, reply.conversation]).toEqual(['success', expect.stringMatching(/^[\w-]{8,}$/)])
    expect((await made.ralph(['replay', '--check'])).code).toBe(0)
  },
)

/** What a vendor that streams makes of a text: pieces, each in a line of its own, so that no line has a key in it. */
function streamed(text: string): { do: 'say'; text: string }[] {
  return (text.match(/[^]{1,9}/gu) ?? []).map((piece) => ({ do: 'say', text: piece }))
}

const STREAMED = `The key is ${KEY} and ${KNOWN}.

---RALPH_STATUS---
STATUS: COMPLETE
EXIT_SIGNAL: true
TESTS_STATUS: PASSING
WORK_TYPE: IMPLEMENTATION
RECOMMENDATION: use ${KEY} and ${KNOWN} then
---END_RALPH_STATUS---
`

test('gemini streams a key over many lines: nothing that joins them has it', async () => {
  const made = await testProject({
    toml: 'agent = "gemini"\n',
    agents: ['gemini'],
    turns: [[{ do: 'write', path: 'a.txt', content: 'a\n' }, ...streamed(STREAMED)]],
    env: { SOME_PASSWORD: KNOWN },
  })
  const run = await made.ralph(['loop', '--once', '--live', '-v'])
  const asked = [
    ['export', '--output', '-', '--logs'],
    ['status'],
    ['status', '--json'],
    ['report', '--md'],
    ['logs'],
    ['watch', '--plain'],
    ['replay'],
  ]
  const told = await Promise.all(
    asked.map(async (args): Promise<[string, string]> => [args.join(' '), (await made.ralph(args)).stdout]),
  )
  const everything = [...(await kept(made)), ...told, ['loop', run.stdout + run.stderr] as const]
  const leaks = everything.filter(([, text]) => SECRETS.some((secret) => text.includes(secret)))
  expect(leaks.map(([name]) => name)).toEqual([])
  const masked = `sk-ant-${'*'.repeat(KEY.length - 7)} and ${'*'.repeat(KNOWN.length)}`
  expect(told.find(([name]) => name === 'logs')?.[1]).toContain(`The key is ${masked}.`)
  const { reply } = await firstIteration<{ reply: { signals: { block: { recommendation: string } } } }>(made)
  expect(reply.signals.block.recommendation).toBe(`use ${masked} then`)
})

test('nor has it the reply that is read from the log after a crash', async () => {
  const made = await testProject({
    toml: 'agent = "gemini"\n',
    agents: ['gemini'],
    turns: [
      [...streamed(`The key is ${KEY}. `), { do: 'say', text: 'Still here.\n' }, { do: 'hang' }],
      [{ do: 'status', text: 'Done.', fields: DONE }],
    ],
  })
  const walk = made.start(['--live'])
  await walk.waitFor('Still here.')
  await walk.kill('SIGKILL')
  await made.ralph(['resume'])
  const { reply } = await firstIteration<{ reply: { end: string; lastMessage: string } }>(made)
  expect([reply.end, reply.lastMessage]).toEqual([
    'interrupted',
    `The key is sk-ant-${'*'.repeat(KEY.length - 7)}. Still here.`,
  ])
  const leaks = [...(await kept(made))].filter(([, text]) => text.includes(KEY))
  expect(leaks.map(([name]) => name)).toEqual([])
})

test('the prompt reaches the agent as it is, and what is kept of it is masked and known to be whole', async () => {
  const made = await testProject({
    agents: ['claude'],
    prompt: `# Work\n\nThe key is ${KEY}.\n`,
    turns: [
      [
        { do: 'expect-prompt', matches: `The key is ${KEY}` },
        { do: 'status', text: 'Done.', fields: DONE },
      ],
    ],
  })
  await made.ralph(['loop', '--once'])
  const { prompt } = await firstIteration<{ prompt: { text: string; intact: boolean } }>(made)
  expect([prompt.intact, prompt.text.includes(KEY), prompt.text.includes('The key is sk-ant-****')]).toEqual([
    true,
    false,
    true,
  ])
})

test('logs.raw keeps everything as received', async () => {
  const made = await testProject({ toml: 'logs.raw = true\n', agents: ['claude'], turns: TURN })
  await made.ralph(['loop', '--once'])
  const log = [...(await kept(made))].find(([name]) => name.endsWith('/1/agent.log'))?.[1] ?? ''
  expect(log).toContain(KEY)
})

test('logs.raw keeps what is streamed in pieces as received, too', async () => {
  const made = await testProject({
    toml: 'agent = "gemini"\nlogs.raw = true\n',
    agents: ['gemini'],
    turns: [streamed(STREAMED)],
  })
  await made.ralph(['loop', '--once'])
  expect((await made.ralph(['logs'])).stdout).toContain(`The key is ${KEY} and`)
})

test('folders are 0700 and files 0600, also those that were left open', async () => {
  const made = await testProject({ agents: ['claude'], turns: TURN })
  await made.ralph(['loop', '--once'])
  const store = join(made.path, '.git', 'ralph')
  const all = await readdir(store, { recursive: true, withFileTypes: true })
  const places = [store, ...all.map((entry) => join(entry.parentPath, entry.name))]
  for (const fixture of places) await chmod(fixture, (await stat(fixture)).isDirectory() ? 0o755 : 0o644)
  await made.ralph(['loop', '--once'])
  const open = await Promise.all(
    places.map(async (fixture) => (((await stat(fixture)).mode & 0o077) === 0 ? [] : [fixture])),
  )
  expect(open.flat()).toEqual([])
})
