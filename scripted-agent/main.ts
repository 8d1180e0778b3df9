/**
 * The scripted agent: a program that stands where a vendor's agent stands and plays a scenario file in the vendor's own
 * dialect. It ships with Ralph because `ralph demo` needs no account, and because every walk test needs an agent that
 * follows its script exactly: work, lie, hang, crash.
 *
 *   ralph-scripted-agent --scenario FILE [--dialect NAME] [any vendor's flags]    the prompt comes over stdin
 *
 * Called by a vendor's name (a link named `claude`) it speaks that vendor's dialect. The scenario may also be named by
 * RALPH_SCENARIO; starts are counted in RALPH_SCENARIO_STATE, or in `<scenario>.state` beside it.
 * Exit codes of its own: 64 bad scenario, 65 unexpected prompt, 66 no turn left.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Usage } from '../src/core/calls/agent-io.ts'
import { EXIT, messageOf, RalphError } from '../src/core/error.ts'
import { type ScriptedInvocation, parseInvocation } from './invocation.ts'
import { copilotUsage } from './copilot.ts'
import type { Dialect, TurnState } from './dialect.ts'
import { DIALECT, type DialectName } from './dialects.ts'
import { newId } from './test-data.ts'
import { print, readInput, STDERR, STDOUT } from './stdio.ts'
import { playTurn } from './play-turn.ts'
import { readScenario, type Scenario, type ScenarioTurn } from './scenario.ts'
import { addUsage, recordUsage, earlierUsage, nextTurnNumber } from './turn-state.ts'

const BAD_SCENARIO = 64
const NO_TURN_LEFT = 66

/** The usage of two model calls of a small job, for turns that do not specify any. */
const USAGE: Usage = { input: 200, output: 40, cacheRead: 20, cacheWrite: 0, usd: 0.002 }

async function main(): Promise<number> {
  const call = parseInvocation(process.argv[1] ?? '', process.argv.slice(2), process.env)
  if (call.wantsVersion) {
    print(STDOUT, `${DIALECT[call.dialect ?? call.calledAs ?? 'text'].version}\n`)
    return 0
  }
  if (call.wantsLogin) {
    print(STDOUT, 'Logged in\n"loggedIn": true\n1 credentials\n')
    return 0
  }
  const { scenario, state } = openScenario(call)
  const name = call.dialect ?? scenario.dialect ?? call.calledAs ?? 'claude'
  const prompt = readInput()
  const number = nextTurnNumber(state, {
    start: newId(),
    at: Date.now(),
    pid: process.pid,
    dialect: name,
    resume: call.resume,
    args: call.vendorArgs,
  })
  const turn = turnFor(prompt, number, scenario)
  if (turn === undefined) {
    print(STDERR, `scripted agent: start ${number + 1} of a scenario with ${scenario.turns.length} turns\n`)
    return NO_TURN_LEFT
  }
  const turnState = beginTalk({ turn, call, name, prompt, state })
  const exit = await playTurn(turn, turnState, dialectOf(name, call.format))
  // No vendor reports the usage of a failed turn, so it does not count towards a conversation either.
  if (exit === 0) recordUsage(state, { conversation: turnState.conversation, usage: turnState.usage })
  if (call.usageFile !== null) writeFileSync(call.usageFile, copilotUsage(turnState))
  return exit
}

function turnFor(prompt: string, number: number, { turns, once }: Scenario): ScenarioTurn | undefined {
  if (turns.some((turn) => turn.for !== undefined)) return turns.find((turn) => turn.for?.test(prompt))
  return turns[number] ?? (once === true ? undefined : turns.at(-1))
}

function dialectOf(name: DialectName, format: string | null): Dialect {
  const dialect = DIALECT[name]
  return (format === null ? undefined : dialect.asked?.(format)) ?? dialect
}

function openScenario(call: ScriptedInvocation): { scenario: Scenario; state: string } {
  const file = call.scenario
  if (file === null) {
    throw new RalphError('usage', 'no scenario to play', {
      hint: 'Give --scenario FILE or set RALPH_SCENARIO.',
    })
  }
  return {
    scenario: readScenario(contentOf(file), file),
    state: process.env['RALPH_SCENARIO_STATE'] ?? `${file}.state`,
  }
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new RalphError('not-found', `scenario ${file} cannot be read: ${messageOf(cause)}`, { cause })
  }
}

interface Beginning {
  turn: ScenarioTurn
  call: ScriptedInvocation
  name: DialectName
  prompt: string
  state: string
}

function beginTalk({ turn, call, name, prompt, state }: Beginning): TurnState {
  const conversation = turn.conversation ?? call.resume ?? DIALECT[name].conversation(newId())
  const { messageUsage = {} } = turn
  const usage = turn.usage ?? (turn.messageUsage === undefined ? USAGE : inAll(messageUsage, turn))
  return {
    conversation,
    model: call.model,
    cwd: process.cwd(),
    prompt,
    usage,
    messageUsage,
    conversationUsage: addUsage(earlierUsage(state, conversation), usage),
    lastText: '',
    calls: 0,
    denied: [],
    startedAt: Date.now(),
    now: () => Date.now(),
    uuid: newId,
  }
}

/** One message for each tool call, and the last one. */
function inAll(messageUsage: Usage, turn: ScenarioTurn): Usage {
  const calls = turn.steps.filter((step) => CALLS.has(step.do))
  return calls.reduce<Usage>((sum) => addUsage(sum, messageUsage), messageUsage)
}

const CALLS: ReadonlySet<string> = new Set([
  'write',
  'append',
  'replace',
  'delete',
  'shell',
  'commit',
  'tool',
  'quote',
  'denied',
])

function complain(problem: unknown): number {
  const hint = problem instanceof RalphError && problem.hint !== undefined ? `\n${problem.hint}` : ''
  print(STDERR, `scripted agent: ${messageOf(problem)}${hint}\n`)
  return problem instanceof RalphError ? BAD_SCENARIO : EXIT.bug
}

process.exit(await main().catch(complain))
