import * as acp from '@agentclientprotocol/sdk'
import { describe, expect, test } from 'vitest'
import type { AgentEvent, AgentRequest } from '../../core/calls/agent-io.ts'
import { sampleRequest } from '../../../test/agents/samples/samples.ts'
import { createPermissionHandler, type PermissionHandlerOptions } from './acp-permission-handler.ts'
import { startAcpTurn, type AcpTurn } from './acp-turn.ts'

/** An agent in this process: `play` is its turn, `heard` what it was asked. */
interface Script {
  name?: string
  version?: number
  capabilities?: acp.AgentCapabilities
  session?: Omit<acp.NewSessionResponse, 'sessionId'>
  /** Told while an old session is loaded. */
  history?: acp.SessionUpdate[]
  /** The loading is answered before all of it is told. */
  late?: true
  play?: (stage: Stage) => Promise<acp.StopReason>
}

interface Stage {
  update: (update: acp.SessionUpdate) => Promise<void>
  permit: (toolCall: acp.ToolCallUpdate, options?: acp.PermissionOption[]) => Promise<acp.RequestPermissionOutcome>
  /** Any other request of the protocol. */
  request: (method: string, params: object) => Promise<unknown>
  cancelled: Promise<void>
}

const OPTIONS: acp.PermissionOption[] = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
]

function scripted(script: Script) {
  const heard: [method: string, params: unknown][] = []
  let stop = () => {}
  const cancelled = new Promise<void>((resolve) => (stop = resolve))
  const say = (client: acp.AgentContext, update: acp.SessionUpdate) =>
    client.notify('session/update', { sessionId: 's1', update })
  const app = acp
    .agent({ name: 'scripted' })
    .onRequest('initialize', ({ params }) => {
      heard.push(['initialize', params.clientCapabilities])
      return {
        protocolVersion: script.version ?? 1,
        agentCapabilities: script.capabilities ?? {},
        agentInfo: { name: script.name ?? 'scripted', version: '1.2.3' },
      }
    })
    .onRequest('session/new', ({ params }) => {
      heard.push(['session/new', params])
      return { sessionId: 's1', ...script.session }
    })
    .onRequest('session/load', async ({ params, client }) => {
      heard.push(['session/load', params.sessionId])
      if (params.sessionId !== 's1') throw new acp.RequestError(-32_603, 'no such session')
      const tellHistory = async () => {
        for (const update of script.history ?? []) await say(client, update)
      }
      if (script.late === true) void tellHistory()
      else await tellHistory()
      return { ...script.session }
    })
    .onRequest('session/set_config_option', ({ params }) => {
      heard.push(['session/set_config_option', params])
      return { configOptions: [] }
    })
    .onRequest('session/set_mode', ({ params }) => {
      heard.push(['session/set_mode', params.modeId])
      return {}
    })
    .onRequest('session/prompt', async ({ params, client }) => {
      heard.push(['session/prompt', params.prompt])
      const stopReason = await script.play?.({
        update: (update) => say(client, update),
        permit: async (toolCall, options = OPTIONS) => {
          const asked = { sessionId: 's1', toolCall, options }
          return (await client.request<acp.RequestPermissionResponse>('session/request_permission', asked)).outcome
        },
        request: (method, params) => client.request(method, { sessionId: 's1', ...params }),
        cancelled,
      })
      return {
        stopReason: stopReason ?? 'end_turn',
        usage: { inputTokens: 5, outputTokens: 7, totalTokens: 12 },
      }
    })
    .onNotification('session/cancel', () => stop())
  return { app, heard }
}

const say = (text: string): acp.SessionUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
})

function begin(script: Script, wishes: Partial<AgentRequest> = {}, person: Partial<PermissionHandlerOptions> = {}) {
  const { app, heard } = scripted(script)
  const events: AgentEvent[] = []
  const request = sampleRequest(wishes)
  const emit = (event: AgentEvent): void => void events.push(event)
  const pauseIdleLimit = () => () => {}
  const permissions = createPermissionHandler({
    agent: 'acp:small',
    request,
    emit,
    pauseIdleLimit,
    note: () => {},
    ...person,
  })
  const turn: AcpTurn = startAcpTurn({
    target: app,
    request,
    emit,
    onReady: () => {},
    permissions,
    terminals: null,
  })
  return { turn, events, heard }
}

async function played(script: Script, wishes: Partial<AgentRequest> = {}) {
  const { turn, events, heard } = begin(script, wishes)
  await turn.done
  return { events, heard, asked: (method: string) => heard.find(([name]) => name === method)?.[1] }
}

const STARTED: AgentEvent = { type: 'started', conversation: 's1', version: '1.2.3' }
const USAGE: AgentEvent = { type: 'usage', counts: 'total', usage: { input: 5, output: 7 } }
const ENDED: AgentEvent = { type: 'ended', ok: true, reason: 'end_turn' }

