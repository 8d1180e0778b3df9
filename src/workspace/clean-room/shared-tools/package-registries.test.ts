import { afterAll, expect, test } from 'vitest'
import { aFolder, removeTestProjects } from '../../../../test/kit/workspace.ts'
import { packageRegistryVariables } from './package-registries.ts'

afterAll(removeTestProjects)

const NPMRC = [
  'registry=https://mirror.example/npm/',
  '//mirror.example/npm/:_authToken=npm_0123456789012345678901234567890123456789',
  'https-proxy=http://me:secret@proxy.example:8080',
  'cafile=${CA}',
  'script-shell=/home/me/evil.sh',
].join('\n')

test('the addresses of mirrors are told, logins and everything else are not', () => {
  const home = aFolder({
    '.npmrc': NPMRC,
    '.config/pip/pip.conf': '[global]\nindex-url = https://mirror.example/pypi\nuser = true\n',
    '.config/uv/uv.toml': 'index-url = "https://mirror.example/uv"\n',
    '.config/go/env': 'GOPROXY=https://mirror.example/go\nGOFLAGS=-toolexec=/home/me/evil.sh\n',
  })
  expect(packageRegistryVariables({ env: {}, home: home.root })).toEqual({
    npm_config_registry: 'https://mirror.example/npm/',
    PIP_INDEX_URL: 'https://mirror.example/pypi',
    UV_INDEX_URL: 'https://mirror.example/uv',
    GOPROXY: 'https://mirror.example/go',
  })
})

test('what the environment says goes before, and settings lie where it says', () => {
  const home = aFolder({ '.npmrc': NPMRC, 'set/go/env': 'GOPROXY=off\n', '.config/go/env': 'GOPROXY=x\n' })
  const env = { NPM_CONFIG_REGISTRY: 'https://other.example', XDG_CONFIG_HOME: home.path('set') }
  expect(packageRegistryVariables({ env, home: home.root })).toEqual({ GOPROXY: 'off' })
})

test('a home without settings has the usual addresses', () => {
  expect(packageRegistryVariables({ env: {}, home: aFolder().root })).toEqual({})
})
