/**
 * What a driver is: everything Ralph knows about one vendor's program. `command` and `read` are pure, so a driver is tested on tables of
 * captured lines; `transport/agent-process.ts` is the one place that starts the process. Token counts mean the same for all vendors:
 * `input` excludes cached tokens, `output` includes reasoning.
 */
import type { AgentEvent, AgentRequest, Capabilities, FailureKind, Invocation } from '../core/calls/agent-io.ts'
import { describeTools, toolAllowance, type ToolAllowance } from '../core/calls/tool-list.ts'
import type { Millis } from '../core/ids.ts'
import type { AgentRules } from '../core/state/rules.ts'
import type { TierModels } from '../core/models/model-strategy.ts'
import type { FailureFix } from '../core/agent-output/reply-fold.ts'
import type { AllowAdvice, Denial } from '../core/agent-output/reply.ts'
import type { JsonObject } from '../core/text/json.ts'
import type { SkippableLineKind } from './transport/skip-lines.ts'
import type { PriceList } from './prices.ts'
import { failureAtExit } from './error-text/classify-failure.ts'

export interface Driver {
  /** `lines`: one process per iteration, a prompt on stdin, lines on stdout. `acp`: the Agent Client Protocol over both. */
  protocol: 'lines' | 'acp'
  /** The agent's name in the settings. */
  name: string
  title: string
  program: string
  /** The driver was tested on written examples only; absent: also against the program itself. */
  tested?: 'tables'
  /** How to install it, one line. */
  install: string
  minVersion: string | null
  capabilities: Capabilities
  /** For programs that can return one answer instead of a stream: their capabilities in that format. */
  formats?: Record<NonNullable<AgentRequest['format']>, Capabilities>
  /** The usage it reports while it works: budgets can stop a call in flight only by this. */
  liveUsage: 'money' | 'tokens' | 'nothing'
  /** Its models by tier, by the program's own names; null or absent: the vendor's default, because no name is available to every
   *  account. */
  models?: TierModels
  /** The price of its tokens, if it does not report cost itself; null: it does, or the price is unknown. */
  prices: PriceList | null
  /** Names (or prefixes ending in `*`) of the vendor's own variables: only this agent gets its keys. */
  keys: string[]
  /** Its own default for the idle limit, if the common one does not fit; null: the common one. */
  idleMs: Millis | null
  /** The names its tool list accepts; null: it has no list, or accepts any name. */
  toolNames: string[] | null
  /** False: plain text, exit 0 is success. */
  finalEvent: boolean
  /** How a person allows it to use tools that were denied. */
  onDenied(denials: Denial[], wishes: ToolPermissions): AllowAdvice
  login: LoginHints
  /** What distinguishes accounts of the vendor; absent: an unknown program. See `credentials.ts`. */
  account?: AccountIdentity
  /** Added to the environment when Ralph runs as root, if the vendor otherwise refuses to run unattended. */
  whenRoot?: Record<string, string>
  command(request: AgentRequest): Invocation
  /** What it can really read and write when started like this: what `command` passes, no more. */
  access(request: ToolPermissions): AgentAccess
  /** The events of one line. Stateless: the same line always yields the same events. */
  read(line: string, from: OutputChannel): AgentEvent[]
  /** Lines of stdout that need no parsing. See `transport/skip-lines.ts`. */
  brief?: readonly SkippableLineKind[]
  /** For programs that may answer in other forms than one event per line. See `transport/output-reader.ts`. */
  shapes?: OutputParsers
  /** The event for a process that ended without its final event; null: none. */
  exited?(end: Exit): AgentEvent | null
  readUsageFile?(text: string): AgentEvent[]
  /** Asks the program for the last conversation in a folder, if its stream did not name one. */
  lookUp?: { args: string[]; read(stdout: string, cwd: string): string | null }
  /** For programs with several names: the path to start, or null. */
  find?(env: Environment): string | null
}

/** The defaults; a driver overrides them. */
const USUAL_CAPABILITIES: Capabilities = {
  tools: 'no',
  resume: 'yes',
  streaming: 'yes',
  tokens: 'yes',
  cost: 'no',
  readOnly: 'yes',
  model: 'yes',
  effort: 'yes',
  system: 'partly',
  maxTurns: 'no',
  mcp: 'yes',
}

const USUAL = {
  protocol: 'lines',
  minVersion: null,
  liveUsage: 'nothing',
  prices: null,
  idleMs: null,
  toolNames: null,
  finalEvent: true,
  exited: failureAtExit,
} as const satisfies Partial<Driver>

/** How its program is called, be it the driver's own or the user's replacement: its arguments, and any difference from no extra
 *  variables and the prompt on stdin. */
type OwnCall = (request: AgentRequest) => { args: string[] } & Partial<Omit<Invocation, 'argv'>>

type OwnParts = Omit<Driver, keyof typeof USUAL | 'capabilities' | 'command'> &
  Partial<Pick<Driver, keyof typeof USUAL>> & { capabilities?: Partial<Capabilities> } & (
    | Pick<Driver, 'command'>
    | { call: OwnCall }
  )

/** Builds a driver from what is special about its program. */
export function createDriver(own: OwnParts): Driver {
  const command = 'command' in own ? own.command : commandFrom(own.program, own.call)
  return { ...USUAL, ...own, command, capabilities: { ...USUAL_CAPABILITIES, ...own.capabilities } }
}

function commandFrom(program: string, call: OwnCall): Driver['command'] {
  return (request) => {
    const { args, ...others } = call(request)
    const chosen = request.program !== undefined && request.program.length > 0 ? request.program : [program]
    return { argv: [...chosen, ...args], env: {}, stdin: promptWithSystem(request), ...others }
  }
}

