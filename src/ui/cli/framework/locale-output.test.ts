import { expect, test } from 'vitest'
import type { Io } from './io.ts'
import { ioForCommand } from './locale-output.ts'

function printed(env: Io['env'], given: string[], text: string): string {
  let out = ''
  const io = {
    out: (more: string) => void (out += more),
    err: (more: string) => void (out += more),
    get asks(): boolean {
      throw new Error('stdin was opened')
    },
    env,
  } as Io
  const screen = ioForCommand(io, { given })
  screen.out(text)
  screen.err(text)
  return out
}

test.each([
  ['a screen in a UTF-8 locale', { LANG: 'C.UTF-8' }, [], '✓ a · b −3 日本'],
  ['a screen without a locale', {}, [], '✓ a · b −3 日本'],
  ['a screen in another locale', { LANG: 'C' }, ['verbose'], '+ a . b -3 日本'],
  ['JSON in another locale', { LC_ALL: 'C', LANG: 'C.UTF-8' }, ['json'], '✓ a · b −3 日本'],
  ['a patch in another locale', { LANG: 'C' }, ['patch'], '✓ a · b −3 日本'],
])('%s', (_, env, given, text) => {
  expect(printed(env, given, '✓ a · b −3 日本')).toBe(text.repeat(2))
})
