/** Writes and reads Roman numerals. */

export function toRoman(number) {
  throw new Error(`toRoman(${number}) is not implemented`)
}

export function fromRoman(text) {
  throw new Error(`fromRoman(${text}) is not implemented`)
}
