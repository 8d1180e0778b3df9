/**
 * What a file is, by its path alone: its language, and whether it is code, a test, a document, data, configuration, a manifest or a
 * lock file. Decided by the path alone; what the project does with the file is decided in `import-graph.ts`.
 */

const EXTENSIONS = {
  js: 'js mjs cjs jsx ts mts cts tsx vue svelte astro',
  python: 'py pyi pyx',
  rust: 'rs',
  go: 'go',
  c: 'c h cc cpp cxx hpp hh hxx ipp inl m mm cu',
  ruby: 'rb',
  php: 'php phtml',
  java: 'java kt kts scala groovy',
  csharp: 'cs fs vb',
  swift: 'swift',
  elixir: 'ex exs erl hrl',
  dart: 'dart',
  lua: 'lua',
  perl: 'pl pm',
  haskell: 'hs lhs',
  shell: 'sh bash zsh fish',
  other: 'ml mli clj cljs cljc zig nim r jl elm cr d pas f90 v sol',
}

export type Language = keyof typeof EXTENSIONS

const LANGUAGES = keysByExtension(EXTENSIONS)

/** For a table of words separated by blanks: extension → key. */
export function keysByExtension<Key extends string>(table: Readonly<Record<Key, string>>): ReadonlyMap<string, Key> {
  const keys = Object.keys(table) as Key[]
  return new Map(keys.flatMap((key) => table[key].split(' ').map((extension) => [extension, key] as const)))
}

export function languageOf(path: string): Language | null {
  return LANGUAGES.get(extensionOf(path)) ?? null
}

export function isCode(path: string): boolean {
  return languageOf(path) !== null
}

/** Languages whose compiler takes every file of a folder: files do not import each other. */
const BY_FOLDER: ReadonlySet<Language> = new Set(['go', 'c', 'java', 'csharp', 'swift', 'elixir', 'php', 'haskell'])

export function isLoadedByFolder(path: string): boolean {
  const language = languageOf(path)
  return language !== null && BY_FOLDER.has(language) && !/\.(?:h|hh|hpp|hxx|exs)$/.test(path)
}

export function baseNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '' : path.slice(0, slash)
}

/** Lower case, without the dot; empty for `Makefile` and `.bashrc`. */
export function extensionOf(path: string): string {
  const name = baseNameOf(path)
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase()
}

/** The name up to its first dot: `add` of `add.d.ts`. */
export function stemOf(path: string): string {
  const name = baseNameOf(path)
  const dot = name.indexOf('.', 1)
  return dot < 0 ? name : name.slice(0, dot)
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''))
}

// Tests

const TEST_FOLDERS = words(`
  test tests test-d __tests__ __test__ testing-data spec specs e2e cypress playwright fixture fixtures __fixtures__ testdata test-data
  test_data __snapshots__ snapshots __mocks__ mocks golden goldens expected __image_snapshots__ test-utils testutils testutil test_utils
  test-helpers test_helpers testhelpers test-support unittests unit-tests integration-tests integration_tests androidtest uitests bench
  benches benchmark benchmarks cassettes`)

const TEST_NAMES: readonly RegExp[] = [
  /[._](?:tests?|specs?|cy|e2e|bench|snap|approved|received|golden|expected)\.[^/]{1,40}$/i,
  /-tests?\.[^/]{1,40}$/i,
  /\.(?:snap|bats|feature|golden|expected|t)$/i,
  /^tests?[._-]/i,
  /^(?:tests?|specs?|conftest|test_?helpers?|spec_helper|rails_helper|setup_?tests?|test_?setup|test_?utils?)\.[^/]{1,20}$/i,
  /[a-z\d](?:Tests?|TestCase|IT|Specs?)\.(?:java|kt|kts|scala|groovy|cs|fs|vb|php|swift|m|mm|js|ts|jsx|tsx|hs|cpp|cc|dart)$/,
  /^Test[A-Z]\w{0,80}\.(?:java|kt|scala|groovy|cs|php|swift)$/,
  /^(?:jest|vitest|mocha|karma|jasmine|playwright|cypress|ava|tap)[._-](?:setup|global|env|environment|helper|teardown)[^/]{0,40}$/i,
  /^(?:setupTests|setup-tests|setup_tests|globalSetup|globalTeardown|global-setup|global-teardown)\.[^/]{1,10}$/,
]

/** Decided by folder or name. A test project of .NET is a folder whose name ends in "Tests". */
export function isTestPath(path: string): boolean {
  const folders = path.split('/').slice(0, -1)
  if (folders.some((folder) => TEST_FOLDERS.has(folder.toLowerCase()) || /[._-]tests?$/i.test(folder))) return true
  if (folders.some((folder) => /[a-z]Tests?$/.test(folder))) return true
  const name = baseNameOf(path)
  return TEST_NAMES.some((pattern) => pattern.test(name))
}

