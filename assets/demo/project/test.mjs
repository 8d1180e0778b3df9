/** What roman.mjs must do. Run it with: node test.mjs */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromRoman, toRoman } from './roman.mjs'

test('writes numbers', () => {
  assert.equal(toRoman(4), 'IV')
  assert.equal(toRoman(90), 'XC')
  assert.equal(toRoman(1994), 'MCMXCIV')
  assert.equal(toRoman(3999), 'MMMCMXCIX')
})

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
