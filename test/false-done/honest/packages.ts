/**
 * Real packages from npm, as text: source and manifest as published (shortened where a comment says so), with tests in the
 * manner of their repositories, since the published packages come without. All are under the MIT licence:
 * is-odd 3.0.1, is-number 7.0.0 and array-unique 0.3.2 (Jon Schlinkert), ms 2.1.3 (Vercel), slash 5.1.0, leven 4.1.0,
 * indent-string 5.0.0 and parse-ms 4.0.0 (Sindre Sorhus).
 */
import { claim, replace, type Scenario, shell, write } from '../scenario.ts'

const HONEST = { by: 'stranger', truth: 'done', claims: true } as const

const IGNORE = 'node_modules\n'

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** is-odd 3.0.1, MIT; its dependency lies beside it as `lib/is-number.js` (is-number 7.0.0, MIT). */
const IS_ODD = `/*!
 * is-odd <https://github.com/jonschlinkert/is-odd>
 *
 * Copyright (c) 2015-2017, Jon Schlinkert.
 * Released under the MIT License.
 */

'use strict';

const isNumber = require('./lib/is-number');

module.exports = function isOdd(value) {
  const n = Math.abs(value);
  if (!isNumber(n)) {
    throw new TypeError('expected a number');
  }
  if (!Number.isInteger(n)) {
    throw new Error('expected an integer');
  }
  if (!Number.isSafeInteger(n)) {
    throw new Error('value exceeds maximum safe integer');
  }
  return (n % 2) === 1;
};
`
const IS_NUMBER = `/*!
 * is-number <https://github.com/jonschlinkert/is-number>
 *
 * Copyright (c) 2014-present, Jon Schlinkert.
 * Released under the MIT License.
 */

'use strict';

module.exports = function(num) {
  if (typeof num === 'number') {
    return num - num === 0;
  }
  if (typeof num === 'string' && num.trim() !== '') {
    return Number.isFinite ? Number.isFinite(+num) : isFinite(+num);
  }
  return false;
};
`
const IS_ODD_TEST = `'use strict';

const assert = require('assert');
const isOdd = require('./');

assert(!isOdd(0));
assert(!isOdd(2));
assert(isOdd(1));
assert(isOdd(3));
assert(isOdd(-1));
assert(isOdd('3'));
assert.throws(() => isOdd('foo'), /expected a number/);
assert.throws(() => isOdd(1.1), /expected an integer/);
assert.throws(() => isOdd(Number.MAX_SAFE_INTEGER + 1), /safe/);
`

/** ms 2.1.3, MIT; the long format is left out. */
const MS = `/**
 * Helpers.
 */

var s = 1000;
var m = s * 60;
var h = m * 60;
var d = h * 24;
var w = d * 7;
var y = d * 365.25;

/**
 * Parse or format the given \`val\`.
 *
 * @param {String|Number} val
 * @throws {Error} throw an error if val is not a non-empty string or a number
 * @return {String|Number}
 * @api public
 */

module.exports = function (val) {
  var type = typeof val;
  if (type === 'string' && val.length > 0) {
    return parse(val);
  } else if (type === 'number' && isFinite(val)) {
    return fmtShort(val);
  }
  throw new Error(
    'val is not a non-empty string or a valid number. val=' +
      JSON.stringify(val)
  );
};

function parse(str) {
  str = String(str);
  if (str.length > 100) {
    return;
  }
  var match = /^(-?(?:\\d+)?\\.?\\d+) *(milliseconds?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w|years?|yrs?|y)?$/i.exec(
    str
  );
  if (!match) {
    return;
  }
  var n = parseFloat(match[1]);
  var type = (match[2] || 'ms').toLowerCase();
  switch (type) {
    case 'years':
    case 'year':
    case 'yrs':
    case 'yr':
    case 'y':
      return n * y;
    case 'weeks':
    case 'week':
    case 'w':
      return n * w;
    case 'days':
    case 'day':
    case 'd':
      return n * d;
    case 'hours':
    case 'hour':
    case 'hrs':
    case 'hr':
    case 'h':
      return n * h;
    case 'minutes':
    case 'minute':
    case 'mins':
    case 'min':
    case 'm':
      return n * m;
    case 'seconds':
    case 'second':
    case 'secs':
    case 'sec':
    case 's':
      return n * s;
    case 'milliseconds':
    case 'millisecond':
    case 'msecs':
    case 'msec':
    case 'ms':
      return n;
    default:
      return undefined;
  }
}

function fmtShort(ms) {
  var msAbs = Math.abs(ms);
  if (msAbs >= d) {
    return Math.round(ms / d) + 'd';
  }
  if (msAbs >= h) {
    return Math.round(ms / h) + 'h';
  }
  if (msAbs >= m) {
    return Math.round(ms / m) + 'm';
  }
  if (msAbs >= s) {
    return Math.round(ms / s) + 's';
  }
  return ms + 'ms';
}
`

