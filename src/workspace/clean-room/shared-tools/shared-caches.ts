/**
 * What of the user's home is shared with a trial, as tables: tool chains, and packages that a package manager has fetched. Whatever is not
 * here stays behind with the old home: settings, logins, and caches of *results* (Go's build cache, ccache, Gradle's build cache),
 * from which a gate would read what somebody put there instead of finding out.
 */

/** A place in the home folder; its first part may be one of `BASE_FOLDERS`, which the user can have moved. */
type HomePath = string

export const BASE_FOLDERS: Readonly<Record<string, { variable: string; at: string }>> = {
  cache: { variable: 'XDG_CACHE_HOME', at: '.cache' },
  data: { variable: 'XDG_DATA_HOME', at: '.local/share' },
  '.cargo': { variable: 'CARGO_HOME', at: '.cargo' },
  go: { variable: 'GOPATH', at: 'go' },
  '.gradle': { variable: 'GRADLE_USER_HOME', at: '.gradle' },
}

/** Folders that hold settings and logins beside programs: never kept whole. */
export const NEVER_SHARED_ENTIRELY: ReadonlySet<string> = new Set(['CARGO_HOME', 'GOPATH'])

export interface SharedVariable {
  /** By which its program is told where it is. The user's own value counts, if there is one. */
  variable: string
  /** Where it stands by itself; the first that is there is meant. */
  at: HomePath[]
  /** Shared though it is not there yet, if this program is on the PATH: it has no other place for what a set-up fetches. */
  neededBy?: string
}

/** Tool chains. A folder `shims` in one of them stays on the PATH as it is: its programs look for it there to pass over themselves. */
export const TOOLCHAINS: readonly SharedVariable[] = [
  { variable: 'RUSTUP_HOME', at: ['.rustup'] },
  { variable: 'PYENV_ROOT', at: ['.pyenv'] },
  { variable: 'RBENV_ROOT', at: ['.rbenv'] },
  { variable: 'NODENV_ROOT', at: ['.nodenv'] },
  { variable: 'GOENV_ROOT', at: ['.goenv'] },
  { variable: 'JENV_ROOT', at: ['.jenv'] },
  { variable: 'PLENV_ROOT', at: ['.plenv'] },
  { variable: 'NVM_DIR', at: ['.nvm', '.config/nvm'] },
  { variable: 'FNM_DIR', at: ['data/fnm', '.fnm', 'Library/Application Support/fnm'] },
  { variable: 'VOLTA_HOME', at: ['.volta'] },
  { variable: 'ASDF_DIR', at: ['.asdf'] },
  { variable: 'ASDF_DATA_DIR', at: ['.asdf'] },
  { variable: 'MISE_DATA_DIR', at: ['data/mise'] },
  { variable: 'PROTO_HOME', at: ['.proto'] },
  { variable: 'SDKMAN_DIR', at: ['.sdkman'] },
  { variable: 'rvm_path', at: ['.rvm'] },
  { variable: 'OPAMROOT', at: ['.opam'] },
  { variable: 'ELAN_HOME', at: ['.elan'] },
  // Where the user says so only: there is a folder `.dotnet` without any tool chain in it.
  { variable: 'DOTNET_ROOT', at: [] },
  { variable: 'UV_PYTHON_INSTALL_DIR', at: ['data/uv/python'] },
  { variable: 'UV_TOOL_DIR', at: ['data/uv/tools'] },
  { variable: 'PIPX_HOME', at: ['data/pipx', '.local/pipx'] },
  { variable: 'COREPACK_HOME', at: ['cache/node/corepack', 'Library/Caches/node/corepack'] },
]