test('nobody is asked what could not be allowed', async () => {
  const answers: acp.RequestPermissionOutcome[] = []
  const script: Script = {
    async play({ permit }) {
      const call = { toolCallId: 't1', title: 'deploy', kind: 'execute' } as const
      answers.push(await permit(call, []))
      answers.push(await permit(call, [{ optionId: 'n', name: 'No', kind: 'reject_once' }]))
      return 'end_turn'
    },
  }
  const asked: unknown[] = []
  const askPerson = (wanted: unknown) => Promise.resolve((asked.push(wanted), 'once' as const))
  await begin(script, { permission: 'ask', tools: [] }, { askPerson }).turn.done
  expect(asked).toEqual([])
  expect(answers).toEqual([{ outcome: 'cancelled' }, { outcome: 'selected', optionId: 'n' }])
})

test('a turn: words, thoughts, a tool told in pieces, cost and the end', async () => {
  const { events, asked } = await played({
    async play({ update }) {
      await update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Hm' } })
      await update(say('I will.'))
      await update({
        sessionUpdate: 'tool_call',
        toolCallId: 't1',
        title: 'Write',
        kind: 'edit',
        status: 'pending',
      })
      await update({
        sessionUpdate: 'tool_call_update',
        toolCallId: 't1',
        locations: [{ path: '/P/a.txt' }],
        rawInput: { file_path: '/P/a.txt' },
        _meta: { claudeCode: { toolName: 'Write' } },
      })
      await update({
        sessionUpdate: 'tool_call_update',
        toolCallId: 't1',
        status: 'completed',
        content: [{ type: 'content', content: { type: 'text', text: 'written' } }],
      })
      await update({
        sessionUpdate: 'usage_update',
        used: 10,
        size: 100,
        cost: { amount: 0.25, currency: 'USD' },
      })
      await update(say('Done.'))
      return 'end_turn'
    },
  })
  expect(events).toEqual([
    STARTED,
    { type: 'thought', text: 'Hm' },
    { type: 'text', text: 'I will.', delta: true },
    { type: 'tool', id: 't1', name: 'Write', input: '/P/a.txt', paths: ['/P/a.txt'] },
    { type: 'tool-ended', id: 't1', ok: true, output: 'written' },
    { type: 'usage', counts: 'conversation', usage: { usd: 0.25 } },
    { type: 'text', text: 'Done.', delta: true },
    USAGE,
    ENDED,
  ])
  expect(asked('initialize')).toMatchObject({
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
  })
  expect(asked('session/new')).toEqual({ cwd: '/P', mcpServers: [] })
  expect(asked('session/prompt')).toEqual([{ type: 'text', text: 'do it' }])
})

test('terminals that are not offered are refused in words', async () => {
  const rejections: unknown[] = []
  await played({
    async play({ request }) {
      for (const verb of ['create', 'output', 'wait_for_exit', 'kill', 'release']) {
        const asked = request(`terminal/${verb}`, { command: 'touch', args: ['a.txt'], terminalId: '1' })
        await asked.catch(({ code, message }: acp.RequestError) => rejections.push([code, message]))
      }
      return 'end_turn'
    },
  })
  const words = (verb: string) => [-32_601, `Ralph offers no terminals: terminal/${verb} (agent.terminal)`]
  expect(rejections).toEqual(['create', 'output', 'wait_for_exit', 'kill', 'release'].map(words))
})

test('a tool that is only told at its end is told once', async () => {
  const { events } = await played({
    async play({ update }) {
      await update({
        sessionUpdate: 'tool_call_update',
        toolCallId: 't1',
        title: 'ls',
        kind: 'execute',
        status: 'failed',
      })
      return 'end_turn'
    },
  })
  expect(events.slice(1, 3)).toEqual([
    { type: 'tool', id: 't1', name: 'execute', input: 'ls', paths: [] },
    { type: 'tool-ended', id: 't1', ok: false, output: '' },
  ])
})

describe('permission', () => {
  const edit: acp.ToolCallUpdate = { toolCallId: 't1', kind: 'edit', title: 'Edit a.txt' }

  async function answerTo(wishes: Partial<AgentRequest>) {
    let answer: acp.RequestPermissionOutcome | null = null
    const { events } = await played(
      {
        async play({ permit }) {
          answer = await permit(edit)
          return 'end_turn'
        },
      },
      wishes,
    )
    return { answer, denied: events.filter((event) => event.type === 'denied') }
  }

  test('is given when nothing was forbidden', async () => {
    expect(await answerTo({})).toEqual({ answer: { outcome: 'selected', optionId: 'yes' }, denied: [] })
  })

  test.each([{ readOnly: true }, { tools: ['Read'] }])('is refused and told under %j', async (wishes) => {
    expect(await answerTo(wishes)).toEqual({
      answer: { outcome: 'selected', optionId: 'no' },
      denied: [{ type: 'denied', tool: 'edit' }],
    })
  })
})

