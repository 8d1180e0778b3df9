import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchesAny, matchesGlob } from '../glob.ts'
import { compareTest, JUDGE_GLOBS, mayChange, TEST_GLOBS } from './protect.ts'

const JS = `import { expect, test } from 'vitest'
test('adds', () => {
  expect(add(1, 2)).toBe(3)
  expect(add(0, 0)).toBe(0)
})
`

describe('a test that changed', () => {
  test.each<[string, string | null, string | null, string]>([
    ['nothing changed', JS, JS, 'same'],
    ['a new file', null, JS, 'added'],
    ['a test was added at the end', JS, `${JS}test('more', () => { expect(add(5, 5)).toBe(10) })\n`, 'added'],
    [
      'an expectation was added inside',
      JS,
      JS.replace('toBe(0)\n', 'toBe(0)\n  expect(add(2, 2)).toBe(4)\n'),
      'added',
    ],
    ['another name for the test', JS, JS.replace("'adds'", "'adds two numbers'"), 'edited'],
    ['another expected value', JS, JS.replace('toBe(3)', 'toBe(4)'), 'edited'],
    [
      'the expectation always holds',
      JS,
      JS.replace('expect(add(1, 2)).toBe(3)', 'expect(true).toBe(true)'),
      'edited',
    ],
    ['the tests stand in a branch that is never taken', JS, `if (false) {\n${JS}}\n`, 'edited'],
    ['the tests stand in a text', JS, JS.replace('test(', () => 'const old = `\ntest(') + '`\n', 'edited'],
    ['the tests stand in a function nobody calls', JS, `function later() {\n${JS}}\n`, 'edited'],
    ['what is tested is replaced', JS, `vi.mock('./add.js', () => ({ add: () => 3 }))\n${JS}`, 'edited'],
    ['what checks is replaced', JS, `globalThis.expect = () => ({ toBe() {} })\n${JS}`, 'edited'],
    [
      'a whole test was added before',
      JS,
      `test('first', () => {\n  expect(add(5, 5)).toBe(10)\n})\n${JS}`,
      'added',
    ],
    ['only spaces at line ends', JS, JS.replaceAll('\n', ' \n'), 'added'],
  ])('%s', (_, before, after, is) => {
    expect(compareTest('a.test.ts', before, after).is).toBe(is)
  })

  test.each<[string, string, string]>([
    ['skipped', JS.replace('test(', 'test.skip('), 'a skipped test was added'],
    ['focused', JS.replace('test(', 'test.only('), 'a focused test was added'],
    ['x-ed', JS.replace("test('adds'", "xit('adds'"), 'a skipped test was added'],
    ['an assertion removed', JS.replace('  expect(add(0, 0)).toBe(0)\n', ''), '1 of 2 checks were removed'],
    [
      'an assertion commented out',
      JS.replace('  expect(add(0', '  // expect(add(0'),
      '1 of 2 checks were removed',
    ],
    ['an early return', JS.replace('() => {\n', '() => {\n  return\n'), 'an early return was added'],
    ['an early end', `process.exit(0)\n${JS}`, 'an early end with success was added'],
    ['a swallowed failure', JS.replace('test(', 'try {} catch {}\ntest('), 'a swallowed failure was added'],
  ])('is weakened: %s', (_, after, why) => {
    expect(compareTest('a.test.ts', JS, after)).toEqual({ is: 'weakened', why: `a.test.ts: ${why}` })
  })

  test('is weakened when it is deleted', () => {
    expect(compareTest('a.test.ts', JS, null)).toEqual({ is: 'weakened', why: 'a.test.ts was deleted' })
  })

  test.each<[string, string, string]>([
    [
      'pytest',
      'def test_a():\n    assert f(1) == 2\n',
      '@pytest.mark.skip\ndef test_a():\n    assert f(1) == 2\n',
    ],
    [
      'unittest',
      'class T:\n  def test_a(self):\n    self.assertEqual(1, 1)\n',
      'class T:\n  def test_a(self):\n    self.skipTest("x")\n    self.assertEqual(1, 1)\n',
    ],
    [
      'rust',
      '#[test]\nfn a() {\n  assert_eq!(f(1), 2);\n}\n',
      '#[test]\n#[ignore]\nfn a() {\n  assert_eq!(f(1), 2);\n}\n',
    ],
    [
      'go',
      'func TestA(t *testing.T) {\n  if f(1) != 2 { t.Fatal("no") }\n}\n',
      'func TestA(t *testing.T) {\n  t.Skip()\n  if f(1) != 2 { t.Fatal("no") }\n}\n',
    ],
    [
      'java',
      '@Test\nvoid a() { assertEquals(1, f()); }\n',
      '@Disabled\n@Test\nvoid a() { assertEquals(1, f()); }\n',
    ],
    ['shell', 'test "$(add 1 2)" = 3 || exit 1\n', 'exit 0\ntest "$(add 1 2)" = 3 || exit 1\n'],
    ['shell, failure swallowed', './run-tests\n', './run-tests || true\n'],
  ])('in %s a way out is found', (_, before, after) => {
    expect(compareTest('t', before, after).is).toBe('weakened')
  })

  test('never throws, and a text added to itself is an addition or a weakening', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, more) => {
        expect(['same', 'added', 'weakened']).toContain(compareTest('t', before, `${before}\n${more}`).is)
      }),
    )
  })
})

describe('globs', () => {
  test.each<[string, boolean]>([
    ['src/a.test.ts', true],
    ['a.spec.js', true],
    ['tests/test_a.py', true],
    ['pkg/x_test.go', true],
    ['src/__tests__/a.js', true],
    ['test.mjs', true],
    ['src/attest.ts', false],
    ['src/latest/x.ts', false],
    ['src/testing.ts', false],
  ])('%s is a test: %s', (path, is) => {
    expect(matchesAny(path, TEST_GLOBS)).toBe(is)
  })

  test.each<[string, string, boolean]>([
    ['.github/workflows/ci.yml', '.github/workflows/**', true],
    ['a/b/c.ts', '**/c.ts', true],
    ['c.ts', '**/c.ts', true],
    ['a/b', '*', true],
    ['a/b.js', 'a/*.{ts,js}', true],
    ['a/b/c.js', 'a/*.js', false],
    ['a+b.ts', 'a+b.ts', true],
    ['x1.ts', 'x[0-9].ts', true],
  ])('%s matches %s: %s', (path, glob, is) => {
    expect(matchesGlob(path, glob)).toBe(is)
  })

  test('the judge is its settings and the runners’ configuration, not every file', () => {
    expect(
      ['.ralph.toml', 'vitest.config.ts', 'pkg/jest.config.js', 'src/a.ts', 'package.json'].filter((path) =>
        matchesAny(path, JUDGE_GLOBS),
      ),
    ).toEqual(['.ralph.toml', 'vitest.config.ts', 'pkg/jest.config.js'])
  })
})

test('a plan may say beforehand which tests change', () => {
  const plan =
    '- [ ] Round half up; `round.test.mjs` changes with it\n- [x] old.test.js done\n- [ ] Rename [tests: test/**, spec/a.rb]\n- [ ] fix tests/test_x.py too\n'
  expect(mayChange(plan)).toEqual(['test/**', 'spec/a.rb', 'round.test.mjs', 'tests/test_x.py'])
})
