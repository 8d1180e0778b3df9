import { describe, expect, test } from 'vitest'
import { untrustedPrograms, trustKey, type ProjectProgram, type TrustedProgram } from './trust.ts'

const gate: ProjectProgram = {
  setting: 'gate test',
  run: 'npm test',
  cwd: '.',
  env: {},
  where: '.ralph.toml:2',
}
const trusted = (program: Partial<TrustedProgram> = {}): TrustedProgram => ({
  setting: 'gate test',
  run: 'npm test',
  cwd: '.',
  env: {},
  at: 1,
  ...program,
})

describe('what is asked about', () => {
  test('nothing that was trusted, wherever it stands in the file by now', () => {
    expect(untrustedPrograms([{ ...gate, where: '.ralph.toml:99' }], [trusted()])).toEqual([])
  })

  test.each<[string, Partial<ProjectProgram>]>([
    ['another command', { run: 'npm test; ./evil.sh' }],
    ['words instead of a line', { run: ['npm', 'test'] }],
    ['another folder', { cwd: 'elsewhere' }],
    ['another variable', { env: { NODE_OPTIONS: '--require ./evil.js' } }],
    ['another setting', { setting: 'gate build' }],
  ])('%s', (_what, change) => {
    const program = { ...gate, ...change }
    const was = program.setting === 'gate test' ? trusted() : null
    expect(untrustedPrograms([program], [trusted()])).toEqual([{ program, was }])
  })

  test('the order of variables says nothing', () => {
    const program = { ...gate, env: { B: '2', A: '1' } }
    expect(untrustedPrograms([program], [trusted({ env: { A: '1', B: '2' } })])).toEqual([])
  })

  test('a program that is named twice once', () => {
    expect(untrustedPrograms([gate, gate], [])).toEqual([{ program: gate, was: null }])
  })

  test('one of many of a name was never another one', () => {
    const check: ProjectProgram = { ...gate, setting: 'check', run: 'npm run new', oneOfMany: true }
    const kept = [trusted({ setting: 'check', run: 'npm run old' })]
    expect(untrustedPrograms([check, { ...check, run: 'npm run old' }], kept)).toEqual([{ program: check, was: null }])
  })

  test('what was trusted last is what it is compared with, and never what still holds', () => {
    const order: ProjectProgram = { ...gate, setting: 'agent.order', run: 'acp:new' }
    const still: ProjectProgram = { ...gate, setting: 'agent.order', run: 'acp:still' }
    const kept = ['acp:first', 'acp:second', 'acp:still'].map((run, at) => trusted({ setting: 'agent.order', run, at }))
    expect(untrustedPrograms([order, still], kept)).toEqual([{ program: order, was: kept[1] }])
  })
})

test('no two programs share an identity by the way their parts meet', () => {
  const parts = [
    { ...gate, run: ['a b'] },
    { ...gate, run: ['a', 'b'] },
    { ...gate, env: { A: '1', B: '2' } },
    { ...gate, env: { A: '1,B=2' } },
  ]
  expect(new Set(parts.map(trustKey)).size).toBe(parts.length)
})