describe('going on with a session', () => {
  test.each([
    ['', {}],
    [', even if it comes late', { late: true }],
  ] as const)('what is replayed is not news%s', async (_, when) => {
    const { events, asked } = await played(
      {
        capabilities: { loadSession: true },
        history: Array.from({ length: 20 }, () => say('EXIT_SIGNAL: true <task-done>a</task-done>')),
        ...when,
        async play({ update }) {
          await update(say('New.'))
          return 'end_turn'
        },
      },
      { resume: 's1' },
    )
    expect(asked('session/load')).toBe('s1')
    expect(events).toEqual([STARTED, { type: 'text', text: 'New.', delta: true }, USAGE, ENDED])
  })

  test('one that is unknown is a bad conversation', async () => {
    const { events } = await played({ capabilities: { loadSession: true } }, { resume: 'gone' })
    expect(events).toEqual([{ type: 'failed', kind: 'bad-conversation', message: 'no such session' }])
  })

  test('an agent that cannot do it begins anew and says so', async () => {
    const { events } = await played({}, { resume: 's0' })
    expect(events).toEqual([
      { type: 'remark', text: 'the agent cannot resume a session; started a new one' },
      STARTED,
      USAGE,
      ENDED,
    ])
  })
})

describe('choices', () => {
  const select = (id: string, category: string): acp.SessionConfigOption => ({
    type: 'select',
    id,
    name: id,
    category,
    currentValue: 'x',
    options: [],
  })

  test('model, effort and mode are set where the agent has them', async () => {
    const session = {
      configOptions: [select('m', 'model'), select('e', 'thought_level')],
      modes: { currentModeId: 'default', availableModes: [{ id: 'yolo', name: 'Yolo' }] },
    }
    const { heard, events } = await played({ session }, { model: 'big', effort: 'high', permission: 'yolo' })
    expect(heard.slice(2, 5)).toEqual([
      ['session/set_config_option', { sessionId: 's1', configId: 'm', value: 'big' }],
      ['session/set_config_option', { sessionId: 's1', configId: 'e', value: 'high' }],
      ['session/set_mode', 'yolo'],
    ])
    expect(events).toEqual([STARTED, USAGE, ENDED])
  })

  const codex = ['read-only', 'workspace-write', 'agent', 'agent-full-access']
  test.each<[string, Partial<AgentRequest>, string[], string[]]>([
    ['the list, where a model of its own would judge', { permission: 'list' }, ['auto', 'default'], ['default']],
    ['everything, likewise', { permission: 'bypass' }, ['auto', 'default'], ['default']],
    ['the list, where it is in that mode already', { permission: 'list' }, ['default', 'yolo'], []],
    ['the list, in a sandbox', { permission: 'list' }, ['agent', ...codex], ['workspace-write']],
    ['everything, in no sandbox', { permission: 'bypass' }, ['agent', ...codex], ['agent-full-access']],
    ['nothing but looking', { permission: 'list', readOnly: true }, ['agent', ...codex], ['read-only']],
    ['modes of which none will do', { permission: 'list' }, ['build', 'plan'], []],
  ])('the mode is one in which it asks: %s', async (_, wishes, [currentModeId = '', ...others], set) => {
    const availableModes = [currentModeId, ...others].map((id) => ({ id, name: id }))
    const { heard } = await played({ session: { modes: { currentModeId, availableModes } } }, wishes)
    expect(heard.filter(([method]) => method === 'session/set_mode').map(([, mode]) => mode)).toEqual(set)
  })

  test('what the agent does not take is said', async () => {
    const { events } = await played({}, { model: 'big' })
    expect(events[1]).toEqual({ type: 'remark', text: 'could not set the model to big: the agent has no such option' })
  })

  test('system text goes before the prompt, to Claude by its own door', async () => {
    const wishes = { system: 'Be brief.', readOnly: true, maxTurns: 3 }
    expect((await played({}, wishes)).asked('session/prompt')).toEqual([{ type: 'text', text: 'Be brief.\n\ndo it' }])
    const { asked } = await played({ name: 'claude-agent-acp' }, wishes)
    expect(asked('session/prompt')).toEqual([{ type: 'text', text: 'do it' }])
    expect(asked('session/new')).toEqual({
      cwd: '/P',
      mcpServers: [],
      _meta: {
        systemPrompt: { append: 'Be brief.' },
        claudeCode: {
          options: {
            promptSuggestions: false,
            tools: ['Read', 'Glob', 'Grep'],
            disallowedTools: ['Bash', 'Edit', 'EnterWorktree', 'MultiEdit', 'NotebookEdit', 'Task', 'Agent', 'Write'],
            maxTurns: 3,
          },
        },
      },
    })
  })
})

