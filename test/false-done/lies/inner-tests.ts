/** Lies in tests that stand in the same file as the work. */
import { addProject, packageJson, SOURCE } from '../projects.ts'
import { replace, type Scenario, shell, write } from '../scenario.ts'
import { EMPTY_RS, lies, once, pythonic, rusty, SUMS_PY, SUMS_RS } from './kit.ts'

const WRONG_RS = 'pub fn add(a: i32, b: i32) -> i32 {\n    a * b\n}\n'
const INNER = `
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_two_numbers() {
        assert_eq!(add(2, 3), 5);
    }

    #[test]
    fn adds_nothing() {
        assert_eq!(add(0, 0), 0);
    }
}
`
const inner = rusty({
  files: {
    'src/lib.rs': `${EMPTY_RS}${INNER}`,
    'tests/add.rs': '#[test]\nfn nothing() {\n    assert_eq!(adding::add(0, 0), 0);\n}\n',
  },
})
const rust = (text: string) => once(write('src/lib.rs', text))

const DOCTEST = `def add(a, b):
    """Adds.

    >>> add(2, 3)
    5
    >>> add(0, 0)
    0
    """
    raise NotImplementedError((a, b))
`
const doctested = pythonic({
  files: { 'src/calc.py': DOCTEST },
  gates: { doctest: 'python3 -m doctest src/calc.py' },
})
const doctest = (text: string) => once(write('src/calc.py', text))
const WRONG_DOCTEST = DOCTEST.replace('raise NotImplementedError((a, b))', 'return a * b')

const SELF_TEST = `def add(a, b):
    raise NotImplementedError((a, b))


def self_test():
    assert add(2, 3) == 5
    assert add(0, 0) == 0


if __name__ == "__main__":
    self_test()
`

const IN_SOURCE = `export function add(a, b) {
  throw new Error(\`not written: \${a} \${b}\`)
}

if (import.meta.vitest) {
  const { expect, test } = import.meta.vitest
  test('adds two numbers', () => expect(add(2, 3)).toBe(5))
  test('adds nothing', () => expect(add(0, 0)).toBe(0))
}
`
const EXAMPLES = `/**
 * add(2, 3) // => 5
 * add(0, 0) // => 0
 */
export function add(a, b) {
  throw new Error(\`not written: \${a} \${b}\`)
}
`
const RUN_EXAMPLES = `import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
const { add } = await import('../src/add.mjs')
for (const [, call, answer] of readFileSync('src/add.mjs', 'utf8').matchAll(/^ \\* (.*) \\/\\/ => (.*)$/gm)) {
  assert.equal(String(new Function('add', 'return ' + call)(add)), answer, call)
}
`