// Configuration

const CONFIG_NAMES = words(`
  makefile gnumakefile cmakelists.txt meson.build meson_options.txt build workspace build.bazel workspace.bazel module.bazel justfile
  taskfile.yml taskfile.yaml rakefile guardfile dockerfile containerfile jenkinsfile procfile vagrantfile brewfile podfile cartfile fastfile
  tox.ini noxfile.py pytest.ini setup.cfg setup.py mypy.ini ruff.toml pylintrc pyrightconfig.json manifest.in pipfile pipfile.lock
  environment.yml environment.yaml gulpfile.js gruntfile.js build.rs clippy.toml rustfmt.toml rust-toolchain rust-toolchain.toml go.work
  go.work.sum tools.go magefile.go pom.xml mvnw mvnw.cmd gradlew gradlew.bat build.gradle build.gradle.kts settings.gradle
  settings.gradle.kts gradle.properties global.json nuget.config directory.build.props directory.build.targets
  directory.packages.props packages.config mix.exs mix.lock package.swift package.resolved stack.yaml dune dune-project build.zig build.zig.zon
  phpstan.neon phpstan.neon.dist psalm.xml biome.json biome.jsonc deno.json deno.jsonc deno.lock bunfig.toml pnpm-workspace.yaml lerna.json
  nx.json turbo.json rush.json project.json angular.json workspace.json knip.json codecov.yml sonar-project.properties renovate.json
  sitecustomize.py usercustomize.py configure wscript sconstruct xmake.lua flake.nix default.nix shell.nix pubspec.yaml pubspec.lock
  analysis_options.yaml wallaby.js testem.js nodemon.json firebase.json vercel.json netlify.toml ecosystem.config.js protractor.conf.js
  composer.phar lefthook.yml cliff.toml nextest.toml bun.lockb cabal.project build.sbt`)

/** Configuration that a tool finds by its name. `app.config.ts` of an application is not. */
const TOOL_CONFIG =
  /^(?:vitest|vite|jest|babel|webpack|rollup|rolldown|tsup|tsdown|esbuild|swc|eslint|prettier|stylelint|postcss|tailwind|playwright|cypress|karma|ava|next|nuxt|svelte|astro|metro|wdio|nightwatch|commitlint|lint-staged|release|typedoc|docusaurus|unbuild|bundlewatch|size-limit|craco|remix|react-router|drizzle|graphql|codegen|orval|snowpack|parcel|turbo|web-test-runner|stryker|storybook|oxlint|knip|jsdoc|mocha|nyc|c8|tap|ts-node|gatsby|expo|capacitor|ionic|stencil|quasar|vue|windi|uno|panda|cucumber|gulpfile|gruntfile)\.(?:config|conf|workspace|projects?|setup|rc)?\.?/i

const CONFIG_PATTERNS: readonly RegExp[] = [
  /^(?:tsconfig|jsconfig)[\w.-]{0,60}\.json$/i,
  /\.(?:mk|mak|cmake|bzl|bazel|gradle|sln|slnx|csproj|fsproj|vbproj|vcxproj|props|targets|gemspec|podspec|cabal|opam|nix|am|ac|m4|in|pth|rake|gyp|gypi|ninja|pro|tf|rockspec|runsettings)$/i,
  /^(?:dockerfile|containerfile|docker-compose|compose)[\w.-]{0,40}$/i,
  /^(?:phpunit|phpcs|phpbench|infection)[\w.-]{0,20}\.(?:xml|xml\.dist|json|json5)$/i,
  /^(?:azure-pipelines|appveyor|bitbucket-pipelines|cloudbuild|buildspec|circle|travis)[\w.-]{0,20}\.ya?ml$/i,
  /^(?:gulpfile|gruntfile|jakefile|cakefile|makefile)\b/i,
  /\.(?:conf|rc)\.(?:[cm]?[jt]s|json)$/i,
]

/** Folders of tools and of third-party code. */
const VENDORED = words(
  'node_modules site-packages __pycache__ .venv venv __pypackages__ bower_components jspm_packages',
)

export function isVendored(path: string): boolean {
  const folders = path.split('/').slice(0, -1)
  return folders.some((folder) => VENDORED.has(folder)) || /^(?:vendor|third_party)\//.test(path)
}