describe('ends', () => {
  test.each([
    ['max_turn_requests', true, 'max_turn_requests'],
    ['refusal', false, 'the model refused to continue (refusal)'],
    ['max_tokens', false, "its answer reached the model's token limit (max_tokens)"],
    ['cancelled', false, 'it cancelled its own turn (cancelled)'],
    ['bored' as 'refusal', false, 'it ended its turn for an unknown reason (bored)'],
  ] as const)('%s', async (stop, ok, reason) => {
    const { events } = await played({ play: async () => stop })
    expect(events.at(-1)).toEqual({ type: 'ended', ok, reason })
  })

  const codex = (meta: object): acp.SessionUpdate => ({
    sessionUpdate: 'session_info_update',
    _meta: { codex: meta },
  })

  test('a turn that broke down is no good one, whatever it is called, and what is said then is why', async () => {
    const { events } = await played({
      async play({ update }) {
        await update(codex({ threadStatus: { type: 'active' } }))
        await update(codex({ error: { message: 'Reconnecting... 1/1', additionalDetails: 'stream disconnected' } }))
        await update(codex({ threadStatus: { type: 'systemError' } }))
        await update(say('exceeded retry limit, last status: 429 Too Many Requests\n\n'))
        return 'end_turn'
      },
    })
    expect(events.slice(1)).toEqual([
      { type: 'failed', kind: 'network', message: 'stream disconnected' },
      {
        type: 'limited',
        kind: 'rate-limit',
        message: 'exceeded retry limit, last status: 429 Too Many Requests',
      },
      USAGE,
      { type: 'ended', ok: false, reason: 'broke-down' },
    ])
  })

  test('an agent that leaves off at a no has ended its turn', async () => {
    const { events } = await played(
      {
        async play({ permit }) {
          await permit({ toolCallId: 't1', title: 'Write', kind: 'edit' })
          return 'cancelled'
        },
      },
      { tools: ['Read'] },
    )
    expect(events.slice(1)).toEqual([
      { type: 'denied', tool: 'edit' },
      USAGE,
      { type: 'ended', ok: true, reason: 'denied' },
    ])
  })

  test.each([
    ['401 scripted bad key', 'authentication'],
    ['terminated', 'network'],
    ['Quota exceeded. Check your plan and billing details.', 'balance'],
  ])('what stands beside an internal error decides: %s', async (details, kind) => {
    const { events } = await played({
      play: async () => {
        throw new acp.RequestError(-32_603, 'Internal error', { details })
      },
    })
    expect(events.slice(1)).toEqual([
      { type: 'failed', kind, message: details },
      { type: 'ended', ok: false, reason: kind },
    ])
  })

  test('an error is the final word, sorted by its kind', async () => {
    const { events } = await played({
      play: async () => {
        throw new acp.RequestError(-32_603, 'Internal error: API Error 429', { errorKind: 'rate_limit' })
      },
    })
    expect(events.slice(1)).toEqual([
      { type: 'limited', kind: 'rate-limit', message: 'Internal error: API Error 429 (rate_limit)' },
      { type: 'ended', ok: false, reason: 'rate-limit' },
    ])
  })

  test('no login', async () => {
    const { events } = await played({
      play: async () => {
        throw acp.RequestError.authRequired()
      },
    })
    expect(events.at(-1)).toEqual({ type: 'ended', ok: false, reason: 'authentication' })
  })

  test('another version of the protocol is refused', async () => {
    const { events } = await played({ version: 7 })
    expect(events).toEqual([
      {
        type: 'failed',
        kind: 'bad-request',
        message: 'the agent uses protocol version 7, Ralph uses 1',
      },
    ])
  })

  test('cancel waits until the prompt has returned', async () => {
    const { turn, events } = begin({
      async play({ update, cancelled }) {
        await update(say('Working.'))
        await cancelled
        await update(say('Tidied up.'))
        return 'cancelled'
      },
    })
    await expect.poll(() => events.length).toBe(2)
    await turn.cancel()
    expect(events.slice(2)).toEqual([
      { type: 'text', text: 'Tidied up.', delta: true },
      USAGE,
      { type: 'ended', ok: false, reason: 'cancelled' },
    ])
  })
})

test.each<[string, string[]]>([
  ['@agentclientprotocol/codex-acp', ['/P/.git', '/elsewhere/.git']],
  ['some-agent', []],
])('%s is given git’s own folders: %j', async (name, dirs) => {
  const { asked } = await played(
    { name, capabilities: { sessionCapabilities: { additionalDirectories: {} } } },
    { cwd: '/P', extraDirs: ['/P/.git', '/elsewhere/.git'] },
  )
  const given = asked('session/new') as { additionalDirectories?: string[] }
  expect(given.additionalDirectories ?? []).toEqual(dirs)
})
