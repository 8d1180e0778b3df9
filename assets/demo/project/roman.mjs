/** Writes and reads Roman numerals. */

export function toRoman(number) {
  throw new Error(`toRoman(${number}) is not written yet`)
}

export function fromRoman(text) {
  throw new Error(`fromRoman(${text}) is not written yet`)
}
