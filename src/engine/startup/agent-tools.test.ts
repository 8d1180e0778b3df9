import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { driverFor } from '../../agents/registry.ts'
import { resolveSettings } from '../../config/resolve.ts'
import { checkPermissionMode, toolListOfRun } from './agent-tools.ts'

const root = mkdtempSync(join(tmpdir(), 'ralph-modes-'))
afterAll(() => rmSync(root, { recursive: true }))

async function settingsOf(permission: string, env: Record<string, string> = {}) {
  return resolveSettings({ root, flags: { permission }, env, home: root })
}

async function check(permission: string, agents: string[]): Promise<string[]> {
  const settings = await settingsOf(permission)
  return checkPermissionMode(
    agents.map((name) => driverFor(name, {})),
    settings,
  )
}

const CLAUDE = 'list, edits, bypass, default, manual, acceptEdits, auto, bypassPermissions, dontAsk, plan'

describe('a permission mode that an agent does not know is refused with the modes it knows', () => {
  test.each<[word: string, agents: string[], meant: string | null, known: string]>([
    ['yolo', ['claude'], 'bypass', CLAUDE],
    ['danger-full-access', ['claude'], 'bypass', CLAUDE],
    ['workspace-write', ['claude'], 'edits', CLAUDE],
    ['auto_edit', ['claude'], 'edits', CLAUDE],
    ['never', ['claude'], null, CLAUDE],
    ['bypas', ['claude'], 'bypass', CLAUDE],
    ['bypassPermissions', ['codex'], 'bypass', 'list, edits, bypass, read-only, workspace-write, danger-full-access'],
    ['acceptEdits', ['copilot'], 'edits', 'list, edits, bypass'],
  ])('%s for %j', async (word, agents, meant, known) => {
    const title = driverFor(agents[0] ?? '', {}).title
    const hint = meant === null ? '' : ` Did you mean ${meant}?`
    await expect(check(word, agents)).rejects.toMatchObject({
      code: 'bad-setting',
      message: `--permission: ${title} has no permission mode "${word}".${hint} It accepts: ${known}`,
    })
  })

  test('every agent of the order must know it', async () => {
    expect(await check('plan', ['claude', 'gemini'])).toEqual([])
    await expect(check('yolo', ['gemini', 'claude'])).rejects.toThrow('Claude Code has no permission mode "yolo"')
    await expect(check('plan', ['claude', 'codex'])).rejects.toThrow('OpenAI Codex has no permission mode "plan"')
  })
})

test.each(['list', 'edits', 'bypass'])('every agent knows %s', async (word) => {
  expect(await check(word, ['claude', 'codex', 'gemini', 'opencode', 'copilot', 'cursor', 'plain', 'acp:x'])).toEqual(
    [],
  )
})

test('an ACP agent names its modes only at run time: any word may be one, but not a misspelt one', async () => {
  expect(await check('architect', ['acp:some-agent'])).toEqual([])
  await expect(check('bypas', ['acp:some-agent'])).rejects.toThrow('Did you mean bypass?')
})

test('CLAUDE_PERMISSION_MODE of bash Ralph is about Claude Code: another agent keeps its list', async () => {
  writeFileSync(join(root, '.ralphrc'), 'CLAUDE_PERMISSION_MODE="bypassPermissions"\n')
  const settings = await resolveSettings({ root, flags: {}, env: {}, home: root })
  rmSync(join(root, '.ralphrc'))
  expect(checkPermissionMode([driverFor('claude', {})], settings)).toEqual([])
  expect(checkPermissionMode([driverFor('codex', {})], settings)).toEqual([
    'OpenAI Codex ignores CLAUDE_PERMISSION_MODE="bypassPermissions"; its tool list applies',
  ])
})

test.each<[permission: string, hasList: boolean]>([
  ['list', true],
  ['edits', true],
  ['ask', true],
  ['acceptEdits', true],
  ['plan', true],
  ['auto_edit', true],
  ['bypass', false],
  ['bypassPermissions', false],
  ['yolo', false],
  ['danger-full-access', false],
])('%s: a tool list applies: %s', async (permission, hasList) => {
  const settings = await settingsOf(permission)
  const rules = settings.rules()
  expect(toolListOfRun({ root, settings, rules }) !== null).toBe(hasList)
})
