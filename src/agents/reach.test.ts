import { describe, expect, test } from 'vitest'
import type { AgentRequest } from '../domain/agent.ts'
import { WHOLE_USER, type Wishes } from './driver.ts'
import { driverFor } from './registry.ts'

const OWN = { mine: { command: ['my-agent'], output: 'text' as const, fields: {}, env: {} } }

/** What the block before a run says of an agent, beside what the agent is really started with. */
describe('what an agent may read and write', () => {
  const cases: [agent: string, wishes: Wishes, says: RegExp | string, flags: string[]][] = [
    ['claude', {}, WHOLE_USER, ['--permission-mode', 'bypassPermissions']],
    [
      'claude',
      { permission: 'plan' },
      /mode plan: it reads, and writes nothing/,
      ['--permission-mode', 'plan'],
    ],
    [
      'claude',
      { tools: ['Edit', 'Bash(npm *)'] },
      /mode default: it reads the project, and without asking Edit, Bash\(npm \*\); all else is denied/,
      ['--permission-mode', 'default', '--allowedTools', 'Edit', 'Bash(npm *)'],
    ],
    // Under this mode a list restricts nothing, so none is named.
    [
      'claude',
      { tools: ['Edit'], permission: 'bypassPermissions' },
      WHOLE_USER,
      ['--permission-mode', 'bypassPermissions'],
    ],
    [
      'claude',
      { permission: 'acceptEdits' },
      /it reads and writes the project; all else is denied/,
      ['--permission-mode', 'acceptEdits'],
    ],
    ['claude', { permission: 'auto' }, /judges each call itself/, ['--permission-mode', 'auto']],
    [
      'codex',
      {},
      /^sandbox workspace-write: reads all that your user may; writes the project/,
      ['--sandbox', 'workspace-write'],
    ],
    ['codex', { tools: ['Edit'] }, /^sandbox workspace-write/, ['--sandbox', 'workspace-write']],
    ['codex', { permission: 'read-only' }, /writes nothing/, ['--sandbox', 'read-only']],
    [
      'codex',
      { permission: 'danger-full-access' },
      `no sandbox: ${WHOLE_USER}`,
      ['--sandbox', 'danger-full-access'],
    ],
    ['gemini', {}, WHOLE_USER, ['--approval-mode', 'yolo']],
    ['gemini', { permission: 'default' }, /neither writes nor runs/, ['--approval-mode', 'default']],
    ['gemini', { permission: 'auto_edit' }, /runs no commands/, ['--approval-mode', 'auto_edit']],
    ['gemini', { permission: 'plan' }, /which the model may leave by itself/, ['--approval-mode', 'plan']],
    ['opencode', {}, /all of HOME included; network open \(but for what "permission"/, ['--auto']],
    ['copilot', { tools: ['Edit'] }, WHOLE_USER, ['--yolo']],
    ['cursor', {}, /all of HOME included; network open \(but for/, ['--force']],
    ['mine', {}, `whatever the program does by itself: ${WHOLE_USER}`, ['my-agent']],
    ['acp:my-agent', {}, `whatever it asks for is allowed: it ${WHOLE_USER}`, ['my-agent']],
    [
      'acp:my-agent',
      { tools: ['Edit'] },
      /^where it asks, only Edit; what it does without asking/,
      ['my-agent'],
    ],
  ]

  test.each(cases)('%s with %j', (agent, wishes, says, flags) => {
    const driver = driverFor(agent, OWN)
    const request: AgentRequest = { cwd: '/p', prompt: '', extraDirs: [], env: {}, scratch: '/s', ...wishes }
    expect(driver.reach(wishes)).toMatch(says)
    expect(driver.command(request).argv.join(' ')).toContain(flags.join(' '))
  })
})
