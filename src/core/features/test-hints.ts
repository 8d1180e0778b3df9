/** What a drafted task says about tests: guessed from names, because nothing of it is there yet. */

const TEST_PATH =
  /(?:^|\/)(?:tests?|specs?|__tests__|e2e|fuzz)\/|(?:^|\/)test_[^/]*$|[._-](?:test|spec|tests|specs)\.[^/]*$/i
const RUNNER =
  /(?:^|[\s:/_.-])(?:tests?|specs?|pytest|unittest|jest|vitest|mocha|ava|rspec|phpunit|ctest|nextest|bats|tox|nox|behave|cucumber|playwright|cypress|fuzz|e2e|smoke)(?:$|[\s:/_.-])/i
/** Those that run tests where they are told to check. */
const BUILDER = /(?:^|\/)(?:make|gmake|ninja|meson|just|gradlew?|mvnw?)$/
const CHECKS = /(?:^|:)(?:check|verify)$/
/** What is no code: words, data, pictures, what a machine shall be, and what a program is built, packed, completed or measured with. */
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

/** Whether a command sounds as if it ran tests. */
export function looksLikeTestCommand(command: string): boolean {
  const words = command.split(/\s+/)
  const builds = words.some((word) => BUILDER.test(word)) && words.some((word) => CHECKS.test(word))
  return builds || RUNNER.test(command)
}

/** It ends well whatever is there: nothing that matters stands in it, or such a thing has the last word. */
export function cannotFail(command: string): boolean {
  // There the first that fails ends it.
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

/** Whether leave for these is leave for more tests than one task writes: all of a folder near the top, or of a kind. */
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
