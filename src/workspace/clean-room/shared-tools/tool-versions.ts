/**
 * The tool versions that the user chose outside the project: in folders above it, in the home folder, or by a rule for its path. The clean
 * room is elsewhere, so variables pass them on. Versions that the project itself chooses are in the clean room anyway.
 */
import { dirname, join } from 'node:path'
import type { Env } from '../../../core/trust/environment.ts'
import { attempt } from '../../../system/attempt.ts'
import { exists, readIfExists } from '../../../system/files/files.ts'

/** The real environment and folders of the project that a trial reproduces. */
export interface HostEnvironment {
  /** The complete environment of gates. */
  env: Env
  /** The top folder of the working tree. */
  top: string
  /** The real home folder. */
  home: string
}

/** A file that names one version, or several, one per line. */
const SINGLE: readonly { file: string; variable: string }[] = [
  { file: '.python-version', variable: 'PYENV_VERSION' },
  { file: '.ruby-version', variable: 'RBENV_VERSION' },
  { file: '.node-version', variable: 'NODENV_VERSION' },
  { file: '.go-version', variable: 'GOENV_VERSION' },
  { file: '.java-version', variable: 'JENV_VERSION' },
]

const RUST_FILES = ['rust-toolchain.toml', 'rust-toolchain']

export function toolVersionVariables(place: HostEnvironment): Env {
  const chosen: Env = { ...rustToolchain(place), ...toolVersions(place) }
  for (const { file, variable } of SINGLE) {
    const text = exists(join(place.top, file)) ? null : nearest(place, [file])
    const versions = lines(text ?? '')
    if (versions.length > 0) chosen[variable] = versions.join(':')
  }
  return Object.fromEntries(Object.entries(chosen).filter(([name]) => place.env[name] === undefined))
}

/** `rustup override set` stores the folder's path; a file in a folder above can choose it too. */
function rustToolchain(place: HostEnvironment): Env {
  const settings = readTextOrNull(join(place.env['RUSTUP_HOME'] ?? join(place.home, '.rustup'), 'settings.toml'))
  const overrides = [...(settings ?? '').matchAll(/^\s*"([^"]+)"\s*=\s*"([^"]+)"\s*$/gm)]
    .map(([, path = '', toolchain = '']) => ({ path, toolchain }))
    .filter(({ path }) => above(place.top).includes(path) || path === place.top)
    .toSorted((a, b) => b.path.length - a.path.length)
  const own = RUST_FILES.some((file) => exists(join(place.top, file)))
  const override = overrides.find(({ path }) => path === place.top || !own)
  if (override !== undefined) return { RUSTUP_TOOLCHAIN: override.toolchain }
  const text = own ? null : nearest(place, RUST_FILES)
  const channel = /^\s*channel\s*=\s*["']([^"']+)["']/m.exec(text ?? '')?.[1] ?? lines(text ?? '')[0]
  return channel === undefined || channel.startsWith('[') ? {} : { RUSTUP_TOOLCHAIN: channel }
}

/** asdf and mise read `.tool-versions`; of mise's own settings in the home folder only the versions are used. */
function toolVersions(place: HostEnvironment): Env {
  const files = ['.tool-versions', 'mise.toml', '.mise.toml']
  const own = files.map((file) => readTextOrNull(join(place.top, file)) ?? '').join('\n')
  const chosen = new Map([
    ...tomlTools(readTextOrNull(join(userConfigFolder(place), 'mise', 'config.toml')) ?? ''),
    ...lines(nearest(place, ['.tool-versions']) ?? '').map((line) => {
      const [name = '', ...versions] = line.split(/\s+/)
      return [name, versions.join(' ')] as const
    }),
  ])
  const env: Env = {}
  for (const [name, version] of chosen) {
    if (version === '' || mentions(own, name)) continue
    const word = name.toUpperCase().replace(/[^A-Z0-9]/g, '_')
    env[`ASDF_${word}_VERSION`] = version
    env[`MISE_${word}_VERSION`] = version.split(' ')[0] ?? version
  }
  return env
}

function mentions(text: string, name: string): boolean {
  return lines(text).some((line) => line.split(/[\s=]/)[0]?.replace(/["']/g, '') === name)
}

/** The lines `name = "version"` of the table `[tools]`. */
function tomlTools(text: string): [name: string, version: string][] {
  const table = /^\[tools\]\s*$([^]*?)(?=^\[|$(?![^]))/m.exec(text)?.[1] ?? ''
  return [...table.matchAll(/^\s*["']?([\w:./@-]+)["']?\s*=\s*["']([^"']+)["']/gm)].map(
    ([, name = '', version = '']) => [name, version],
  )
}

export function userConfigFolder({ env, home }: Omit<HostEnvironment, 'top'>): string {
  return env['XDG_CONFIG_HOME'] ?? join(home, '.config')
}

/** The text of the nearest of these files in a folder above the working tree, or in the home folder. */
function nearest({ top, home }: HostEnvironment, files: readonly string[]): string | null {
  for (const folder of [...above(top), home]) {
    for (const file of files) {
      const text = readTextOrNull(join(folder, file))
      if (text !== null) return text
    }
  }
  return null
}

function above(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [] : [parent, ...above(parent)]
}

/** Without comments and empty lines. */
function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*/, '').trim())
    .filter((line) => line !== '')
}

/** Null also for a folder of that name and for an unreadable file. */
export function readTextOrNull(path: string): string | null {
  return attempt(() => readIfExists(path), null)
}