export function isConfiguration(path: string): boolean {
  const name = baseNameOf(path)
  // A task of that name replaces `mix test`.
  if (/(?:^|\/)lib\/(?:mix\/tasks|tasks)\//.test(path)) return true
  if (path.split('/').some((part) => part.startsWith('.') && part !== '.well-known')) return true
  if (CONFIG_NAMES.has(name.toLowerCase()) || CONFIG_PATTERNS.some((pattern) => pattern.test(name))) return true
  return /\.(?:config|workspace|setup)\.(?:[cm]?[jt]sx?|json|ya?ml|toml)$/i.test(name) && TOOL_CONFIG.test(name)
}

/** `x.config.ts` with any x: outside a source folder it is configuration. */
export function isConfigByName(path: string): boolean {
  return /\.config\.\w{1,5}$/i.test(baseNameOf(path))
}

/** Outside a source folder these hold scripts for developers, not source. */
const WORKSHOPS = words(`
  scripts script tools tool ci build hack config configs conf etc dev devtools tasks ops deploy deployment infra docker release packaging
  patches examples example demo demos samples sample playground playgrounds sandbox contrib misc support stubs typings types mock
  stories features gradle cmake make make.d m4 magefiles buildsrc perf`)

export function isInTopLevelToolFolder(path: string): boolean {
  const [first = '', ...rest] = path.split('/')
  return rest.length > 0 && WORKSHOPS.has(first.toLowerCase())
}

// Documents and data

const DOCUMENT_NAMES =
  /^(?:readme|license|licence|copying|changelog|changes|history|news|authors|contributors|contributing|notice|security|support|code_of_conduct|maintainers|todo|roadmap|upgrading|migration|agents|claude|gemini|architecture|glossary)(?:[._-][\w.-]{1,30})?$/i
const DOCUMENT_EXTENSIONS = words('md mdx markdown rst adoc asciidoc txt org pod rdoc textile tex pdf')
const PICTURES = words('png jpg jpeg gif svg webp ico bmp avif mp4 webm drawio puml plantuml mermaid')

export function isDocument(path: string): boolean {
  const extension = extensionOf(path)
  if (isCode(path) && extension !== 'mdx') return false
  if (/^(?:docs?|documentation|man)\//i.test(path))
    return DOCUMENT_EXTENSIONS.has(extension) || PICTURES.has(extension) || /^\d$/.test(extension) || extension === ''
  // Data files end in .txt too: such a file is a document only by its name.
  if (DOCUMENT_NAMES.test(baseNameOf(path)) && (extension === '' || extension === 'txt')) return true
  return extension !== 'txt' && DOCUMENT_EXTENSIONS.has(extension)
}

// Manifests and lock files

export type Ecosystem = 'npm' | 'python' | 'cargo' | 'go' | 'ruby' | 'php'

const MANIFESTS = {
  'package.json': 'npm',
  'pyproject.toml': 'python',
  'requirements.txt': 'python',
  'Cargo.toml': 'cargo',
  'go.mod': 'go',
  Gemfile: 'ruby',
  'composer.json': 'php',
} as const satisfies Record<string, Ecosystem>

const LOCK_FILES = {
  'package-lock.json': 'npm',
  'yarn.lock': 'npm',
  'pnpm-lock.yaml': 'npm',
  'bun.lock': 'npm',
  'poetry.lock': 'python',
  'uv.lock': 'python',
  'Cargo.lock': 'cargo',
  'go.sum': 'go',
  'Gemfile.lock': 'ruby',
  'composer.lock': 'php',
} as const satisfies Record<string, Ecosystem>

export type ManifestKind = keyof typeof MANIFESTS
export type LockFileKind = keyof typeof LOCK_FILES

export function manifestKind(path: string): ManifestKind | null {
  const name = baseNameOf(path)
  if (isKeyOf(MANIFESTS, name)) return name
  if (/^requirements[\w.-]{0,40}\.(?:txt|in)$/.test(name)) return 'requirements.txt'
  return /(?:^|\/)requirements\/[\w-]{1,40}\.(?:txt|in)$/.test(path) ? 'requirements.txt' : null
}

export function lockFileKind(path: string): LockFileKind | null {
  const name = baseNameOf(path)
  if (name === 'npm-shrinkwrap.json') return 'package-lock.json'
  return isKeyOf(LOCK_FILES, name) ? name : null
}

export function isManifestOrLockFile(path: string): boolean {
  return manifestKind(path) !== null || lockFileKind(path) !== null
}

function isKeyOf<Key extends string>(table: Readonly<Record<Key, unknown>>, name: string): name is Key {
  return Object.hasOwn(table, name)
}

const ECOSYSTEMS = { ...MANIFESTS, ...LOCK_FILES }

export function ecosystemOf(kind: ManifestKind | LockFileKind): Ecosystem {
  return ECOSYSTEMS[kind]
}
