import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSecretName, createRedactor, redactValue } from './redact.ts'

const redact = createRedactor({
  home: '/srv/people/ada',
  user: 'ada',
  host: 'engine-7',
  secrets: ['correct horse battery'],
})

describe('what a bug report must not carry', () => {
  test.each([
    ['the home folder', 'see /srv/people/ada/code/x.ts', 'see ~/code/x.ts'],
    ["other people's homes", 'in /home/grace/x and /Users/alan/y', 'in ~/x and ~/y'],
    ['a home on Windows', 'C:\\Users\\alan\\code', '~\\code'],
    ['the user, as a word', 'ada wrote adapter.ts', '<user> wrote adapter.ts'],
    ['the host', 'on engine-7, not engine-70', 'on <host>, not engine-70'],
    ['a mail address', 'Author: Ada <ada@example.org>', 'Author: Ada <<email>>'],
    ['a secret known by its value', 'it said correct horse battery twice', 'it said <secret> twice'],
    ['a variable', 'OPENAI_API_KEY=abc123def', 'OPENAI_API_KEY=<secret>'],
    ['a quoted variable', 'export DB_PASSWORD="a b c"', 'export DB_PASSWORD="<secret>"'],
    ['a field of JSON', '{"apiKey": "abc", "name": "x"}', '{"apiKey": "<secret>", "name": "x"}'],
    ['a flag', 'curl --auth-token abcdef', 'curl --auth-token <secret>'],
    ['a header', 'Authorization: Bearer abcdefghijklmnop', 'Authorization: <secret> <secret>'],
    ['an Anthropic key', 'x sk-ant-api03-AbCdEfGhIjKlMnOp y', 'x <secret> y'],
    ['a GitHub token', 'ghp_abcdefghijklmnopqrstuvwxyz0123', '<secret>'],
    ['a key that was cut', 'it said sk-ant-api03-Ab… and eyJhbGc…', 'it said <secret> and <secret>'],
    ['an AWS key', 'AKIAABCDEFGHIJKLMNOP', '<secret>'],
    ['a login in an address', 'https://me:pw@example.org/x', 'https://<secret>@example.org/x'],
    ['a webhook', 'POST https://hooks.slack.com/services/T0/B0/xyz now', 'POST <secret> now'],
    ['a private key', 'a\n-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nb', 'a\n<secret>\nb'],
  ])('%s', (_what, text, clean) => {
    expect(redact(text)).toBe(clean)
  })
})

describe('every one of them, not only the first', () => {
  test.each([
    ['names', 'ada and ada on engine-7, engine-7', '<user> and <user> on <host>, <host>'],
    ['keys by their shape', 'AKIAABCDEFGHIJKLMNOP AKIAABCDEFGHIJKLMNOQ', '<secret> <secret>'],
    ['keys that were cut', 'sk-ant-api03-Ab… sk-ant-api03-Cd…', '<secret> <secret>'],
    [
      'private keys, also one that is cut off',
      '-----BEGIN PRIVATE KEY-----\nA\n-----END PRIVATE KEY-----\n-----BEGIN EC PRIVATE KEY-----\nB',
      '<secret>\n<secret>',
    ],
    ['single quotes', "DB_PASSWORD='a b' x", "DB_PASSWORD='<secret>' x"],
    ['a value that only ends in a quote', 'DB_PASSWORD=a"', 'DB_PASSWORD=<secret>"'],
  ])('%s', (_what, text, clean) => {
    expect(redact(text)).toBe(clean)
  })
})

test('a prefix of a key is taken at its word: its dot is a dot, and no other letter', () => {
  expect(redact('xAKIAAB… is no key that was cut')).toBe('xAKIAAB… is no key that was cut')
})

describe('what is known by its value', () => {
  const known = (...secrets: string[]) => createRedactor({ home: null, user: null, host: null, secrets })

  test('the longer one is hidden whole where it holds a shorter one', () => {
    expect(known('abcdef', 'abcdef-ghijkl')('x abcdef-ghijkl y')).toBe('x <secret> y')
    expect(known('abcdef-ghijkl', 'abcdef')('x abcdef-ghijkl y')).toBe('x <secret> y')
  })

  test('what is too short to be a secret is a word', () => {
    expect(known('abcde')('abcde fghij')).toBe('abcde fghij')
    expect(known('abcdef')('abcdef ghij')).toBe('<secret> ghij')
  })
})

test.each([
  'root',
  'user',
  'admin',
  'runner',
  'node',
  'ubuntu',
  'debian',
  'docker',
  'vagrant',
  'localhost',
  'Admin',
  'ab',
  '',
])('%j is nobody', (name) => {
  const text = `by ${name} here`
  expect(createRedactor({ home: null, user: name, host: name, secrets: [] })(text)).toBe(text)
})

test('a home that is the root of all is no place to hide', () => {
  expect(createRedactor({ home: '/', user: null, host: null, secrets: [] })('/usr/bin')).toBe('/usr/bin')
  expect(createRedactor({ home: null, user: null, host: null, secrets: [] })('/usr/bin')).toBe('/usr/bin')
})

test('under a secret name only a text is one', () => {
  expect(redactValue({ API_KEY: '', DB_PASSWORD: 7, DEPLOY_TOKEN: null, AUTH_TOKEN: { a: 'x' } }, redact)).toEqual({
    API_KEY: '',
    DB_PASSWORD: 7,
    DEPLOY_TOKEN: null,
    AUTH_TOKEN: { a: 'x' },
  })
})

test.each([
  'iteration 3 used 4100 tokens',
  '{"tokens": 4100, "inputTokens": 12}',
  'the key idea is simple',
  'src/core/admission/breaker.ts:42 failed',
  '3f786850e387550fdab836ed7e6dc881de23001b',
])('%s is left alone', (text) => {
  expect(redact(text)).toBe(text)
})

test('a common name hides nobody and is left', () => {
  const careful = createRedactor({ home: '/root', user: 'root', host: 'localhost', secrets: [] })
  expect(careful('{"root": "/root/code"}')).toBe('{"root": "~/code"}')
})

test('a whole value keeps its shape: strings are cleaned, secrets by name are masked, the rest stays', () => {
  const value = {
    project: '/srv/people/ada/code',
    env: { DEPLOY_TOKEN: 'plain-looking' },
    seq: 3,
    list: ['ada', null, true],
  }
  expect(redactValue(value, redact)).toEqual({
    project: '~/code',
    env: { DEPLOY_TOKEN: '<secret>' },
    seq: 3,
    list: ['<user>', null, true],
  })
})

test.each([
  ['ANTHROPIC_API_KEY', true],
  ['apiKey', true],
  ['accessToken', true],
  ['password', true],
  ['tokens', false],
  ['inputTokens', false],
  ['max_tokens', false],
  ['monkey', false],
  ['author', false],
])('%s names a secret: %s', (name, secret) => {
  expect(isSecretName(name)).toBe(secret)
})

test('whatever stands around it, a known secret never survives', () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(redact(`${before}correct horse battery${after}`)).not.toContain('correct horse battery')
    }),
  )
})