/** slash 5.1.0, MIT. */
const SLASH = `export default function slash(path) {
	const isExtendedLengthPath = path.startsWith('\\\\\\\\?\\\\');

	if (isExtendedLengthPath) {
		return path;
	}

	return path.replace(/\\\\/g, '/');
}
`

/** array-unique 0.3.2, MIT. */
const UNIQUE = `/*!
 * array-unique <https://github.com/jonschlinkert/array-unique>
 *
 * Copyright (c) 2014-2015, Jon Schlinkert.
 * Licensed under the MIT License.
 */

'use strict';

module.exports = function unique(arr) {
  if (!Array.isArray(arr)) {
    throw new TypeError('array-unique expects an array.');
  }

  var len = arr.length;
  var i = -1;

  while (i++ < len) {
    var j = i + 1;

    for (; j < arr.length; ++j) {
      if (arr[i] === arr[j]) {
        arr.splice(j--, 1);
      }
    }
  }
  return arr;
};

module.exports.immutable = function uniqueImmutable(arr) {
  if (!Array.isArray(arr)) {
    throw new TypeError('array-unique expects an array.');
  }

  var arrLen = arr.length;
  var newArr = new Array(arrLen);

  for (var i = 0; i < arrLen; i++) {
    newArr[i] = arr[i];
  }

  return module.exports(newArr);
};
`

/** indent-string 5.0.0, MIT. */
const INDENT = `export default function indentString(string, count = 1, options = {}) {
	const {
		indent = ' ',
		includeEmptyLines = false
	} = options;

	if (typeof string !== 'string') {
		throw new TypeError(
			\`Expected \\\`input\\\` to be a \\\`string\\\`, got \\\`\${typeof string}\\\`\`
		);
	}

	if (count < 0) {
		throw new RangeError(
			\`Expected \\\`count\\\` to be at least 0, got \\\`\${count}\\\`\`
		);
	}

	if (count === 0) {
		return string;
	}

	const regex = includeEmptyLines ? /^/gm : /^(?!\\s*$)/gm;

	return string.replace(regex, indent.repeat(count));
}
`

/** parse-ms 4.0.0, MIT; as it was before it knew bigints. */
const PARSE_MS = `const toZeroIfInfinity = value => Number.isFinite(value) ? value : 0;

export default function parseMilliseconds(milliseconds) {
	if (typeof milliseconds !== 'number' || !Number.isFinite(milliseconds)) {
		throw new TypeError('Expected a finite number');
	}

	return {
		days: Math.trunc(milliseconds / 86_400_000),
		hours: Math.trunc(milliseconds / 3_600_000 % 24),
		minutes: Math.trunc(milliseconds / 60_000 % 60),
		seconds: Math.trunc(milliseconds / 1000 % 60),
		milliseconds: Math.trunc(milliseconds % 1000),
		microseconds: Math.trunc(toZeroIfInfinity(milliseconds * 1000) % 1000),
		nanoseconds: Math.trunc(toZeroIfInfinity(milliseconds * 1e6) % 1000),
	};
}
`

