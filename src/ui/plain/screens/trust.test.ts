import { expect, test } from 'vitest'
import type { UntrustedProgram } from '../../../core/trust/trust.ts'
import { createPaint } from '../colours.ts'
import { untrustedProgramLines } from './trust.ts'

const program = { setting: 'gate test', run: 'npm test', cwd: '.', env: {}, where: '.ralph.toml:7' }
const lines = (doubts: UntrustedProgram[], width: number | null = null): string[] =>
  untrustedProgramLines(doubts, width, createPaint(false))

test('a new program: who names it, where, and what it is', () => {
  const mine = {
    ...program,
    setting: 'agents.mine',
    run: ['./a gent', '--x'],
    cwd: 'sub',
    env: { NODE_OPTIONS: '-r ./x.js' },
  }
  expect(
    lines([
      { program, was: null },
      { program: mine, was: null },
    ]),
  ).toEqual([
    '  gate test  (.ralph.toml:7)',
    '    npm test',
    '',
    '  agents.mine  (.ralph.toml:7)',
    '    "./a gent" --x',
    '    in folder sub',
    '    with NODE_OPTIONS="-r ./x.js"',
    '',
  ])
})

test('a changed program: what it was and what it is', () => {
  const was = { ...program, run: 'npm test', at: 1 }
  expect(lines([{ program: { ...program, run: 'npm test; ./evil.sh' }, was }])).toEqual([
    '  gate test  (.ralph.toml:7) changed since you approved it',
    '    was  npm test',
    '    now  npm test; ./evil.sh',
    '',
  ])
})

test('a hostile value steers nothing and hides nothing', () => {
  const run = 'true\u001b[2A\u001b[2K\n\u202e hs.live/. \u200b'
  expect(lines([{ program: { ...program, setting: 'gate \u001b]0;x\u0007', run }, was: null }])).toEqual([
    String.raw`  gate \u{1b}]0;x\u{7}  (.ralph.toml:7)`,
    String.raw`    true\u{1b}[2A\u{1b}[2K\n\u{202e} hs.live/. \u{200b}`,
    '',
  ])
})

test('a long value is shown to its last character, in lines that fit', () => {
  const run = `${'漢x '.repeat(25_000)}; ./evil.sh`
  const [head, ...shown] = lines([{ program: { ...program, run }, was: null }], 60)
  expect(head).toBe('  gate test  (.ralph.toml:7)')
  expect(shown.map((line) => line.slice(4)).join('')).toBe(run)
  expect(shown.every((line) => line.length <= 60)).toBe(true)
})
