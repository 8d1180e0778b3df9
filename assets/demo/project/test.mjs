/** What roman.mjs must do. Run it with: node test.mjs */
import assert from 'node:assert/strict'
import { fromRoman, toRoman } from './roman.mjs'

const PAIRS = {
  1: 'I',
  4: 'IV',
  9: 'IX',
  14: 'XIV',
  40: 'XL',
  90: 'XC',
  400: 'CD',
  1994: 'MCMXCIV',
  3999: 'MMMCMXCIX',
}
const NOT_ROMAN = ['IIX', 'VV', 'IIII', 'MCMC', 'ABC', '']

let failed = 0
for (const [number, text] of Object.entries(PAIRS)) {
  test(`${number} is written ${text}`, () => assert.equal(toRoman(Number(number)), text))
  test(`${text} is read as ${number}`, () => assert.equal(fromRoman(text), Number(number)))
}
for (const text of NOT_ROMAN) {
  test(`'${text}' is refused`, () => assert.throws(() => fromRoman(text), RangeError))
}
console.log(failed === 0 ? 'all tests passed' : `${failed} tests failed`)
process.exitCode = failed === 0 ? 0 : 1

function test(name, body) {
  try {
    body()
  } catch (problem) {
    failed += 1
    console.log(`not ok: ${name} (${problem.message.split('\n')[0]})`)
  }
}
