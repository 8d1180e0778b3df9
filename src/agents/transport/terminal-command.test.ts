import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseTerminalCommand } from './terminal-command.ts'

let base: string
let project: string
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-terminal-')))
  project = join(base, 'project')
  for (const folder of ['project/src', 'project-two', 'extra']) mkdirSync(join(base, folder), { recursive: true })
  symlinkSync(join(base, 'project-two'), join(project, 'out'))
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

const read = (asked: object) => parseTerminalCommand({ ...asked }, { cwd: project, extraDirs: [join(base, 'extra')] })
const why = (asked: object) => () => read(asked)

describe('what is run', () => {
  test.each<[object, string[], string]>([
    [{ command: 'npm', args: ['test', 'a b'] }, ['npm', 'test', 'a b'], "npm test 'a b'"],
    [{ command: ' npm test "a b" ' }, ['npm', 'test', 'a b'], 'npm test "a b"'],
    [{ command: 'grep', args: ['a|b', '*.ts'] }, ['grep', 'a|b', '*.ts'], "grep 'a|b' '*.ts'"],
    [{ command: `grep 'a|b*' x` }, ['grep', 'a|b*', 'x'], `grep 'a|b*' x`],
    // Whoever decides sees what the shell is told, command by command.
    [{ command: 'sh', args: ['-c', 'a && b'] }, ['sh', '-c', 'a && b'], 'a && b'],
    [{ command: '/bin/bash', args: ['-lc', 'a'] }, ['/bin/bash', '-lc', 'a'], 'a'],
    // But not where it could be something else than the shell, or more than a line.
    [{ command: './sh', args: ['-c', 'a'] }, ['./sh', '-c', 'a'], './sh -c a'],
    [{ command: 'bash', args: ['-c', 'a', 'b'] }, ['bash', '-c', 'a', 'b'], 'bash -c a b'],
    [{ command: 'bash', args: ['--rcfile', 'a'] }, ['bash', '--rcfile', 'a'], 'bash --rcfile a'],
  ])('%j', (asked, argv, line) => {
    expect(read(asked)).toMatchObject({ argv, line })
  })

  test.each<[object, string]>([
    [{}, 'no command given'],
    [{ command: ' ' }, 'no command given'],
    [{ command: 'a', args: [1] }, 'must be strings'],
    [{ command: 'a\0b' }, 'zero byte'],
    [{ command: 'echo "a' }, 'unclosed quote'],
    [{ command: 'a && b' }, 'args ["-c", "a && b"]'],
    [{ command: 'a | b' }, 'needs a shell'],
    [{ command: 'echo hi > a.txt' }, 'needs a shell'],
    [{ command: 'echo $HOME' }, 'needs a shell'],
    [{ command: 'echo "$HOME"' }, 'needs a shell'],
    [{ command: 'ls *.ts' }, 'needs a shell'],
    [{ command: 'ls ~' }, 'needs a shell'],
    [{ command: 'CI=1 npm test' }, 'needs a shell'],
    [{ command: 'npm test 2>&1' }, 'needs a shell'],
  ])('%j is refused: %s', (asked, words) => {
    expect(why(asked)).toThrowError(words)
  })
})

describe('where', () => {
  test.each<[string | undefined, string]>([
    [undefined, 'project'],
    ['src', 'project/src'],
    ['/BASE/project/src', 'project/src'],
    ['/BASE/extra', 'extra'],
  ])('%s is %s', (cwd, folder) => {
    const asked = { command: 'ls', ...(cwd === undefined ? {} : { cwd: cwd.replace('/BASE', base) }) }
    expect(read(asked).cwd).toBe(join(base, folder))
  })

  test.each([
    ['..', 'is outside the project'],
    ['/', 'is outside the project'],
    ['../project-two', 'is outside the project'],
    // A link inside leads outside.
    ['out', 'is outside the project'],
    ['nowhere', 'no such folder: nowhere'],
  ])('%s is refused', (cwd, words) => {
    expect(why({ command: 'ls', cwd })).toThrowError(words)
  })
})

describe('variables', () => {
  const given = (name: string, value = 'x') => ({ command: 'ls', env: [{ name, value }] })

  test('are added to the agent’s own; what chooses or injects code is not', () => {
    expect(read(given('CI')).env).toEqual({ CI: 'x' })
    expect(why(given('PATH'))).toThrowError(
      'PATH cannot be set for a command: it decides where programs and settings are found. If you need it, write it into the command: env PATH=…',
    )
  })

  test.each(['', 'A=B', 'a b', '1A'])('%j is none', (name) => {
    expect(why(given(name))).toThrowError('is not a valid variable')
  })
})

test.each([
  [undefined, 1024 * 1024],
  [10, 10],
  [0, 0],
  [1e12, 4 * 1024 * 1024],
  [-1, 1024 * 1024],
  ['10', 1024 * 1024],
])('of what it prints, as much is kept as was asked for: %s', (outputByteLimit, bytesKept) => {
  expect(read({ command: 'ls', outputByteLimit })).toMatchObject({ bytesKept })
})
