import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SNAPSHOT_LIMITS, chooseStoredFiles, isSecretFileName, shortenNameList } from './stored-files.ts'

describe('names that look like secrets', () => {
  test.each(
    `.env a/.env .env.local .ENV prod.env server.pem tls/server.key id_rsa id_ed25519 cert.p12
     credentials .aws/credentials credentials.json secrets.yaml service-account-x.json .netrc .pgpass`.split(/\s+/),
  )('%s', (path) => {
    expect(isSecretFileName(path)).toBe(true)
  })
  test.each(
    `.env.example .env.sample .env.template id_rsa.pub environment.ts key.ts src/credentials.ts
     secrets.md credentials_test.go monkey package.json my.env.ts keys/readme`.split(/\s+/),
  )('not %s', (path) => {
    expect(isSecretFileName(path)).toBe(false)
  })
})

const SMALL = { fileBytes: 100, files: 3, bytes: 200 }

function choose(files: Record<string, number>) {
  return chooseStoredFiles(new Map(Object.entries(files)), SMALL)
}

describe('what is stored', () => {
  test('everything within the limits', () => {
    expect(choose({ b: 1, a: 100 })).toEqual({ stored: ['a', 'b'], single: [], crowds: new Map() })
  })
  test('no large file and no secret, which count for nothing else', () => {
    expect(choose({ a: 101, b: 1, '.env': 1, c: 1, d: 1 })).toEqual({
      stored: ['b', 'c', 'd'],
      single: [
        { path: '.env', why: 'secret' },
        { path: 'a', why: 'large' },
      ],
      crowds: new Map(),
    })
  })
  test('too many files: the fullest folder is left out', () => {
    expect(choose({ 'src/a': 1, 'p/node_modules/x/1': 1, 'p/node_modules/x/2': 1, 'p/b': 1 })).toEqual({
      stored: ['p/b', 'src/a'],
      single: [],
      crowds: new Map([['p/node_modules/', ['p/node_modules/x/1', 'p/node_modules/x/2']]]),
    })
  })
  test('too many bytes: the heaviest is left out', () => {
    expect(choose({ 'data/a': 90, 'data/b': 90, 'src/c': 90 })).toEqual({
      stored: ['src/c'],
      single: [],
      crowds: new Map([['data/', ['data/a', 'data/b']]]),
    })
  })
  test('is within the limits for any files, loses none, and does not depend on their order', () => {
    const path = fc.array(fc.constantFrom('a', 'b', 'node_modules', '.env'), { minLength: 1, maxLength: 4 })
    const files = fc.uniqueArray(
      fc.tuple(
        path.map((parts) => parts.join('/')),
        fc.nat(150),
      ),
      { selector: ([name]) => name },
    )
    fc.assert(
      fc.property(files, (list) => {
        const choice = chooseStoredFiles(new Map(list), SMALL)
        const sizes = new Map(list)
        const all = [...choice.stored, ...choice.single.map((file) => file.path), ...[...choice.crowds.values()].flat()]
        expect(all.sort()).toEqual([...sizes.keys()].sort())
        expect(choice.stored.length).toBeLessThanOrEqual(SMALL.files)
        expect(choice.stored.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0)).toBeLessThanOrEqual(SMALL.bytes)
        expect(chooseStoredFiles(new Map(list.toReversed()), SMALL)).toEqual(choice)
      }),
    )
  })
  test('the limits are those that we promise', () => {
    expect(SNAPSHOT_LIMITS).toEqual({ fileBytes: 10 * 2 ** 20, files: 2000, bytes: 50 * 2 ** 20 })
  })
})

test('long lists of names end with a count', () => {
  const names = Array.from({ length: 23 }, (_, i) => `f${i}`)
  expect(shortenNameList(names)).toEqual([...names.slice(0, 20), 'and 3 more'])
})
