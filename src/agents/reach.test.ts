import { describe, expect, test } from 'vitest'
import type { AgentRequest } from '../core/calls/agent-io.ts'
import { FULL_USER_ACCESS_TEXT, type ToolPermissions } from './driver.ts'
import { driverFor } from './registry.ts'

const OWN = { mine: { command: ['my-agent'], output: 'text' as const, fields: {}, env: {} } }

/** The permissions that the start block describes, next to the flags the agent is started with. */
describe('what an agent may read and write', () => {
  const LIST = ['Read', 'Write', 'Bash(npm *)', 'Bash(git add *)', 'Bash(find *)', '!Bash(find *-exec*)']
  const LISTED = 'Read, Write; commands: npm, git add, find; 1 exception'
  const cases: [agent: string, wishes: ToolPermissions, says: RegExp | string, flags: string[]][] = [
    [
      'claude',
      { permission: 'list', tools: LIST },
      `allowed without asking: ${LISTED}; everything else is denied`,
      [
        '--permission-mode default --allowedTools Read Write Bash(npm *) Bash(git add *) Bash(find *)',
        '--disallowedTools Bash(find *-exec*)',
      ],
    ],
    [
      'claude',
      { permission: 'edits', tools: ['Bash(npm *)'] },
      /reads and writes the project; allowed without asking: commands: npm/,
      ['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash(npm *)'],
    ],
    ['claude', { permission: 'bypass', tools: LIST }, FULL_USER_ACCESS_TEXT, ['--permission-mode bypassPermissions']],
    // Only an earlier run can have a mode of another vendor: a start refuses it.
    ['claude', { permission: 'yolo', tools: ['Read'] }, /mode default/, ['--permission-mode default']],
    // A mode of its own keeps the list.
    [
      'claude',
      { permission: 'acceptEdits', tools: ['Bash(npm *)'] },
      /reads and writes the project; allowed without asking: commands: npm/,
      ['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash(npm *)'],
    ],
    [
      'claude',
      { permission: 'plan', tools: ['Edit', 'Read', 'Bash(npm *)'] },
      /mode plan: reads the project, edits no files; allowed without asking: Read; commands: npm/,
      ['--permission-mode', 'plan', '--allowedTools', 'Read', 'Bash(npm *)'],
    ],
    [
      'gemini',
      { permission: 'auto_edit', tools: ['Bash(npm *)'] },
      /reads and writes the project; allowed without asking: commands: npm/,
      ['--approval-mode auto_edit --allowed-tools run_shell_command(npm)'],
    ],
    ['codex', { permission: 'list', tools: LIST }, /^sandbox workspace-write/, ['--sandbox workspace-write']],
    ['codex', { permission: 'edits', tools: LIST }, /^sandbox workspace-write/, ['--sandbox workspace-write']],
    ['codex', { permission: 'bypass' }, `no sandbox: ${FULL_USER_ACCESS_TEXT}`, ['--sandbox danger-full-access']],
    [
      'gemini',
      { permission: 'list', tools: LIST },
      `reads and writes the project; allowed without asking: ${LISTED}`,
      // Beginnings are all it knows: of `find` it could only be given everything.
      ['--approval-mode auto_edit --allowed-tools run_shell_command(npm) --allowed-tools run_shell_command(git add)'],
    ],
    [
      'gemini',
      { permission: 'list', tools: ['Read', 'Bash'] },
      /mode default/,
      ['--approval-mode default --allowed-tools run_shell_command'],
    ],
    ['gemini', { permission: 'edits', tools: [] }, /runs no commands/, ['--approval-mode auto_edit']],
    ['gemini', { permission: 'bypass' }, FULL_USER_ACCESS_TEXT, ['--approval-mode yolo']],
    ['opencode', { permission: 'list', tools: LIST }, `allowed without asking: ${LISTED}`, ['run']],
    ['opencode', { permission: 'bypass', tools: LIST }, /all of HOME/, ['--auto']],
    [
      'copilot',
      { permission: 'list', tools: LIST },
      `allowed without asking: ${LISTED}`,
      ['--allow-tool write --allow-tool shell(npm:*) --allow-tool shell(git add:*)'],
    ],
    ['copilot', { permission: 'edits', tools: [] }, /reads and writes the project/, ['--allow-tool write']],
    ['copilot', { permission: 'bypass' }, FULL_USER_ACCESS_TEXT, ['--yolo']],
    ['acp:my-agent', { permission: 'list', tools: LIST }, `allowed when it asks: ${LISTED}`, ['my-agent']],
    [
      'acp:my-agent',
      { permission: 'edits', tools: ['Read'] },
      /allowed when it asks: edits in the project; Read/,
      ['my-agent'],
    ],
    ['acp:my-agent', { permission: 'bypass', tools: LIST }, FULL_USER_ACCESS_TEXT, ['my-agent']],
    ['claude', {}, FULL_USER_ACCESS_TEXT, ['--permission-mode', 'bypassPermissions']],
    ['claude', { permission: 'plan' }, /mode plan: reads the project, edits no files/, ['--permission-mode', 'plan']],
    [
      'claude',
      { tools: ['Edit', 'Bash(npm *)'] },
      /mode default: reads the project; allowed without asking: Edit; commands: npm; everything else is denied/,
      ['--permission-mode', 'default', '--allowedTools', 'Edit', 'Bash(npm *)'],
    ],
    // Under this mode a list restricts nothing, so none is named.
    [
      'claude',
      { tools: ['Edit'], permission: 'bypassPermissions' },
      FULL_USER_ACCESS_TEXT,
      ['--permission-mode', 'bypassPermissions'],
    ],
    [
      'claude',
      { permission: 'acceptEdits' },
      /reads and writes the project; everything else is denied/,
      ['--permission-mode', 'acceptEdits'],
    ],
    ['claude', { permission: 'auto' }, /decides about each call itself/, ['--permission-mode', 'auto']],
    [
      'codex',
      {},
      /^sandbox workspace-write \(Codex has no tool list\): reads anything your user can; writes the project/,
      ['--sandbox', 'workspace-write'],
    ],
    ['codex', { tools: ['Edit'] }, /^sandbox workspace-write/, ['--sandbox', 'workspace-write']],
    ['codex', { permission: 'read-only' }, /writes nothing/, ['--sandbox', 'read-only']],
    [
      'codex',
      { permission: 'danger-full-access' },
      `no sandbox: ${FULL_USER_ACCESS_TEXT}`,
      ['--sandbox', 'danger-full-access'],
    ],
    ['gemini', {}, FULL_USER_ACCESS_TEXT, ['--approval-mode', 'yolo']],
    ['gemini', { permission: 'default' }, /neither writes files nor runs/, ['--approval-mode', 'default']],
    ['gemini', { permission: 'auto_edit' }, /runs no commands/, ['--approval-mode', 'auto_edit']],
    ['gemini', { permission: 'plan' }, /if the model leaves this mode/, ['--approval-mode', 'plan']],
    ['opencode', {}, /all of HOME and the network, except what "permission"/, ['--auto']],
    ['copilot', {}, FULL_USER_ACCESS_TEXT, ['--yolo']],
    ['cursor', {}, /all of HOME and the network, except what/, ['--force']],
    ['mine', {}, `your own program: ${FULL_USER_ACCESS_TEXT}`, ['my-agent']],
    ['acp:my-agent', {}, `every request is allowed: it ${FULL_USER_ACCESS_TEXT}`, ['my-agent']],
    [
      'acp:my-agent',
      { tools: ['Edit'] },
      /^allowed when it asks: Edit; everything else is denied; its own settings decide/,
      ['my-agent'],
    ],
  ]

  test.each(cases)('%s with %j', (agent, wishes, says, flags) => {
    const driver = driverFor(agent, OWN)
    const request: AgentRequest = { cwd: '/p', prompt: '', extraDirs: [], env: {}, scratch: '/s', ...wishes }
    const { say, whole } = driver.access(wishes)
    expect(say).toMatch(says)
    expect(whole).toBe(say.includes(FULL_USER_ACCESS_TEXT))
    expect(driver.command(request).argv.join(' ')).toContain(flags.join(' '))
  })
})

test('opencode gets rules; the last match decides', () => {
  const request = { cwd: '/p', prompt: '', extraDirs: [], env: {}, scratch: '/s' }
  const tools = ['Write', 'Bash(npm test:*)', 'Bash(find *)', '!Bash(find *-exec*)']
  const { env, argv } = driverFor('opencode', {}).command({ ...request, permission: 'list', tools })
  expect(argv).not.toContain('--auto')
  expect(JSON.parse(env['OPENCODE_PERMISSION'] ?? '')).toEqual({
    edit: 'allow',
    bash: { '*': 'deny', 'npm test *': 'allow', 'find *': 'allow', 'find *-exec*': 'deny' },
    external_directory: 'deny',
  })
})

test('cursor says that it has no tool list', () => {
  const cursor = driverFor('cursor', {})
  expect(cursor.access({ permission: 'list', tools: ['Read'] }).unsupported).toMatch(/has no tool list/)
  expect(cursor.access({ permission: 'bypass' }).unsupported).toBeUndefined()
})