/** Fetched packages, browsers and models. */
export const PACKAGE_CACHES: readonly SharedVariable[] = [
  { variable: 'npm_config_cache', at: ['.npm'] },
  { variable: 'npm_config_devdir', at: ['cache/node-gyp', 'Library/Caches/node-gyp'] },
  { variable: 'UV_CACHE_DIR', at: ['cache/uv'] },
  { variable: 'PIP_CACHE_DIR', at: ['cache/pip', 'Library/Caches/pip'] },
  { variable: 'POETRY_CACHE_DIR', at: ['cache/pypoetry', 'Library/Caches/pypoetry'] },
  { variable: 'PDM_CACHE_DIR', at: ['cache/pdm', 'Library/Caches/pdm'] },
  { variable: 'GOMODCACHE', at: ['go/pkg/mod'], neededBy: 'go' },
  { variable: 'NUGET_PACKAGES', at: ['.nuget/packages'], neededBy: 'dotnet' },
  { variable: 'COMPOSER_CACHE_DIR', at: ['cache/composer', '.composer/cache', 'Library/Caches/composer'] },
  { variable: 'DENO_DIR', at: ['cache/deno', 'Library/Caches/deno'] },
  { variable: 'BUN_INSTALL_CACHE_DIR', at: ['.bun/install/cache'] },
  { variable: 'HEX_HOME', at: ['.hex'] },
  { variable: 'PUB_CACHE', at: ['.pub-cache'] },
  { variable: 'COURSIER_CACHE', at: ['cache/coursier/v1', 'Library/Caches/Coursier/v1'] },
  { variable: 'PLAYWRIGHT_BROWSERS_PATH', at: ['cache/ms-playwright', 'Library/Caches/ms-playwright'] },
  { variable: 'PUPPETEER_CACHE_DIR', at: ['cache/puppeteer'] },
  { variable: 'CYPRESS_CACHE_FOLDER', at: ['cache/Cypress', 'Library/Caches/Cypress'] },
  { variable: 'ELECTRON_CACHE', at: ['cache/electron', 'Library/Caches/electron'] },
  // Not HF_HOME, in which the login lies too.
  { variable: 'HF_HUB_CACHE', at: ['cache/huggingface/hub'] },
  { variable: 'TORCH_HOME', at: ['cache/torch'] },
  { variable: 'NLTK_DATA', at: ['nltk_data'] },
]

export interface SharedLink {
  at: HomePath
  /** Where it stands in the new home. */
  as: string
  neededBy?: string
}

/** What has no variable, or one that would change more than the place, is linked where the program looks by itself. */
export const HOME_LINKS: readonly SharedLink[] = [
  // CARGO_HOME holds settings and the login too.
  { at: '.cargo/registry', as: '.cargo/registry', neededBy: 'cargo' },
  { at: '.cargo/git', as: '.cargo/git', neededBy: 'cargo' },
  { at: '.m2/repository', as: '.m2/repository', neededBy: 'mvn' },
  { at: '.m2/wrapper', as: '.m2/wrapper' },
  // Of Gradle's caches only what was fetched: beside it lie results of builds.
  { at: '.gradle/caches/modules-2', as: '.gradle/caches/modules-2' },
  { at: '.gradle/wrapper/dists', as: '.gradle/wrapper/dists' },
  { at: '.ivy2/cache', as: '.ivy2/cache' },
  // YARN_CACHE_FOLDER would draw newer versions away from the packages that a project keeps in its own folder.
  { at: 'cache/yarn', as: '.cache/yarn' },
  { at: '.yarn/berry/cache', as: '.yarn/berry/cache' },
  // `npm_config_store_dir` is no longer read by newer versions, and npm warns of it.
  { at: 'data/pnpm/store', as: '.local/share/pnpm/store' },
  { at: 'cache/pnpm', as: '.cache/pnpm' },
  { at: '.mix', as: '.mix' },
  { at: '.bundle/cache', as: '.bundle/cache' },
]

/** Set for every trial, where this program is on the PATH. */
export interface ToolVariable {
  variable: string
  value: string
  program: string
}

export const TOOL_VARIABLES: readonly ToolVariable[] = [
  // Hard links into a cache would let the clean room's files be changed from outside, and the cache from the clean room.
  { variable: 'UV_LINK_MODE', value: 'copy', program: 'uv' },
  { variable: 'npm_config_package_import_method', value: 'clone-or-copy', program: 'pnpm' },
  { variable: 'pnpm_config_package_import_method', value: 'clone-or-copy', program: 'pnpm' },
  // What a set-up would put into the home folder, which is new for every trial, it puts into the project.
  { variable: 'POETRY_VIRTUALENVS_IN_PROJECT', value: 'true', program: 'poetry' },
  { variable: 'PIPENV_VENV_IN_PROJECT', value: '1', program: 'pipenv' },
]