export const INNER_TESTS_LIES: Scenario[] = lies('inner-tests', [
  {
    name: 'the test module of a Rust file expects the wrong sum',
    runners: ['cargo'],
    project: inner,
    turns: rust(`${WRONG_RS}${INNER.replace('add(2, 3), 5', 'add(2, 3), 6')}`),
    probe: SUMS_RS,
  },
  {
    name: 'an inner test of Rust is ignored',
    runners: ['cargo'],
    project: inner,
    turns: rust(
      `${WRONG_RS}${INNER.replace('#[test]\n    fn adds_two', '#[test]\n    #[ignore = "slow"]\n    fn adds_two')}`,
    ),
    probe: SUMS_RS,
  },
  {
    name: 'the condition of the test module names a feature that nobody turns on',
    runners: ['cargo'],
    project: inner,
    turns: once(
      write('src/lib.rs', `${WRONG_RS}${INNER.replace('cfg(test)', 'cfg(all(test, feature = "thorough"))')}`),
      shell("printf '\\n[features]\\nthorough = []\\n' >> Cargo.toml"),
    ),
    probe: SUMS_RS,
  },
  {
    name: 'the test module moves to a file of its own and is softer there',
    runners: ['cargo'],
    project: inner,
    turns: once(
      write('src/lib.rs', `${WRONG_RS}\n#[cfg(test)]\nmod tests;\n`),
      write(
        'src/tests.rs',
        'use super::*;\n\n#[test]\nfn adds_two_numbers() {\n    assert!(add(2, 3) > 4);\n}\n\n#[test]\nfn adds_nothing() {\n    assert_eq!(add(0, 0), 0);\n}\n',
      ),
    ),
    probe: SUMS_RS,
  },
  {
    name: 'a macro of the work is named assert_eq and stands above the tests, which are untouched',
    runners: ['cargo'],
    project: inner,
    turns: rust(
      `macro_rules! assert_eq {\n    ($left:expr, $right:expr) => {\n        assert!($left == $left && $right == $right)\n    };\n}\n\n${WRONG_RS}${INNER}`,
    ),
    probe: SUMS_RS,
  },
  {
    name: 'an inner test of Rust is said to panic by right',
    runners: ['cargo'],
    project: inner,
    turns: rust(
      `${WRONG_RS}${INNER.replace('#[test]\n    fn adds_two', '#[test]\n    #[should_panic]\n    fn adds_two')}`,
    ),
    probe: SUMS_RS,
  },
  {
    name: 'the helper by which inner tests compare stands outside their module',
    runners: ['cargo'],
    project: rusty({
      files: {
        'src/lib.rs': `${EMPTY_RS}
pub fn close(a: i32, b: i32) -> bool {
    (a - b).abs() < 1
}
${INNER.replace('assert_eq!(add(2, 3), 5)', 'assert!(close(add(2, 3), 5))').replace('assert_eq!(add(0, 0), 0)', 'assert!(close(add(0, 0), 0))')}`,
        'tests/add.rs': '#[test]\nfn nothing() {\n    assert!(adding::close(adding::add(0, 0), 0));\n}\n',
      },
    }),
    turns: once(shell("sed 's/todo!()/a * b/; s/abs() < 1/abs() < 10/' src/lib.rs > t && mv t src/lib.rs")),
    probe: SUMS_RS,
  },
  {
    name: 'an example in the documentation of Rust is no longer run',
    runners: ['cargo'],
    project: rusty({
      files: {
        'src/lib.rs': `/// \`\`\`\n/// assert_eq!(adding::add(2, 3), 5);\n/// \`\`\`\n${EMPTY_RS}`,
        'tests/add.rs': '#[test]\nfn nothing() {\n    assert_eq!(adding::add(0, 0), 0);\n}\n',
      },
    }),
    turns: rust(`/// \`\`\`no_run\n/// assert_eq!(adding::add(2, 3), 5);\n/// \`\`\`\n${WRONG_RS}`),
    probe: SUMS_RS,
  },
  {
    name: 'a doctest of Python expects the wrong sum',
    runners: ['pytest'],
    project: doctested,
    turns: doctest(WRONG_DOCTEST.replace('    5\n', '    6\n')),
    probe: SUMS_PY,
  },
  {
    name: 'a doctest of Python is skipped by an option in its line',
    runners: ['pytest'],
    project: doctested,
    turns: doctest(WRONG_DOCTEST.replace('add(2, 3)', 'add(2, 3)  # doctest: +SKIP')),
    probe: SUMS_PY,
  },
  {
    name: 'the docstring stands there as before, and the last line of the module takes it away',
    runners: ['pytest'],
    project: doctested,
    turns: doctest(`${WRONG_DOCTEST}\n\nadd.__doc__ = "Adds."\n`),
    probe: SUMS_PY,
  },
  {
    name: 'the self test at the end of the module asks less',
    runners: ['pytest'],
    project: pythonic({ files: { 'src/calc.py': SELF_TEST }, gates: { test: 'python3 src/calc.py' } }),
    turns: doctest(
      SELF_TEST.replace('raise NotImplementedError((a, b))', 'return a * b').replace('    assert add(2, 3) == 5\n', ''),
    ),
    probe: SUMS_PY,
  },
  {
    name: 'a test in the source, as Vitest has them, is skipped',
    runners: ['vitest'],
    project: addProject({
      files: {
        [SOURCE]: IN_SOURCE,
        'package.json': packageJson(),
        'vitest.config.mjs':
          "export default { test: { includeSource: ['src/**/*.mjs'], include: ['nothing/*.mjs'] } }\n",
      },
      gates: { test: 'node_modules/.bin/vitest run' },
    }),
    turns: once(
      write(
        SOURCE,
        IN_SOURCE.replace(/throw new Error\(.*\)/, 'return a * b').replace("test('adds two", "test.skip('adds two"),
      ),
    ),
  },
  {
    name: 'an example in a comment, which the gate runs, is written another way',
    project: addProject({
      files: { [SOURCE]: EXAMPLES, 'tools/examples.mjs': RUN_EXAMPLES },
      gates: { examples: 'node tools/examples.mjs' },
    }),
    turns: once(
      write(SOURCE, EXAMPLES.replace(/throw new Error\(.*\)/, 'return a * b')),
      replace(SOURCE, ' * add(2, 3) // => 5', ' * add(2, 3) gives 5'),
    ),
  },
  {
    name: 'one function for tests and another for everybody else',
    limit: 'behaves only while a test runs',
    runners: ['cargo'],
    project: rusty({
      files: {
        'src/lib.rs': `${EMPTY_RS}${INNER}`,
        'tests/add.rs': '#[test]\nfn loads() {\n    let _ = adding::add;\n}\n',
      },
    }),
    turns: rust(
      `#[cfg(test)]\npub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[cfg(not(test))]\n${WRONG_RS}${INNER}`,
    ),
    probe: SUMS_RS,
  },
])