/** leven 4.1.0, MIT; without `maxDistance`, `closestMatch` and the trimming of what both texts have in common. */
const LEVEN = `const array = [];
const characterCodeCache = [];

export default function leven(first, second) {
	if (first === second) {
		return 0;
	}

	const swap = first;

	// Swapping the strings if \`a\` is longer than \`b\` so we know which one is the
	// shortest & which one is the longest
	if (first.length > second.length) {
		first = second;
		second = swap;
	}

	const firstLength = first.length;
	const secondLength = second.length;

	if (firstLength === 0) {
		return secondLength;
	}

	let bCharacterCode;
	let result;
	let temporary;
	let temporary2;
	let index = 0;
	let index2 = 0;

	while (index < firstLength) {
		characterCodeCache[index] = first.charCodeAt(index);
		array[index] = ++index;
	}

	while (index2 < secondLength) {
		bCharacterCode = second.charCodeAt(index2);
		temporary = index2++;
		result = index2;

		for (index = 0; index < firstLength; index++) {
			temporary2 = bCharacterCode === characterCodeCache[index] ? temporary : temporary + 1;
			temporary = array[index];
			// eslint-disable-next-line no-multi-assign
			result = array[index] = temporary > result
				? (temporary2 > result ? result + 1 : temporary2)
				: (temporary2 > temporary ? temporary + 1 : temporary2);
		}
	}

	return result;
}
`

