/** What roman.mjs must do. Run it with: node test.mjs */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromRoman, toRoman } from './roman.mjs'

test('numbers are written', () => {
  assert.equal(toRoman(4), 'IV')
  assert.equal(toRoman(90), 'XC')
  assert.equal(toRoman(1994), 'MCMXCIV')
  assert.equal(toRoman(3999), 'MMMCMXCIX')
})

test('numerals are read', () => {
  assert.equal(fromRoman('XIV'), 14)
  assert.equal(fromRoman('CD'), 400)
  assert.equal(fromRoman('MCMXCIV'), 1994)
})

test('what no Roman would have written is refused', () => {
  for (const text of ['IIX', 'VV', 'IIII', 'MCMC', 'ABC', '']) {
    assert.throws(() => fromRoman(text), RangeError)
  }
})
