/** What a drafted task says about tests: guessed from names, because nothing of it is there yet. */

const TEST_PATH =
  /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\/|(?:^|\/)test_[^/]*$|[._-](?:test|spec|tests|specs)\.[^/]*$/i
const RUNNER =
  /(?:^|[\s:/_.-])(?:tests?|specs?|pytest|jest|vitest|mocha|ava|rspec|phpunit|ctest|bats|tox|nox|playwright|cypress)(?:$|[\s:/_.-])/i
/** What is no code: words, data, pictures. */
const NO_CODE =
  /\.(?:md|mdx|txt|rst|adoc|json|jsonc|ya?ml|toml|ini|cfg|lock|csv|svg|png|jpe?g|gif|ico|html?|css|scss)$|(?:^|\/)[A-Z]+$/

export function isTestPath(path: string): boolean {
  return TEST_PATH.test(path)
}

/** Whether a command sounds as if it ran tests. */
export function runsTests(command: string): boolean {
  return RUNNER.test(command)
}

export function writesCode(path: string): boolean {
  return !isTestPath(path) && !NO_CODE.test(path)
}

/** Whether leave for these is leave for more tests than one task writes: all of a folder near the top, or of a kind. */
export function isWideLeave(glob: string): boolean {
  const parts = glob
    .replace(/^(?:\.\/)+/, '')
    .split('/')
    .filter((part) => part !== '')
  const first = parts.findIndex((part) => /[*?[{]/.test(part))
  if (first === -1) return parts.length <= 1 && !/\./.test(parts[0] ?? '')
  const last = parts.at(-1) ?? ''
  return first < 2 && /^[*?[{]/.test(last)
}