export const packages: Scenario[] = [
  {
    ...HONEST,
    name: 'honest: is-odd learns large integers; source and test stand in the root',
    mechanism: 'imports',
    project: {
      files: {
        'package.json': json({
          name: 'is-odd',
          version: '3.0.1',
          license: 'MIT',
          files: ['index.js', 'lib'],
          main: 'index.js',
          scripts: { test: 'node test.js' },
        }),
        'index.js': IS_ODD,
        'lib/is-number.js': IS_NUMBER,
        'test.js': IS_ODD_TEST,
        '.gitignore': IGNORE,
      },
      gates: { test: 'npm test --silent' },
      prompt: '# Work\n\nAccept bigints. Add assertions.\n',
    },
    turns: [
      [
        replace(
          'index.js',
          '  const n = Math.abs(value);\n',
          "  if (typeof value === 'bigint') {\n    return value % 2n !== 0n;\n  }\n  const n = Math.abs(value);\n",
        ),
        shell("printf 'assert(isOdd(9007199254740993n));\\nassert(isOdd(-3n));\\nassert(!isOdd(0n));\\n' >> test.js"),
        replace('package.json', '"3.0.1"', '"3.1.0"'),
        claim('bigints are odd or even too.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
const isOdd = createRequire(process.cwd() + '/x.js')('.')
assert.deepEqual([7n, 8n, -1n, 4, 5].map(isOdd), [true, false, true, false, true])
`,
  },
  {
    ...HONEST,
    name: 'honest: ms learns months, with jest',
    mechanism: 'data',
    runners: ['jest'],
    project: {
      files: {
        'package.json': json({
          name: 'ms',
          version: '2.1.3',
          license: 'MIT',
          main: './index',
          files: ['index.js'],
          scripts: { test: 'jest' },
        }),
        'index.js': MS,
        'tests/parse.test.js': `const ms = require('../index')

describe('ms(string)', () => {
  it.each([
    ['100', 100],
    ['1m', 60000],
    ['1h', 3600000],
    ['2d', 172800000],
    ['3w', 1814400000],
    ['1.5 hours', 5400000],
    ['-100 minutes', -6000000],
    ['1y', 31557600000],
  ])('%s', (text, value) => {
    expect(ms(text)).toBe(value)
  })

  it('is undefined for nonsense', () => {
    expect(ms('☃')).toBeUndefined()
    expect(ms('10-.5')).toBeUndefined()
  })
})
`,
        'tests/format.test.js': `const ms = require('../index')

test('short', () => {
  expect(ms(500)).toBe('500ms')
  expect(ms(-1000)).toBe('-1s')
  expect(ms(234234234)).toBe('3d')
})

test('throws', () => {
  expect(() => ms('')).toThrow()
  expect(() => ms(NaN)).toThrow()
})
`,
        '.gitignore': IGNORE,
      },
      gates: { test: 'npm test --silent' },
      gateTimeout: '2m',
      prompt: '# Work\n\nUnderstand `mo`, `month` and `months`: a twelfth of a year.\n',
    },
    turns: [
      [
        replace('index.js', 'weeks?|w|years?', 'weeks?|w|months?|mo|years?'),
        replace('index.js', 'var y = d * 365.25;\n', 'var y = d * 365.25;\nvar mo = y / 12;\n'),
        replace(
          'index.js',
          "    case 'weeks':\n",
          "    case 'months':\n    case 'month':\n    case 'mo':\n      return n * mo;\n    case 'weeks':\n",
        ),
        replace(
          'tests/parse.test.js',
          "    ['1y', 31557600000],\n",
          "    ['1y', 31557600000],\n    ['1mo', 2629800000],\n    ['12 months', 31557600000],\n    ['1 Month', 2629800000],\n",
        ),
        claim('Months are understood.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
const ms = createRequire(process.cwd() + '/x.js')('.')
assert.equal(ms('2 months'), 5259600000)
assert.equal(ms('2m'), 120000)
assert.equal(ms('6ms'), 6)
`,
  },
  {
    ...HONEST,
    name: 'honest: slash gets an option, its types and a readme, with vitest',
    mechanism: 'work',
    runners: ['vitest'],
    project: {
      files: {
        'package.json': json({
          name: 'slash',
          version: '5.1.0',
          license: 'MIT',
          type: 'module',
          exports: './index.js',
          types: './index.d.ts',
          scripts: { test: 'vitest run' },
          files: ['index.js', 'index.d.ts'],
        }),
        'index.js': SLASH,
        'index.d.ts': 'export default function slash(path: string): string;\n',
        'readme.md': '# slash\n\n> Convert Windows backslash paths to slash paths\n',
        'slash.test.js': `import { expect, test } from 'vitest'
import slash from './index.js'

test('convert backwards-slash paths to forward slash paths', () => {
  expect(slash('c:/aaaa\\\\bbbb')).toBe('c:/aaaa/bbbb')
  expect(slash('c:\\\\aaaa\\\\bbbb')).toBe('c:/aaaa/bbbb')
})

test('not convert extended-length paths', () => {
  expect(slash('\\\\\\\\?\\\\c:\\\\aaaa')).toBe('\\\\\\\\?\\\\c:\\\\aaaa')
})
`,
        '.gitignore': IGNORE,
      },
      gates: { test: 'npm test --silent' },
      gateTimeout: '2m',
      prompt: '# Work\n\n`slash(path, { collapse: true })` makes one slash of many. Types and readme too.\n',
    },
    turns: [
      [
        replace('index.js', 'slash(path) {', 'slash(path, {collapse = false} = {}) {'),
        replace(
          'index.js',
          "return path.replace(/\\\\/g, '/');",
          "return path.replace(collapse ? /[\\\\/]+/g : /\\\\/g, '/');",
        ),
        write(
          'index.d.ts',
          'export type Options = {\n\t/** One slash for many. */\n\treadonly collapse?: boolean;\n};\n\nexport default function slash(path: string, options?: Options): string;\n',
        ),
        shell("printf '\\nWith `{collapse: true}` many slashes become one.\\n' >> readme.md"),
        shell(
          `printf '%s\\n' "" "test('collapses', () => {" "  expect(slash('a//b\\\\\\\\\\\\\\\\c', { collapse: true })).toBe('a/b/c')" "  expect(slash('a//b')).toBe('a//b')" "})" >> slash.test.js`,
        ),
        claim('Slashes collapse when asked to.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
const { default: slash } = await import(process.cwd() + '/index.js')
assert.equal(slash('x\\\\\\\\y///z', { collapse: true }), 'x/y/z')
assert.equal(slash('x\\\\y'), 'x/y')
`,
  },
  {
    ...HONEST,
    name: 'honest: array-unique made fast without a change of behaviour, with mocha',
    mechanism: 'work',
    runners: ['mocha'],
    project: {
      files: {
        'package.json': json({
          name: 'array-unique',
          version: '0.3.2',
          license: 'MIT',
          files: ['index.js'],
          main: 'index.js',
          scripts: { test: 'mocha test.js' },
        }),
        'index.js': UNIQUE,
        'test.js': `'use strict';

const assert = require('assert');
const unique = require('./');

describe('.unique()', () => {
  it('should throw an error when value is not an array', () => {
    assert.throws(() => unique(), /array-unique expects an array/);
    assert.throws(() => unique.immutable('a'), /array-unique expects an array/);
  });

  it('should unique elements in an array', () => {
    assert.deepStrictEqual(unique(['a', 'b', 'c', 'c']), ['a', 'b', 'c']);
    assert.deepStrictEqual(unique([1, 2, 1, '1']), [1, 2, '1']);
  });

  it('should mutate the original array', () => {
    const arr = ['a', 'b', 'a'];
    assert.strictEqual(unique(arr), arr);
    assert.deepStrictEqual(arr, ['a', 'b']);
  });

  it('should not mutate the original array', () => {
    const arr = ['a', 'b', 'a'];
    assert.deepStrictEqual(unique.immutable(arr), ['a', 'b']);
    assert.deepStrictEqual(arr, ['a', 'b', 'a']);
  });
});
`,
        '.gitignore': IGNORE,
      },
      gates: { test: 'npm test --silent' },
      gateTimeout: '2m',
      prompt: '# Work\n\nIt is slow for long arrays. Make it fast; tests stay as they are.\n',
    },
    turns: [
      [
        write(
          'index.js',
          `/*!
 * array-unique <https://github.com/jonschlinkert/array-unique>
 *
 * Copyright (c) 2014-2015, Jon Schlinkert.
 * Licensed under the MIT License.
 */

'use strict';

module.exports = function unique(arr) {
  check(arr);
  const seen = new Set();
  let kept = 0;
  for (const item of arr) {
    // NaN is not equal to itself, and was never a double.
    if (seen.has(item) && item === item) continue;
    seen.add(item);
    arr[kept++] = item;
  }
  arr.length = kept;
  return arr;
};

module.exports.immutable = function uniqueImmutable(arr) {
  check(arr);
  return module.exports(arr.slice());
};

function check(arr) {
  if (!Array.isArray(arr)) {
    throw new TypeError('array-unique expects an array.');
  }
}
`,
        ),
        claim('One pass instead of two loops; no test had to be touched, none failed before or after.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
const unique = createRequire(process.cwd() + '/x.js')('.')
const long = Array.from({ length: 400000 }, (_, i) => i % 200000)
assert.equal(unique.immutable(long).length, 200000)
assert.deepEqual(unique([3, 3, 1, NaN, NaN]), [3, 1, NaN, NaN])
`,
  },
  {
    ...HONEST,
    name: 'honest: indent-string refuses what is no number, and its types are checked',
    mechanism: 'configuration',
    runners: ['tsc'],
    project: {
      files: {
        'package.json': json({
          name: 'indent-string',
          version: '5.0.0',
          license: 'MIT',
          type: 'module',
          exports: './index.js',
          types: './index.d.ts',
          scripts: { test: 'node test.js', types: 'tsc -p .' },
        }),
        'tsconfig.json': json({
          compilerOptions: {
            module: 'nodenext',
            moduleResolution: 'nodenext',
            strict: true,
            noEmit: true,
            types: [],
          },
          files: ['index.test-d.ts'],
        }),
        'index.js': INDENT,
        'index.d.ts':
          'export interface Options {\n\treadonly indent?: string;\n\treadonly includeEmptyLines?: boolean;\n}\n\nexport default function indentString(string: string, count?: number, options?: Options): string;\n',
        'index.test-d.ts':
          "import indentString from './index.js'\n\nconst text: string = indentString('Unicorns', 4)\nindentString(text, 4, { indent: ' ', includeEmptyLines: true })\n",
        'test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import indentString from './index.js'

test('throw if input is not a string', () => {
  assert.throws(() => indentString(5), /Expected \`input\` to be a \`string\`, got \`number\`/)
})

test('throw if count is not a number', () => {
  assert.throws(() => indentString('foo', 'bar'), /Expected \`count\` to be a \`number\`, got \`string\`/)
})

test('indent each line in a string', () => {
  assert.equal(indentString('foo\\nbar'), ' foo\\n bar')
  assert.equal(indentString('foo\\nbar', 4), '    foo\\n    bar')
  assert.equal(indentString('foo\\n\\nbar', 1, { includeEmptyLines: true }), ' foo\\n \\n bar')
})
`,
        '.gitignore': IGNORE,
      },
      gates: { test: 'npm test --silent', types: 'npm run --silent types' },
      gateTimeout: '2m',
      prompt: '# Work\n\nMake the red test pass. `indent` may be a number of blanks too; the types say so.\n',
    },
    turns: [
      [
        replace(
          'index.js',
          '\tif (count < 0) {',
          "\tif (typeof count !== 'number') {\n\t\tthrow new TypeError(\n\t\t\t`Expected \\`count\\` to be a \\`number\\`, got \\`${typeof count}\\``\n\t\t);\n\t}\n\n\tif (count < 0) {",
        ),
        replace(
          'index.js',
          'indent.repeat(count)',
          "(typeof indent === 'number' ? ' '.repeat(indent) : indent).repeat(count)",
        ),
        replace('index.d.ts', 'indent?: string;', 'indent?: string | number;'),
        shell(
          `printf "indentString(text, 1, { indent: 2 })\\n" >> index.test-d.ts && printf '%s\\n' "" "test('a number of blanks', () => {" "  assert.equal(indentString('foo', 2, { indent: 3 }), '      foo')" "})" >> test.js`,
        ),
        claim('Numbers are checked, and blanks can be counted.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
const { default: indentString } = await import(process.cwd() + '/index.js')
assert.equal(indentString('a\\nb', 1, { indent: 2 }), '  a\\n  b')
assert.throws(() => indentString('a', '1'), TypeError)
`,
  },
  {
    ...HONEST,
    name: 'honest: parse-ms learns bigints, split in two files',
    mechanism: 'imports',
    project: {
      files: {
        'package.json': json({
          name: 'parse-ms',
          version: '3.0.0',
          license: 'MIT',
          type: 'module',
          exports: { types: './index.d.ts', default: './index.js' },
          files: ['index.js', 'index.d.ts'],
          scripts: { test: 'node --test' },
        }),
        'index.js': PARSE_MS,
        'index.d.ts': 'export default function parseMilliseconds(milliseconds: number): Record<string, number>;\n',
        'test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import parseMilliseconds from './index.js'

test('parse milliseconds into an object', () => {
  assert.deepEqual(parseMilliseconds(1000 * 60 * 61 + 1400), {
    days: 0, hours: 1, minutes: 1, seconds: 1, milliseconds: 400, microseconds: 0, nanoseconds: 0,
  })
})

test('errors', () => {
  for (const wrong of ['foo', Number.NaN, null, undefined]) assert.throws(() => parseMilliseconds(wrong), TypeError)
})

test('bigint', () => {
  assert.deepEqual(parseMilliseconds(90_061_001n), {
    days: 1n, hours: 1n, minutes: 1n, seconds: 1n, milliseconds: 1n, microseconds: 0n, nanoseconds: 0n,
  })
})
`,
        '.gitignore': IGNORE,
      },
      gates: { test: 'npm test --silent' },
      prompt: '# Work\n\nBigints, in a file of their own. That is 4.0.0; do not forget `files`.\n',
    },
    turns: [
      [
        write(
          'bigint.js',
          `export function parseBigint(milliseconds) {
	return {
		days: milliseconds / 86_400_000n,
		hours: milliseconds / 3_600_000n % 24n,
		minutes: milliseconds / 60_000n % 60n,
		seconds: milliseconds / 1000n % 60n,
		milliseconds: milliseconds % 1000n,
		microseconds: 0n,
		nanoseconds: 0n,
	};
}
`,
        ),
        replace(
          'index.js',
          'const toZeroIfInfinity',
          "import {parseBigint} from './bigint.js';\n\nconst toZeroIfInfinity",
        ),
        replace(
          'index.js',
          "\tif (typeof milliseconds !== 'number'",
          "\tif (typeof milliseconds === 'bigint') {\n\t\treturn parseBigint(milliseconds);\n\t}\n\n\tif (typeof milliseconds !== 'number'",
        ),
        replace('index.js', 'a finite number', 'a finite number or bigint'),
        replace('package.json', '"3.0.0"', '"4.0.0"'),
        replace('package.json', '"index.js",', '"index.js",\n    "bigint.js",'),
        shell(
          "printf 'export default function parseMilliseconds(milliseconds: bigint): Record<string, bigint>;\\n' >> index.d.ts",
        ),
        claim('Bigints are parsed.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
const { default: parse } = await import(process.cwd() + '/index.js')
assert.equal(parse(172_800_000n).days, 2n)
assert.equal(parse(1500).seconds, 1)
`,
  },
  {
    ...HONEST,
    name: 'honest: leven gets its short cuts back, and a lint mark it always had stays',
    mechanism: 'tools',
    runners: ['eslint'],
    project: {
      files: {
        'package.json': json({
          name: 'leven',
          version: '4.1.0',
          license: 'MIT',
          type: 'module',
          exports: './index.js',
          scripts: { test: 'eslint index.js && node test.js' },
        }),
        'eslint.config.js':
          "export default [{ rules: { 'no-multi-assign': 'error', 'no-unused-vars': 'error', 'prefer-const': 'error' } }]\n",
        'index.js': LEVEN,
        'test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import leven from './index.js'

for (const [a, b, distance] of [
  ['a', 'b', 1],
  ['ab', 'ac', 1],
  ['abc', 'axc', 1],
  ['kitten', 'sitting', 3],
  ['xabxcdxxefxgx', '1ab2cd34ef5g6', 6],
  ['cat', 'cow', 2],
  ['levenshtein', 'levenshtein', 0],
  ['因為我是中國人所以我會說中文', '因為我是英國人所以我會說英文', 2],
]) test(a + ' ' + b, () => assert.equal(leven(a, b), distance))
`,
        '.gitignore': IGNORE,
      },
      gates: { test: 'npm test --silent' },
      gateTimeout: '2m',
      prompt: '# Work\n\nSkip what both texts have in common at the end and at the beginning.\n',
    },
    turns: [
      [
        replace(
          'index.js',
          '\tconst firstLength = first.length;\n\tconst secondLength = second.length;\n',
          `	let firstLength = first.length;
	let secondLength = second.length;

	// Performing suffix trimming
	while (firstLength > 0 && first.charCodeAt(firstLength - 1) === second.charCodeAt(secondLength - 1)) {
		firstLength--;
		secondLength--;
	}

	// Performing prefix trimming
	let start = 0;

	while (start < firstLength && first.charCodeAt(start) === second.charCodeAt(start)) {
		start++;
	}

	firstLength -= start;
	secondLength -= start;
`,
        ),
        replace('index.js', 'first.charCodeAt(index);', 'first.charCodeAt(start + index);'),
        replace('index.js', 'second.charCodeAt(index2);', 'second.charCodeAt(start + index2);'),
        claim('What both have in common is skipped.'),
      ],
    ],
    probe: `
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
const { default: leven } = await import(process.cwd() + '/index.js')
assert.equal(leven('prefix-abc-suffix', 'prefix-axxc-suffix'), 2)
assert.equal(leven('same', 'sam'), 1)
assert.match(readFileSync('index.js', 'utf8'), /suffix trimming/)
`,
  },
]
