/** How each vendor's program is told of `ralph mcp`, and what is allowed with it. That they take it is shown in `test/agents/mcp.test.ts`. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { sampleRequest } from '../../test/agents/samples/samples.ts'
import { decidePermission } from './transport/acp-permission.ts'
import { allDrivers, driverFor } from './registry.ts'

const mcp = {
  command: '/bin/node',
  args: ['/r/ralph.cjs', 'mcp'],
  env: { RALPH_MCP_FOLDER: '/f', RALPH_MCP_TOKEN: 'secret' },
}
const LISTED = { permission: 'list', tools: ['Read'] }
afterEach(() => void vi.unstubAllEnvs())

const started = (agent: string, wishes = {}) =>
  driverFor(agent, {}).command(sampleRequest({ ...LISTED, mcp, ...wishes }))

describe('is told of it', () => {
  test('claude: by a flag, and only these tools are added to its list', () => {
    const { argv } = started('claude')
    const config = argv[argv.indexOf('--mcp-config') + 1] ?? ''
    const env = { RALPH_MCP_FOLDER: '${RALPH_MCP_FOLDER}', RALPH_MCP_TOKEN: '${RALPH_MCP_TOKEN}' }
    expect(JSON.parse(config)).toEqual({
      mcpServers: { ralph: { command: '/bin/node', args: mcp.args, env, alwaysLoad: true } },
    })
    expect(argv.join(' ')).toContain('--allowedTools Read mcp__ralph --mcp-config')
    expect(started('claude', { permission: 'bypass' }).argv).not.toContain('--allowedTools')
  })

  test('codex: by a setting for this start', () => {
    expect(started('codex').argv).toContain(
      'mcp_servers.ralph={command="/bin/node",args=["/r/ralph.cjs","mcp"],env_vars=["RALPH_MCP_FOLDER","RALPH_MCP_TOKEN"]}',
    )
  })

  test('copilot: by a flag', () => {
    const { argv } = started('copilot')
    expect(argv.slice(-2)).toEqual(['--allow-tool', 'ralph'])
    expect(argv.at(-3)).toContain('"type":"local","command":"/bin/node"')
  })

  const OURS = {
    type: 'local',
    command: ['/bin/node', ...mcp.args],
    environment: { RALPH_MCP_FOLDER: '{env:RALPH_MCP_FOLDER}', RALPH_MCP_TOKEN: '{env:RALPH_MCP_TOKEN}' },
    enabled: true,
  }

  test.each([
    ['alone', '', { mcp: { ralph: OURS } }],
    ['beside what the user gave it', '{"model":"m","mcp":{"own":{}}}', { model: 'm', mcp: { own: {}, ralph: OURS } }],
    ['not where that cannot be read', '{ // mine\n}', null],
  ])('opencode: by a variable, %s', (_name, given, wanted) => {
    vi.stubEnv('OPENCODE_CONFIG_CONTENT', given)
    const config = started('opencode').env['OPENCODE_CONFIG_CONTENT']
    expect(config === undefined ? null : JSON.parse(config)).toEqual(wanted)
  })

  test('nobody by a command line that shows the token', () => {
    for (const { name } of allDrivers())
      expect(started(name, { program: ['any'] }).argv.join(' '), name).not.toContain('secret')
  })

  test('whoever is not able to, not at all', () => {
    const unable = allDrivers().filter(({ capabilities }) => capabilities.mcp === 'no')
    expect(unable.map(({ name }) => name)).toEqual(['gemini', 'cursor', 'plain'])
    const program = ['any']
    for (const driver of unable)
      expect(driver.command(sampleRequest({ mcp, program }))).toEqual(driver.command(sampleRequest({ program })))
  })
})

test.each([
  ['mcp__ralph__note', 'yes'],
  ['mcp__ralph__task_done', 'yes'],
  ['note (ralph MCP Server)', 'yes'],
  ['note (other MCP Server)', 'no'],
  ['deploy (ralph MCP Server)', 'no'],
  ['mcp__ralph__deploy', 'no'],
  ['mcp__other__note', 'no'],
  ['note', 'no'],
])('an agent of the protocol that asks for %s', (name, allowed) => {
  const asked = { name, kind: 'other', command: undefined, paths: [] }
  expect(decidePermission(asked, { ...LISTED, mcp })).toBe(allowed)
  expect(decidePermission(asked, LISTED)).toBe('no')
  expect(decidePermission({ ...asked, command: 'rm -rf /' }, { ...LISTED, mcp })).toBe('no')
  expect(decidePermission(asked, { ...LISTED, mcp, readOnly: true })).toBe('no')
})
