/**
 * The package sources in the user's settings, without secrets: the address of a mirror, a proxy, a certificate. The settings files are not
 * shared; without these addresses a set-up behind a company firewall could not download anything.
 */
import { join } from 'node:path'
import type { Env } from '../../../core/trust/environment.ts'
import { looksSecret } from '../../../core/trust/variable-rules.ts'
import { userConfigFolder, readTextOrNull } from './tool-versions.ts'

interface AddressFile {
  /** Relative to the home folder; `config/` means XDG_CONFIG_HOME. */
  at: string[]
  /** Key in the file → variable. */
  keys: Readonly<Record<string, string>>
}

/** All have lines of `key = value`; the table does not matter for these keys. */
const FILES: readonly AddressFile[] = [
  {
    at: ['.npmrc'],
    keys: {
      registry: 'npm_config_registry',
      proxy: 'npm_config_proxy',
      'https-proxy': 'npm_config_https_proxy',
      noproxy: 'npm_config_noproxy',
      cafile: 'npm_config_cafile',
      nodedir: 'npm_config_nodedir',
    },
  },
  {
    at: ['config/pip/pip.conf', '.pip/pip.conf', 'Library/Application Support/pip/pip.conf'],
    keys: {
      'index-url': 'PIP_INDEX_URL',
      'extra-index-url': 'PIP_EXTRA_INDEX_URL',
      'trusted-host': 'PIP_TRUSTED_HOST',
      'find-links': 'PIP_FIND_LINKS',
      proxy: 'PIP_PROXY',
      cert: 'PIP_CERT',
    },
  },
  { at: ['config/uv/uv.toml'], keys: { 'index-url': 'UV_INDEX_URL', 'find-links': 'UV_FIND_LINKS' } },
  {
    at: ['config/go/env', 'Library/Application Support/go/env'],
    keys: Object.fromEntries(
      ['GOPROXY', 'GOPRIVATE', 'GONOPROXY', 'GOSUMDB', 'GONOSUMDB', 'GOTOOLCHAIN'].map((name) => [name, name]),
    ),
  },
]

/** Leaves out variables that the environment already has. */
export function packageRegistryVariables({ env, home }: { env: Env; home: string }): Env {
  const said = new Set(Object.keys(env).map((name) => name.toLowerCase()))
  const found: Env = {}
  for (const { at, keys } of FILES) {
    const text = at.map((path) => readTextOrNull(placeOf(path, { env, home }))).find((one) => one !== null) ?? ''
    for (const [key, value] of pairsIn(text)) {
      const variable = Object.hasOwn(keys, key) ? keys[key] : undefined
      if (variable !== undefined && isHarmless(value) && !said.has(variable.toLowerCase())) found[variable] = value
    }
  }
  return found
}

function placeOf(path: string, { env, home }: { env: Env; home: string }): string {
  if (!path.startsWith('config/')) return join(home, path)
  return join(userConfigFolder({ env, home }), path.slice('config/'.length))
}

function pairsIn(text: string): [key: string, value: string][] {
  return [...text.matchAll(/^\s*([\w-]+)\s*=\s*(.+?)\s*$/gm)].map(([, key = '', value = '']) => [
    key,
    value.replace(/^(["'])(.*)\1$/, '$2'),
  ])
}

/** No user name or password in the address, and no variable reference. */
function isHarmless(value: string): boolean {
  return value !== '' && !/\/\/[^/\s]*@/.test(value) && !value.includes('$') && !looksSecret(value)
}