/** The driver for an output format: usage that is reported only at the end does not count as live. */
export function driverForFormat(driver: Driver, format: AgentRequest['format']): Driver {
  if (format === undefined || driver.formats === undefined) return driver
  return { ...driver, liveUsage: 'nothing', capabilities: driver.formats[format] }
}

/** The part of a request that decides how far an agent may go. */
export type ToolPermissions = Pick<AgentRequest, 'tools' | 'permission'>

export interface AgentAccess {
  /** The description for a person. */
  say: string
  /** Unrestricted: it may do whatever the user may. */
  whole: boolean
  /** What its tool list allows; absent: it has none, so `say` is all there is. */
  list?: ToolAllowance & { otherwise: 'denied' | 'asks-person' | 'own-settings' }
  /** A requested restriction that its program does not support, for the start block. */
  unsupported?: string
}

/** From the rules, where null means not set. */
export function toolPermissionsOf({
  tools,
  permission,
}: Pick<AgentRules, 'tools'> & { permission: string | null }): ToolPermissions {
  return { ...(tools === null ? {} : { tools }), ...(permission === null ? {} : { permission }) }
}

/** No sandbox at all. */
export const FULL_USER_ACCESS_TEXT =
  'reads, writes and runs anything your user can, including all of HOME and the network'

export function unrestrictedAccess(say: string = FULL_USER_ACCESS_TEXT): AgentAccess {
  return { say, whole: true }
}

export function restrictedAccess(say: string, list?: AgentAccess['list']): AgentAccess {
  return { say, whole: false, ...(list === undefined ? {} : { list }) }
}

/** What a tool list allows; with `edits` it may write all files of the project, too. */
export function listAllowance(
  how: unknown,
  tools: readonly string[] = [],
  otherwise: NonNullable<AgentAccess['list']>['otherwise'] = 'denied',
): NonNullable<AgentAccess['list']> {
  const { edits, commands } = toolAllowance(tools)
  return { edits: edits || how === 'edits', commands, otherwise }
}

/** For programs with a tool list that cannot ask a person. */
export function toolListAccess(how: 'list' | 'edits' | { own: string }, tools: string[] = []): AgentAccess {
  const edits = how === 'edits' ? ' and writes' : ''
  return restrictedAccess(
    `reads${edits} the project; allowed without asking: ${describeTools(tools)}; everything else is denied; commands run with your permissions`,
    listAllowance(how, tools),
  )
}

/** Pure, like `read`. */
export interface OutputParsers {
  /** The events of a document of its stream; null: not a stream document. */
  event(json: JsonObject): AgentEvent[] | null
  /** Documents that are an answer with keys of its own: the complete output. */
  answer(documents: JsonObject[]): AgentEvent[]
  /** Plain text: the complete output, or its end. */
  text(text: string): AgentEvent[]
}

export type OutputChannel = 'stdout' | 'stderr'
export type Environment = Record<string, string | undefined>

export interface Exit {
  code: number | null
  signal: string | null
  stderrTail: string
  /** The last lines of stdout that were not events. */
  lastLines?: string
}

/** Signs of a login that are cheap to check. */
export interface LoginHints {
  env: string[]
  /** Relative to the home folder. */
  files: string[]
  /** False: the login may be stored where we cannot look (a keychain, another tool), so finding none means unknown. */
  complete: boolean
  /** The command to log in; absent: it differs from user to user. */
  command?: string
  /** What to type inside the program, if the command only opens it. */
  inside?: string
  /** How the program itself reports its login without a paid call; absent: it can't. */
  status?: { args: string[]; read(answer: { code: number | null; text: string }): LoginState }
}

export type LoginState = 'yes' | 'no' | 'unknown'

/** The command that shows whether it is logged in, as a person types it. */
export function loginCheckText({ title, program, login: { status } }: Driver): string {
  if (status !== undefined) return `Check it: ${[program, ...status.args].join(' ')}`
  return `Check it: start ${program} once and see whether ${title} asks you to log in`
}

/** What identifies an account: agents that agree in all of these share its limits. */
export interface AccountIdentity {
  vendor: string
  /** Other programs that use the account: the same vendor's, and adapters to them. */
  programs: readonly string[]
  /** Variables that hold a key, or choose one of several accounts. */
  env: readonly string[]
  /** The folder of its login: relative to the home folder, unless the variable is set. */
  folder: { env: string | null; inHome: string }
}

/** Vendor-specific fixes for a failure; the others use the common advice. */
export function failureFixesOf({ login, install }: Driver): Partial<Record<FailureKind, FailureFix>> {
  const inside = login.inside === undefined ? '' : `, then ${login.inside}`
  return {
    // Without a command it is a sentence.
    missing: /^[A-Z]/.test(install) ? { say: install } : { say: `Install it: ${install}`, command: install },
    ...(login.command === undefined
      ? {}
      : { authentication: { say: `Log in: ${login.command}${inside}`, command: login.command } }),
  }
}

/** The end reason of an agent that was interrupted, by us or by somebody else. */
export const ABORTED_REASON = 'aborted'

/** The prompt for vendors without a flag for extra system text: that text comes first, then a blank line. */
export function promptWithSystem(request: AgentRequest): string {
  return request.system === undefined ? request.prompt : `${request.system.trimEnd()}\n\n${request.prompt}`
}

/** `flag value` when there is a value, else nothing. */
export function flagArgs(flag: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [flag, String(value)]
}

/** Extra folders for vendors whose shell is not sandboxed: those outside the project, without git's own, which no editing tool needs. */
export function externalFolders(request: AgentRequest): string[] {
  const project = request.cwd.endsWith('/') ? request.cwd : `${request.cwd}/`
  return request.extraDirs.filter((dir) => !`${dir}/`.startsWith(project) && !/\/\.git(?:\/|$)/.test(dir))
}
