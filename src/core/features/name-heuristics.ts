/** Guesses from names what a drafted task says about tests: its files do not exist yet. */

const TEST_PATH =
  /(?:^|\/)(?:tests?|specs?|__tests__|e2e|fuzz)\/|(?:^|\/)test_[^/]*$|[._-](?:test|spec|tests|specs)\.[^/]*$/i
const RUNNER =
  /(?:^|[\s:/_.-])(?:tests?|specs?|pytest|unittest|jest|vitest|mocha|ava|rspec|phpunit|ctest|nextest|bats|tox|nox|behave|cucumber|playwright|cypress|fuzz|e2e|smoke)(?:$|[\s:/_.-])/i
/** Build tools whose targets `check` and `verify` run tests. */
const BUILDER = /(?:^|\/)(?:make|gmake|ninja|meson|just|gradlew?|mvnw?)$/
const CHECKS = /(?:^|:)(?:check|verify)$/
/** Files that are not code: text, data, images, machine configuration, builds, packages, shell completions and benchmarks. */
const NO_CODE = new RegExp(
  [
    String.raw`\.(?:md|mdx|txt|rst|adoc|\d|json|jsonc|ya?ml|toml|ini|cfg|conf|xml|service|desktop|lock|csv|po|ipynb|tf|tfvars|hcl|nix)$`,
    String.raw`\.(?:svg|png|jpe?g|gif|webp|ico|woff2?|html?|css|scss|sass|less)$`,
    String.raw`(?:^|\/)(?:[A-Z]+|\.[^/]+|(?:Docker|Container|Make|Jenkins|Proc|Gem)file[^/]*)$`,
    String.raw`(?:^|\/)(?:docs?|migrations?|completions?|debian|bench|benches|benchmarks?)\/`,
  ].join('|'),
)

export function looksLikeTestPath(path: string): boolean {
  return TEST_PATH.test(path)
}

/** Whether a command seems to run tests. */
export function looksLikeTestCommand(command: string): boolean {
  const words = command.split(/\s+/)
  const builds = words.some((word) => BUILDER.test(word)) && words.some((word) => CHECKS.test(word))
  return builds || RUNNER.test(command)
}

/** Whether the command always succeeds: its last part is `true`, `echo` or the like. */
export function cannotFail(command: string): boolean {
  // With `set -e` the first failing command ends the script.
  if (/\bset\s+-\w*e/.test(command)) return false
  const last =
    command
      .split(/\|\||;|\n/)
      .at(-1)
      ?.trim() ?? ''
  return /^(?:true|:|exit 0|(?:echo|printf)\b[^&|]*)$/.test(last)
}

export function looksLikeCodePath(path: string): boolean {
  return !looksLikeTestPath(path) && !NO_CODE.test(path)
}

/** Whether the allowance covers more tests than one task writes: all of a top-level folder, or all of a kind. */
export function isBroadAllowance(glob: string): boolean {
  const parts = glob
    .replace(/^(?:\.\/)+/, '')
    .split('/')
    .filter((part) => part !== '')
  const first = parts.findIndex((part) => /[*?[{]/.test(part))
  if (first === -1) return parts.length <= 1 && !/\./.test(parts[0] ?? '')
  const last = parts.at(-1) ?? ''
  return first < 2 && /^[*?[{]/.test(last)
}
