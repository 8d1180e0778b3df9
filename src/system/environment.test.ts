import { describe, expect, test } from 'vitest'
import { buildHelperEnv, childEnv, fullEnvironment } from './environment.ts'

describe('buildEnv', () => {
  test('keeps what is allowed, passes what is named, adds what is given', () => {
    const ours = {
      LC_RALPH: '1',
      XDG_RALPH: '2',
      https_proxy: '3',
      RALPH_T_KEY: '4',
      RALPH_T_B: '5',
      RALPH_OTHER: '6',
    }
    Object.assign(process.env, ours)
    const env = buildHelperEnv({
      pass: ['RALPH_T_*', 'RALPH_MISSING'],
      add: { RALPH_T_B: 'new', PATH: '/only' },
    })
    for (const name of Object.keys(ours)) delete process.env[name]
    const seen = Object.fromEntries(Object.entries(env).filter(([name]) => /RALPH|^PATH$|https_proxy/.test(name)))
    expect(seen).toEqual({
      LC_RALPH: '1',
      XDG_RALPH: '2',
      https_proxy: '3',
      RALPH_T_KEY: '4',
      RALPH_T_B: 'new',
      PATH: '/only',
    })
  })
})

test('processEnv is our own environment, all of it', () => expect(fullEnvironment()).toEqual({ ...process.env }))

test('handedEnv is our environment without what is withheld, and what is added stands whatever was there', () => {
  const ours = { DATABASE_URL: 'postgres://a:b@c/d', SOME_TOKEN: 'x', RALPH_MODEL: 'y' }
  Object.assign(process.env, ours)
  const env = childEnv({
    envPolicy: { mode: 'filtered', pass: [] },
    receiver: { is: 'gate', keys: [] },
    add: { RALPH_INSIDE: 'run', SOME_TOKEN: 'given' },
  })
  for (const name of Object.keys(ours)) delete process.env[name]
  const { DATABASE_URL, SOME_TOKEN, RALPH_MODEL, RALPH_INSIDE, PATH } = env
  expect({ DATABASE_URL, SOME_TOKEN, RALPH_MODEL, RALPH_INSIDE, PATH }).toEqual({
    DATABASE_URL: 'postgres://a:b@c/d',
    SOME_TOKEN: 'given',
    RALPH_MODEL: undefined,
    RALPH_INSIDE: 'run',
    PATH: process.env['PATH'],
  })
})
