import { expect, test } from 'vitest'
import { secretSpellingsOf } from './secret-spellings.ts'

const spelled = (...values: string[]): string[] => secretSpellingsOf(values, { places: ['/home/ada/shop-2024', 'ada'] })

test.each([
  ['a token', 'abc123def456', ['abc123def456']],
  [
    'a phrase',
    'correct horse battery staple',
    ['correct horse battery staple', 'correct%20horse%20battery%20staple', 'correct+horse+battery+staple'],
  ],
  ['with signs that JSON escapes', 'pass"word1', ['pass"word1', 'pass\\"word1', 'pass\\\\\\"word1', 'pass%22word1']],
  [
    'with signs that Go escapes in JSON',
    'a<b>&word1',
    ['a<b>&word1', 'a\\u003cb\\u003e\\u0026word1', 'a%3Cb%3E%26word1'],
  ],
  ['with a slash, which PHP escapes', 'pass/word1', ['pass/word1', 'pass\\/word1', 'pass%2Fword1']],
  [
    'with other signs than ASCII has',
    'p\u00e4ssw0rd\u{1f511}',
    ['p\u00e4ssw0rd\u{1f511}', 'p\\u00e4ssw0rd\\ud83d\\udd11', 'p%C3%A4ssw0rd%F0%9F%94%91'],
  ],
  ['with signs that only some encode in a URL', "p4(s's)*w!", ["p4(s's)*w!", 'p4%28s%27s%29%2Aw%21']],
  ['with a backslash at its end, which would be half of an escape', 'passw0rd\\', ['passw0rd']],
  ['of several lines: its dense parts', `first line\n${'a1B2'.repeat(5)}\nlast`, ['a1B2'.repeat(5)]],
  ['JSON: its dense parts', `{"type": "account", "id": "${'0f'.repeat(10)}"}`, ['0f'.repeat(10)]],
])('%s', (_what, value, expected) => expect(spelled(value)).toEqual(expected))

test.each([
  ['too short', 'abc123'],
  ['a word', 'postgres'],
  ['a number', '1234567890'],
  ['a path', '/home/ada/key-2024.json'],
  ['part of where the project lies', 'shop-2024'],
])('%s is not searched for', (_what, value) => expect(spelled(value)).toEqual([]))
