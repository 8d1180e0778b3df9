/**
 * Tables of the parts of the user's home that a trial shares: tool chains, and packages that a package manager downloaded. Everything else
 * is not shared: settings, logins, and caches of *results* (Go's build cache, ccache, Gradle's build cache), from which a gate would read
 * planted results instead of computing them.
 */

/** A path in the home folder; its first part may be one of `MOVABLE_HOME_FOLDERS`, which the user may have moved. */
type HomePath = string

export const MOVABLE_HOME_FOLDERS: Readonly<Record<string, { variable: string; at: string }>> = {
  cache: { variable: 'XDG_CACHE_HOME', at: '.cache' },
  data: { variable: 'XDG_DATA_HOME', at: '.local/share' },
  '.cargo': { variable: 'CARGO_HOME', at: '.cargo' },
  go: { variable: 'GOPATH', at: 'go' },
  '.gradle': { variable: 'GRADLE_USER_HOME', at: '.gradle' },
}

/** Folders with settings and logins beside programs: never shared as a whole. */
export const NEVER_SHARED_ENTIRELY: ReadonlySet<string> = new Set(['CARGO_HOME', 'GOPATH'])

export interface FolderVariable {
  /** The variable that tells the program its folder. The user's own value wins. */
  variable: string
  /** Default folders; the first that exists is used. */
  at: HomePath[]
  /** Shared even if it does not exist yet, if this program is on the PATH: a set-up needs it for downloads. */
  neededBy?: string
}

/** Tool chains. A folder `shims` in one of them stays on the PATH: its programs look for it there to skip themselves. */
export const TOOLCHAINS: readonly FolderVariable[] = [
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
  // Only if the user sets it: a folder `.dotnet` may hold no tool chain.
  { variable: 'DOTNET_ROOT', at: [] },
  { variable: 'UV_PYTHON_INSTALL_DIR', at: ['data/uv/python'] },
  { variable: 'UV_TOOL_DIR', at: ['data/uv/tools'] },
  { variable: 'PIPX_HOME', at: ['data/pipx', '.local/pipx'] },
  { variable: 'COREPACK_HOME', at: ['cache/node/corepack', 'Library/Caches/node/corepack'] },
]

/** Downloaded packages, browsers and models. */
export const PACKAGE_CACHES: readonly FolderVariable[] = [
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
  // Not HF_HOME, which also holds the login.
  { variable: 'HF_HUB_CACHE', at: ['cache/huggingface/hub'] },
  { variable: 'TORCH_HOME', at: ['cache/torch'] },
  { variable: 'NLTK_DATA', at: ['nltk_data'] },
]

export interface SharedLink {
  at: HomePath
  /** Its path in the new home. */
  as: string
  neededBy?: string
}

/** Folders without a variable, or whose variable would change more than the path, are linked at their default path. */
export const HOME_LINKS: readonly SharedLink[] = [
  // CARGO_HOME holds settings and the login too.
  { at: '.cargo/registry', as: '.cargo/registry', neededBy: 'cargo' },
  { at: '.cargo/git', as: '.cargo/git', neededBy: 'cargo' },
  { at: '.m2/repository', as: '.m2/repository', neededBy: 'mvn' },
  { at: '.m2/wrapper', as: '.m2/wrapper' },
  // Of Gradle's caches only the downloads: the others hold build results.
  { at: '.gradle/caches/modules-2', as: '.gradle/caches/modules-2' },
  { at: '.gradle/wrapper/dists', as: '.gradle/wrapper/dists' },
  { at: '.ivy2/cache', as: '.ivy2/cache' },
  // YARN_CACHE_FOLDER would make newer versions ignore packages in the project's own cache folder.
  { at: 'cache/yarn', as: '.cache/yarn' },
  { at: '.yarn/berry/cache', as: '.yarn/berry/cache' },
  // Newer versions no longer read `npm_config_store_dir`, and npm warns about it.
  { at: 'data/pnpm/store', as: '.local/share/pnpm/store' },
  { at: 'cache/pnpm', as: '.cache/pnpm' },
  { at: '.mix', as: '.mix' },
  { at: '.bundle/cache', as: '.bundle/cache' },
]

/** Set for every trial if this program is on the PATH. */
export interface ToolVariable {
  variable: string
  value: string
  program: string
}

export const TOOL_VARIABLES: readonly ToolVariable[] = [
  // With hard links into a cache, the clean room's files could change from outside, and the cache from the clean room.
  { variable: 'UV_LINK_MODE', value: 'copy', program: 'uv' },
  { variable: 'npm_config_package_import_method', value: 'clone-or-copy', program: 'pnpm' },
  { variable: 'pnpm_config_package_import_method', value: 'clone-or-copy', program: 'pnpm' },
  // Installs into the project instead of the home folder, which is new for every trial.
  { variable: 'POETRY_VIRTUALENVS_IN_PROJECT', value: 'true', program: 'poetry' },
  { variable: 'PIPENV_VENV_IN_PROJECT', value: '1', program: 'pipenv' },
]
