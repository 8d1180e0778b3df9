/**
 * The first ten minutes of somebody who has never used Ralph: what the README says is typed, then whatever each screen says comes next,
 * until an agent has worked once. In every kind of project, with an agent and without.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  DONE,
  testProject,
  NOT_YET,
  type TestProject,
  type TestProjectOptions,
  type CommandResult,
  type ScriptedTurn,
} from '../test-project.ts'
import { hasTmux, openTmux } from '../tmux.ts'
import { install } from '../walk/setup-kit.ts'

const ROOT = dirname(dirname(import.meta.dirname))

/** One iteration on the way, and one that ends it. */
const WORKS: ScriptedTurn[] = [
  [
    { do: 'append', path: 'work.txt', content: 'more\n' },
    { do: 'status', fields: NOT_YET },
  ],
  [
    { do: 'write', path: '.ralph/fix_plan.md', content: '- [x] what you want built, in your words\n' },
    { do: 'append', path: 'work.txt', content: 'all\n' },
    { do: 'status', fields: DONE },
  ],
]

/** As a shell in the test project's folder takes it; `ralph` is on the PATH. */
function type(g: TestProject, line: string, env: Record<string, string> = {}): Promise<CommandResult> {
  return new Promise((done) => {
    const options = { cwd: g.path, env: { ...g.env, ...env }, timeout: 45_000 }
    const child = execFile('/bin/sh', ['-c', line], options, (_, stdout, stderr) =>
      done({ code: child.exitCode, signal: child.signalCode, stdout, stderr }),
    )
    child.stdin?.end()
  })
}

/** A test project of a person who trusts nothing yet, with a home of their own and nothing in it. */
async function newcomer(options: TestProjectOptions): Promise<TestProject> {
  const g = await testProject({
    prompt: null,
    trustsProject: false,
    agents: ['claude'],
    turns: WORKS,
    ...options,
  })
  await install(g, 'ralph', `exec '${process.execPath}' '${join(ROOT, 'bin', 'ralph.cjs')}' "$@"`)
  return g
}

function nextIn(screen: string): string {
  const next = /^Next: (.+)$/m.exec(screen)?.[1]
  if (next === undefined) throw new Error(`no next command in:\n${screen}`)
  return next
}

/** From the README's first command on, what each screen says; ends with the first that is no set-up. */
async function follow(g: TestProject): Promise<{ typed: string[]; screens: string[]; last: CommandResult }> {
  const typed: string[] = []
  const screens: string[] = []
  for (let line = 'ralph init'; typed.length < 5;) {
    typed.push(line)
    const ran = await type(g, line)
    screens.push(ran.stdout)
    if (!line.startsWith('ralph init')) return { typed, screens, last: ran }
    expect([line, ran.code, ran.stderr]).toEqual([line, 0, ''])
    line = nextIn(ran.stdout)
  }
  throw new Error(`no end: ${typed.join(' → ')}`)
}

