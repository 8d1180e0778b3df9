import { describe, expect, test } from 'vitest'
import { RalphError } from '../core/error.ts'
import { UNSUPPORTED_BY_NAME } from '../compat/bash/unsupported.ts'
import { requestsFeature } from './unsupported.ts'
import { refuseUnsupportedSettings } from './resolve.ts'
import { settingsOf, type SettingsFixture } from '../../test/kit/config.ts'

const REFUSED = Object.entries(UNSUPPORTED_BY_NAME).filter(([, { is }]) => is === 'refused')
const OTHERS = Object.entries(UNSUPPORTED_BY_NAME).filter(([, { is }]) => is !== 'refused')

/** What a start says; null: nothing, it starts. */
async function startOf(place: SettingsFixture): Promise<{ code: string; exit: number; said: string } | null> {
  const settings = await settingsOf(place)
  try {
    refuseUnsupportedSettings(settings)
    return null
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
    const { code, exit, message, hint = '' } = error
    return { code, exit, said: `${message}\n${hint}` }
  }
}

describe('what asks for something that is not supported ends the start', () => {
  test('the message names the line, the reason and the way out', async () => {
    expect(await startOf({ files: { '.ralphrc': '# mine\nSANDBOX_PROVIDER="docker"\n' } })).toEqual({
      code: 'not-offered',
      exit: 2,
      said:
        '.ralphrc:2 SANDBOX_PROVIDER is not supported: agents run directly on this machine; Ralph has no sandbox\n' +
        'Remove line 2 from .ralphrc. To isolate the agent, run Ralph itself in a container or a virtual machine. Nothing was started.',
    })
  })

  test.each(REFUSED)('%s, wherever an old tool kept its settings', async (name, { why }) => {
    for (const files of [
      { '.ralphrc': `export ${name}=yes\n` },
      { '.ralph/.ralphrc': `${name}=yes\n` },
      { '.ralph/config.json': JSON.stringify({ [name]: 'yes' }) },
    ]) {
      const start = await startOf({ files })
      expect([Object.keys(files), start?.exit, start?.said.includes(why)]).toEqual([Object.keys(files), 2, true])
    }
  })

  test.each(REFUSED)('%s in the environment of an old project', async (name, { environment }) => {
    const started = await startOf({ env: { [name]: 'yes' } })
    if (environment === 'nowhere') expect(started).toBeNull()
    else expect(started?.said).toContain(`environment ${name} is not supported`)
  })

  test.each(REFUSED)('%s that asks for nothing is no reason', async (name, old) => {
    for (const value of ['', 'false', 'False', 'none', 'off', 'no', '0', old.default]) {
      const start = await startOf({ files: { '.ralphrc': `${name}="${value}"\n` }, env: { [name]: value } })
      expect([value, start]).toEqual([value, null])
    }
  })

  test.each([
    'SANDBOX_PROVIDER=$(cat sandbox.txt)\n',
    'if [ -n "$CI" ]; then\n  SANDBOX_PROVIDER=docker\nfi\n',
    '[ -n "$CI" ] && export SANDBOX_PROVIDER=docker\n',
    'MINE=$(date)\nSANDBOX_PROVIDER=$MINE\n',
  ])('what only a shell could work out is taken for a wish: %j', async (text) => {
    expect((await startOf({ files: { '.ralphrc': text } }))?.exit).toBe(2)
    const taken = `${text}SANDBOX_PROVIDER=""\n`
    expect(await startOf({ files: { '.ralphrc': taken } })).toBeNull()
  })

  test('a comment is no wish', async () => {
    const text = 'if true; then\n  # SANDBOX_PROVIDER=docker\n  true\nfi\n# CREATE_PR=true\n'
    expect(await startOf({ files: { '.ralphrc': text } })).toBeNull()
  })

  test('a key is never shown', async () => {
    const settings = await settingsOf({ files: { '.ralphrc': 'ANTHROPIC_API_KEY=sk-ant-secret\n' } })
    expect(JSON.stringify(settings.refused)).not.toContain('sk-ant')
  })

  test.each([
    ['{"review": {"mode": "ultimate"}}', '.ralph/config.json review.mode is not supported'],
    ['{"github": {"issue_sync": {"enabled": true}}}', '.ralph/config.json github.issue_sync.enabled is not'],
    ['{"AUTO_CLOSE": true}', '.ralph/config.json AUTO_CLOSE is not supported'],
  ])('config.json: %s', async (text, said) => {
    expect((await startOf({ files: { '.ralph/config.json': text } }))?.said).toContain(said)
  })

  test('all places are named', async () => {
    const { refused } = await settingsOf({
      files: { '.ralphrc': 'CREATE_PR=true\nREVIEW_MODE=enhanced\n' },
      env: { SANDBOX_PROVIDER: 'e2b' },
    })
    expect(refused.map(({ where }) => where)).toEqual([
      'environment SANDBOX_PROVIDER',
      '.ralphrc:1 CREATE_PR',
      '.ralphrc:2 REVIEW_MODE',
    ])
  })
})

test.each(OTHERS)('%s is a note at most', async (name) => {
  const place = { files: { '.ralphrc': `${name}="something else"\n` }, env: { [name]: 'something else' } }
  expect(await startOf(place)).toBeNull()
})

describe('the environment of a project with a .ralph.toml', () => {
  const OURS = { '.ralph.toml': '' }

  test('names that others use as well mean somebody else there', async () => {
    const env = { CREATE_PR: 'true', GITHUB_ISSUE: '7', REVIEW_MODE: 'strict' }
    expect(await startOf({ files: OURS, env })).toBeNull()
    expect((await startOf({ files: { ...OURS, '.ralphrc': '' }, env }))?.exit).toBe(2)
  })

  test('a sandbox is never overlooked', async () => {
    expect((await startOf({ files: OURS, env: { SANDBOX_PROVIDER: 'docker' } }))?.exit).toBe(2)
  })
})

test('a list asks for something if one of it does', () => {
  const old = UNSUPPORTED_BY_NAME['ADD_COMPLETION_LABELS']
  expect(old).toBeDefined()
  if (old !== undefined) expect([requestsFeature(old, ['', 'done']), requestsFeature(old, [''])]).toEqual([true, false])
})
