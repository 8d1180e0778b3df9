/**
 * Variables by which programs choose what else they run or load. Those that a person set are passed on, since a project may need them; an
 * agent that requests a command may not add any, because a reader of the command would not see them. Left out on purpose: search paths for
 * modules that the project imports by name (PYTHONPATH, NODE_PATH, PERL5LIB, RUBYLIB), without which few tests run.
 */

/** `*` matches any letters. Grouped by the programs that read them. */
const CHOOSERS = [
  // Where programs and settings are found.
  'PATH PATHEXT HOME USERPROFILE APPDATA XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS SHELL ComSpec',
  // Pagers, editors and password prompts, and options that start a program.
  'EDITOR VISUAL *_EDITOR HGEDITOR PAGER *_PAGER MANPAGER BROWSER *_BROWSER LESS LESSKEY* INPUTRC VIMINIT EXINIT MYVIMRC',
  'EMACSLOADPATH FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS RIPGREP_CONFIG_PATH BAT_CONFIG_PATH ACKRC TAR_OPTIONS ZIPOPT GREP_OPTIONS',
  // Libraries that load modules from a file or a folder; nobody gets the variables of the dynamic loader itself.
  'OPENSSL_CONF OPENSSL_CONF_INCLUDE OPENSSL_MODULES OPENSSL_ENGINES GLIBC_TUNABLES LOCPATH GIO_EXTRA_MODULES GIO_MODULE_DIR',
  'GTK_MODULES GTK_PATH GST_PLUGIN_* QT_PLUGIN_PATH QT_QPA_PLATFORM_PLUGIN_PATH GDK_PIXBUF_MODULE* PKCS11_*MODULE* KRB5_CONFIG',
  // Connections to other machines, and settings that name a program for a login.
  'RSYNC_RSH CVS_RSH SVN_SSH HGRCPATH CURL_HOME WGETRC SYSTEM_WGETRC AWS_CONFIG_FILE KUBECONFIG DOCKER_CONFIG DOCKER_HOST GNUPGHOME',
  'ANSIBLE_CONFIG TF_CLI_CONFIG_FILE TF_CLI_ARGS* PSQLRC',
  // Compilers, their wrappers, and variables that make evaluates.
  'CC CXX CPP AR AS LD CMAKE_*_COMPILER* CMAKE_TOOLCHAIN_FILE MAKEFLAGS GNUMAKEFLAGS MFLAGS MAKEFILES',
  'RUSTC RUSTDOC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTFLAGS RUSTDOCFLAGS CARGO CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN',
  'CARGO_ENCODED_* CARGO_BUILD_* CARGO_TARGET_*_RUNNER CARGO_TARGET_*_LINKER CARGO_TARGET_*_RUSTFLAGS',
  'GOFLAGS GOENV GOROOT GOTOOLCHAIN GOPROXY GONOSUMDB GONOSUMCHECK CGO_*',
  // Languages: options, start files, and install folders.
  'npm_config_script_shell npm_config_shell npm_config_node_options npm_config_git npm_config_userconfig npm_config_globalconfig',
  'npm_config_registry npm_config_prefix YARN_RC_FILENAME YARN_PLUGINS YARN_YARN_PATH BUN_OPTIONS BUN_INSTALL DENO_DIR TS_NODE_*',
  'PYTHONUSERBASE PYTHONEXECUTABLE PYTHONPLATLIBDIR PYTHONWARNINGS PYTHONPYCACHEPREFIX PYTEST_ADDOPTS PIP_CONFIG_FILE PIP_*INDEX_URL',
  'PIP_FIND_LINKS UV_CONFIG_FILE UV_*INDEX* UV_FIND_LINKS UV_PYTHON',
  'PERLLIB PERL_MM_OPT PERL_MB_OPT BUNDLE_GEMFILE BUNDLE_PATH GEM_HOME GEM_PATH LUA_PATH* LUA_CPATH*',
  'JAVA_HOME JAVA_OPTS CLASSPATH MAVEN_OPTS MAVEN_ARGS M2_HOME MAVEN_HOME GRADLE_OPTS GRADLE_USER_HOME GRADLE_HOME SBT_OPTS ANT_OPTS ANT_ARGS',
  'PHPRC PHP_INI_SCAN_DIR COMPOSER_HOME R_PROFILE R_PROFILE_USER R_ENVIRON R_ENVIRON_USER R_HOME JULIA_LOAD_PATH JULIA_DEPOT_PATH',
  'ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ERL_LIBS ELIXIR_ERL_OPTIONS DOTNET_ROOT DOTNET_ADDITIONAL_DEPS DOTNET_SHARED_STORE',
]

let pattern: RegExp | null = null

export function isCodeLoadingVariable(name: string): boolean {
  // Built on demand: `ralph status` loads this file and never asks.
  pattern ??= new RegExp(`^(?:${CHOOSERS.join(' ').replaceAll('*', '\\w*').replaceAll(' ', '|')})$`, 'i')
  return pattern.test(name)
}