test('the README says the same as this test', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const block = /## On your own repository\n+```sh\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
  const lines = block.split('\n').map((line) => line.replace(/\s+#.*$/, ''))
  expect(lines.filter((line) => line.startsWith('ralph '))).toEqual(['ralph init', 'ralph loop --once', 'ralph loop'])
})

const TASK = 'ralph init --task "what you want built, in your words"'

interface Sort {
  options: TestProjectOptions
  /** Programs of the language, which this machine may not have: each prints what the real one prints when all is well. */
  programs: Record<string, string>
  /** What the first screen says, in this order. */
  says: string[]
}

const NODE_TEST = 'console.log("# tests 1\\n# pass 1")\n'

const SORTS: Record<string, Sort> = {
  node: {
    options: {
      files: {
        'package.json': '{"name": "shop", "scripts": {"test": "node t.mjs", "e2e": "playwright test"}}',
        't.mjs': NODE_TEST,
      },
    },
    programs: {},
    says: [
      'gate   test: npm test  (package.json has the script "test")',
      'no     e2e: npm run e2e  (package.json has the script "e2e"; slow: end-to-end tests',
      'found, but commented out in .ralph.toml',
    ],
  },
  python: {
    options: { files: { 'pyproject.toml': '[tool.ruff]\n[tool.mypy]\n[tool.pytest.ini_options]\n' } },
    programs: {
      python3: 'echo "====== 1 passed in 0.01s ======"',
      ruff: 'echo "All checks passed!"',
    },
    says: ['gate   test: python3 -m pytest', 'gate   lint: ruff check .', 'gate   typecheck: python3 -m mypy .'],
  },
  go: {
    options: { files: { 'go.mod': 'module example.com/tool\n\ngo 1.22\n' } },
    programs: { go: 'echo "ok  \texample.com/tool\t0.004s"' },
    says: ['gate   test: go test ./...', 'gate   vet: go vet ./...'],
  },
  rust: {
    options: { files: { 'Cargo.toml': '[package]\nname = "tool"\n[lints.clippy]\nall = "warn"\n' } },
    programs: { cargo: 'echo "test result: ok. 1 passed; 0 failed"' },
    says: [
      'gate   test: cargo test  (there is a Cargo.toml; slow: it compiles everything first; limit 20 minutes)',
      'gate   lint: cargo clippy --all-targets',
    ],
  },
  monorepo: {
    options: {
      files: {
        'package.json': '{"name": "all", "workspaces": ["packages/*"]}',
        'packages/a/package.json': '{"name": "a", "version": "1.0.0", "scripts": {"test": "node t.mjs"}}',
        'packages/a/t.mjs': NODE_TEST,
      },
    },
    programs: {},
    says: ['gate   test: npm run test --workspaces --if-present  (1 package of the workspace has the script "test")'],
  },
  empty: {
    options: {},
    programs: {},
    says: ['No gate found', '    [[gate]]\n    name = "test"\n    run = "make test"\n'],
  },
  'no git': {
    options: {
      git: false,
      files: { 'package.json': '{"scripts": {"test": "node t.mjs"}}', 't.mjs': NODE_TEST },
    },
    programs: {},
    says: ['gate   test: npm test', 'this is not a git repository', 'Make it one: git init'],
  },
}

describe.each(Object.entries(SORTS))('%s', (_sort, { options, programs, says }) => {
  test('with an agent: set-up, what is wanted, one iteration', async () => {
    const g = await newcomer(options)
    for (const [name, script] of Object.entries(programs)) await install(g, name, script)
    const { typed, screens, last } = await follow(g)
    expect(typed).toEqual(['ralph init', TASK, 'ralph loop --once'])
    expect(says.filter((words) => !(screens[0] ?? '').includes(words))).toEqual([])
    expect(await g.read('.ralph/PROMPT.md')).toContain('\nwhat you want built, in your words\n')
    expect(await g.read('.ralph/fix_plan.md')).toContain('- [ ] what you want built, in your words\n')
    expect([last.code, last.stderr]).toEqual([4, ''])
    expect(last.stdout).toContain('1 iteration (--once)')
    expect(last.stdout).toContain('one iteration as requested (--once)')
    expect(g.starts()).toHaveLength(1)
    const rest = await type(g, 'ralph loop')
    expect([rest.code, rest.stderr, g.starts().length]).toEqual([0, '', 2])
    expect(rest.stdout).toContain('20 iterations (default)')
    // Nothing of the bash tool's in a project that never knew it.
    expect(
      ['.ralphrc', '.ralph/status.json', '.ralph/logs', '.ralph/.call_count'].filter((name) => g.has(name)),
    ).toEqual([])
  })

  test('a second time nothing is changed', async () => {
    const g = await newcomer(options)
    await type(g, 'ralph init --task "hats"')
    const before = await Promise.all(
      ['.ralph.toml', '.ralph/PROMPT.md', '.ralph/fix_plan.md'].map((name) => g.read(name)),
    )
    const again = await type(g, 'ralph init')
    expect([again.code, again.stderr]).toEqual([0, ''])
    expect(again.stdout).toContain('is already a Ralph project; nothing was changed.')
    expect(
      await Promise.all(['.ralph.toml', '.ralph/PROMPT.md', '.ralph/fix_plan.md'].map((name) => g.read(name))),
    ).toEqual(before)
  })
})

test('without an agent: set-up goes on, says which there are and how to get one, and so does the loop', async () => {
  const g = await newcomer({ agents: [] })
  const { typed, screens, last } = await follow(g)
  expect(typed).toEqual(['ralph init', TASK, 'ralph agents'])
  expect(screens[0]).toContain('no agent is installed. Ralph supports claude, codex')
  expect(screens[0]).toContain('npm install -g @anthropic-ai/claude-code')
  expect(screens[0]).toContain('agent  claude (not installed)')
  expect([last.code, last.stdout.includes('claude: not installed. npm install -g')]).toEqual([0, true])
  const loop = await type(g, 'ralph loop --once')
  expect([loop.code, loop.stderr.includes('npm install -g @anthropic-ai/claude-code')]).toEqual([6, true])
})

test('a gate whose program is not on this machine is named, and the doctor says the same', async () => {
  const g = await newcomer({ files: { 'go.mod': 'module x\n' } })
  const only = { PATH: join(dirname(g.path), 'bin') }
  const { code, stdout } = await type(g, 'ralph init --task "hats"', only)
  expect(code).toBe(0)
  expect(stdout).toContain(
    'go: not found on this machine, and the gate test needs it. Install go, or remove the gate from the settings',
  )
  expect(nextIn(stdout)).toBe('ralph doctor')
  const doctor = await type(g, 'ralph doctor', only)
  expect([doctor.code, doctor.stdout.includes('go is not on the PATH')]).toEqual([1, true])
})

test('a repository without a commit is said to be one, with the command that helps', async () => {
  const g = await newcomer({ git: false, files: { 'a.txt': 'mine\n' } })
  await type(g, 'git init -q && git config user.name A && git config user.email a@b')
  const { stdout } = await type(g, 'ralph init --task "hats"')
  const fix = /nothing is committed yet, .*: (git add .*)$/m.exec(stdout)?.[1] ?? ''
  expect(fix).toBe('git add -A && git commit -m "Begin"')
  expect((await type(g, fix)).code).toBe(0)
  const again = await type(g, 'ralph init')
  expect(again.stdout).not.toContain('nothing is committed yet')
  const loop = await type(g, nextIn(again.stdout))
  expect([loop.code, loop.stderr]).toEqual([4, ''])
})

test('what was set up without git needs no second trust after git init', async () => {
  const g = await newcomer({ git: false, files: { 'package.json': '{"scripts": {"test": "true"}}' } })
  const { stdout } = await type(g, 'ralph init --task "hats"')
  expect((await type(g, 'git init -q')).code).toBe(0)
  expect((await type(g, nextIn(stdout))).code).toBe(4)
})

describe('inside another project', () => {
  test('it is said which, nothing is written, and naming the folder makes one', async () => {
    const g = await newcomer({
      files: { '.ralph.toml': '', 'packages/a/package.json': '{"scripts": {"test": "true"}}' },
    })
    const inside = await type(g, 'cd packages/a && ralph init')
    expect([inside.code, inside.stderr]).toEqual([
      2,
      `ralph: ${g.path}/packages/a is inside the project ${g.path}\n       To use that project: cd ${g.path}. To make a separate one here: ralph init .\n`,
    ])
    expect(g.has('packages/a/.ralph')).toBe(false)
    const own = await type(g, 'cd packages/a && ralph init . --task "hats"')
    expect([own.code, own.stderr]).toEqual([0, ''])
    expect(own.stdout).toContain(
      `this project is inside another project, ${g.path}; commands you run here apply to this one`,
    )
    expect((await type(g, `cd packages/a && ${nextIn(own.stdout)}`)).code).toBe(4)
  })

  test('a part of a repository is said to be one, and the command goes there', async () => {
    const g = await newcomer({ files: { 'api/package.json': '{"scripts": {"test": "true"}}' } })
    const { stdout } = await type(g, 'ralph init api --task "hats"')
    expect(stdout).toContain(`this folder is part of the repository ${g.path}: Ralph works on this folder only.`)
    expect(nextIn(stdout)).toBe('cd api && ralph loop --once')
    expect((await type(g, nextIn(stdout))).code).toBe(4)
  })
})

test('a project of the bash tool is called one and keeps its settings file', async () => {
  const files = { '.ralphrc': 'MAX_CALLS_PER_HOUR=50\n', '.ralph/PROMPT.md': 'Do it.\n' }
  const g = await newcomer({ files })
  const { code, stdout } = await type(g, 'ralph init')
  expect([code, g.has('.ralph.toml')]).toEqual([0, false])
  expect(stdout).toContain(
    'this is a project of bash Ralph: ralph loop runs it unchanged. Its settings stay in .ralphrc',
  )
})

describe('--task', () => {
  test('is written while nobody has, list by list; words of a person stay', async () => {
    const g = await newcomer({})
    await type(g, "ralph init --task 'A shop.\n\n- sell hats\n- sell shoes'")
    expect(await g.read('.ralph/PROMPT.md')).toContain('\nA shop.\n\n- sell hats\n- sell shoes\n')
    expect(await g.read('.ralph/fix_plan.md')).toContain('## To do\n\n- [ ] sell hats\n- [ ] sell shoes\n')
    const again = await type(g, 'ralph init --task "A zoo"')
    expect([again.code, again.stderr.split('\n')[0]]).toEqual([
      2,
      'ralph: the project already has a prompt and a plan, so --task would change nothing',
    ])
    const forced = await type(g, 'ralph init --force --task "A zoo"')
    expect([forced.code, g.has('.ralph/PROMPT.md.old')]).toEqual([0, true])
  })

  test('only the file that nobody wrote into is written', async () => {
    const g = await newcomer({ files: { '.ralph/PROMPT.md': 'mine\n' } })
    await type(g, 'ralph init')
    expect((await type(g, 'ralph init --task "A zoo"')).code).toBe(0)
    expect([await g.read('.ralph/PROMPT.md'), await g.read('.ralph/fix_plan.md')]).toEqual([
      'mine\n',
      expect.stringContaining('- [ ] A zoo\n'),
    ])
  })
})

describe.skipIf(!(await hasTmux()))('on a terminal', () => {
  test('it asks what to build; Enter takes the answers that were found', async () => {
    const g = await newcomer({
      git: false,
      files: { 'package.json': '{"scripts": {"test": "node t.mjs", "e2e": "x"}}', 't.mjs': NODE_TEST },
    })
    const screen = await openTmux(g)
    await screen.type('ralph init', 'Enter')
    await screen.shows('What do you want to build?')
    await screen.type('-l', 'A shop for hats')
    await screen.type('Enter')
    const gates = await screen.shows('Which gates must pass before work counts as done?')
    expect(gates).toMatch(/◼ test: npm test/)
    expect(gates).toMatch(/◻ e2e: npm run e2e/)
    await screen.type('Enter')
    expect(await screen.shows('What may the agent do')).toMatch(/● Read and edit files, commit/)
    await screen.type('Enter')
    await screen.shows('May the agent push')
    await screen.type('Enter')
    await screen.shows('Spending limit per run')
    await screen.type('Enter')
    await screen.shows('Iterations per run')
    await screen.type('Enter')
    await screen.shows('Run git init?')
    await screen.type('Enter')
    const end = await screen.shows('Next: ralph loop --once')
    expect(end).toContain('nothing is committed yet')
    expect(await g.read('.ralph/PROMPT.md')).toContain('\nA shop for hats\n')
    expect(await g.read('.ralph/fix_plan.md')).toContain('- [ ] A shop for hats\n')
    expect(await g.read('.ralph.toml')).not.toMatch(/^max_iterations/m)
    expect(await g.read('.ralph.toml')).not.toMatch(/^allow/m)
    expect(g.has('.git')).toBe(true)
  })

  test('Ctrl+C at any question leaves nothing behind', async () => {
    const g = await newcomer({ git: false, files: { 'package.json': '{"scripts": {"test": "true"}}' } })
    const questions = [
      'What do you want to build?',
      'Which gates must pass',
      'What may the agent do',
      'May the agent push',
      'Spending limit per run',
    ]
    for (const [at, question] of questions.entries()) {
      // Each on a screen of its own: on the last one the same questions still stand.
      const screen = await openTmux(g)
      await screen.type('ralph init', 'Enter')
      for (const earlier of questions.slice(0, at)) {
        await screen.shows(earlier)
        await screen.type('Enter')
      }
      await screen.shows(question)
      await screen.type('C-c')
      await screen.shows('Nothing was written.')
    }
    expect(['.ralph', '.ralph.toml', '.git'].filter((name) => g.has(name))).toEqual([])
  })

  test('where nobody has said it yet, only what to build is asked', async () => {
    const g = await newcomer({})
    await type(g, 'ralph init')
    const screen = await openTmux(g)
    await screen.type('ralph init', 'Enter')
    await screen.shows('What do you want to build?')
    await screen.type('-l', 'Hats')
    await screen.type('Enter')
    await screen.shows('Next: ralph loop --once')
    expect(await g.read('.ralph/fix_plan.md')).toContain('- [ ] Hats\n')
  })

  test('inside another project it asks first, with No as the answer of Enter', async () => {
    const g = await newcomer({ files: { '.ralph.toml': '', 'sub/a.txt': '' } })
    const screen = await openTmux(g)
    await screen.type('cd sub; ralph init; echo "code $?"', 'Enter')
    await screen.shows(`is inside the project`)
    await screen.type('Enter')
    await screen.shows('code 3')
    expect(g.has('sub/.ralph')).toBe(false)
  })
})
