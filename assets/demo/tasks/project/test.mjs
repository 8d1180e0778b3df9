/** What roman.mjs must do. Run it with: node test.mjs */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import * as roman from './roman.mjs'

const { SYMBOLS, toRoman, fromRoman } = roman

test('sorts symbols from large to small', () => {
  const values = SYMBOLS.map(([, value]) => value)
  assert.deepEqual(values, [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1])
})

if (toRoman !== undefined) {
  test('writes numbers', () => {
    assert.equal(toRoman(4), 'IV')
    assert.equal(toRoman(90), 'XC')
    assert.equal(toRoman(1994), 'MCMXCIV')
    assert.equal(toRoman(3999), 'MMMCMXCIX')
  })
}

if (fromRoman !== undefined) {
  test('reads numerals', () => {
    assert.equal(fromRoman('XIV'), 14)
    assert.equal(fromRoman('CD'), 400)
    assert.equal(fromRoman('MCMXCIV'), 1994)
  })

  test('rejects invalid numerals', () => {
    for (const text of ['IIX', 'VV', 'IIII', 'MCMC', 'ABC', '']) {
      assert.throws(() => fromRoman(text), RangeError)
    }
  })
}

if (existsSync('convert.mjs')) {
  test('converts both ways', () => {
    const convert = (word) => execFileSync(process.execPath, ['convert.mjs', word], { encoding: 'utf8' })
    assert.equal(convert('1994'), 'MCMXCIV\n')
    assert.equal(convert('XIV'), '14\n')
  })
}
