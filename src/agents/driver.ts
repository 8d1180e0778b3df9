/**
 * What a driver is: everything Ralph knows about one vendor's program. `command` and `read` are pure, so a vendor is
 * tested on tables of captured lines; `transport/agent-process.ts` is the one place that starts the process.
 *
 * How tokens are counted, whoever the vendor is: `input` without what came from the cache, `output` with reasoning.
 */
import type { AgentEvent, AgentRequest, Capabilities, FailureKind, Invocation } from '../core/calls/agent-io.ts'
import { describeTools } from '../core/calls/tool-list.ts'
import type { Millis } from '../core/ids.ts'
import type { AgentRules } from '../core/state/rules.ts'
import type { TierModels } from '../core/models/model-strategy.ts'
import type { FailureFix } from '../core/agent-output/reply-fold.ts'
import type { AllowAdvice, Denial } from '../core/agent-output/reply.ts'
import type { Json } from '../core/text/json.ts'
import type { UnparsedLine } from './transport/skip-lines.ts'
import type { PriceList } from './prices.ts'
import { failureAtExit } from './error-text/classify-failure.ts'

export interface Driver {
  /** `lines`: one process per iteration, a prompt on stdin, lines on stdout. `acp`: the Agent Client Protocol over both. */
  protocol: 'lines' | 'acp'
  /** The word users write in their settings. */
  name: string
  title: string
  program: string
  /** Ralph's reading of it was tested on written examples only; absent: against the program itself too. */
  tested?: 'tables'
  /** How to install it, one line. */
  install: string
  minVersion: string | null
  capabilities: Capabilities
  /** Programs that can be asked for their whole answer instead of their stream: what they can then. */
  formats?: Record<NonNullable<AgentRequest['format']>, Capabilities>
  /** What of its usage it tells while it works: budgets hold in flight as far as this goes. */
  liveUsage: 'money' | 'tokens' | 'nothing'
  /** Its models by tier, in its program's own words; null, or absent: the vendor's default, because nobody knows a name that every account has. */
  models?: TierModels
  /** What its tokens cost, where it does not say so itself; null: it does, or nobody knows. */
  prices: PriceList | null
  /** Names (or beginnings ending in `*`) of the vendor's own variables: its keys go to this agent, and to nobody else. */
  keys: string[]
  /** Its own default for silence, where the common one does not fit; null: the common one. */
  idleMs: Millis | null
  /** Names its tool list understands; null: it has none, or any name goes. */
  toolNames: string[] | null
  /** False: plain text, exit 0 is success. */
  finalEvent: boolean
  /** How a person lets it use tools that were denied. */
  onDenied(denials: Denial[], wishes: ToolPermissions): AllowAdvice
  login: LoginHints
  /** What tells one account of the vendor's from another; absent: the program is nobody's that we know. See `credentials.ts`. */
  account?: AccountIdentity
  /** Added to the environment when Ralph runs as root, where the vendor refuses to work unattended otherwise. */
  whenRoot?: Record<string, string>
  command(request: AgentRequest): Invocation
  /** What it may really read and write when it is started like this: what `command` passes, no more. */
  access(request: ToolPermissions): AgentAccess
  /** What one line means. Has no memory: the same line always means the same. */
  read(line: string, from: OutputChannel): AgentEvent[]
  /** Lines of stdout that tell all that counts without being parsed. See `transport/skip-lines.ts`. */
  brief?: readonly UnparsedLine[]
  /** For programs that may answer otherwise than by an event a line: what that means. See `transport/output-reader.ts`. */
  shapes?: OutputParsers
  /** What it means that the process is gone without its final event; null: nothing beyond that. */
  exited?(end: Exit): AgentEvent | null
  readUsageFile?(text: string): AgentEvent[]
  /** Asks the program itself which conversation was the last one in a folder, should its stream not have told. */
  lookUp?: { args: string[]; read(stdout: string, cwd: string): string | null }
  /** For programs that go by several names: the path to start, or null. */
  find?(env: Environment): string | null
}

/** What most programs can; it does not hold for a driver that says otherwise. */
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

/** How its program is called, where it is the driver's own or the one that the user chose instead: its arguments, and whatever differs
 *  from no further variables and the prompt on stdin. */
type OwnCall = (request: AgentRequest) => { args: string[] } & Partial<Omit<Invocation, 'argv'>>

type OwnParts = Omit<Driver, keyof typeof USUAL | 'capabilities' | 'command'> &
  Partial<Pick<Driver, keyof typeof USUAL>> & { capabilities?: Partial<Capabilities> } & (
    | Pick<Driver, 'command'>
    | { call: OwnCall }
  )

/** A driver from what is special about its program. */
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

/** The agent as it is when its program is asked for this: whatever is told at the end only is not told in flight. */
export function driverForFormat(driver: Driver, format: AgentRequest['format']): Driver {
  if (format === undefined || driver.formats === undefined) return driver
  return { ...driver, liveUsage: 'nothing', capabilities: driver.formats[format] }
}

/** What of a request decides how far an agent may go. */
export type ToolPermissions = Pick<AgentRequest, 'tools' | 'permission'>

export interface AgentAccess {
  /** For a person. */
  say: string
  /** Nothing holds it: whatever the user may do it may. */
  whole: boolean
  /** What was wished for and its program cannot do, for the start block. */
  unsupported?: string
}

/** As they stand in the rules, where null is nobody's wish. */
export function toolPermissionsOf({
  tools,
  permission,
}: Pick<AgentRules, 'tools'> & { permission: string | null }): ToolPermissions {
  return { ...(tools === null ? {} : { tools }), ...(permission === null ? {} : { permission }) }
}

/** No fence at all. */
export const FULL_USER_ACCESS_TEXT = 'reads, writes and runs whatever your user may, all of HOME included; network open'

export function unrestrictedAccess(say: string = FULL_USER_ACCESS_TEXT): AgentAccess {
  return { say, whole: true }
}

export function restrictedAccess(say: string): AgentAccess {
  return { say, whole: false }
}

/** For programs that take a tool list and have nobody to ask. */
export function listedAccess(how: 'list' | 'edits' | { own: string }, tools: string[] = []): AgentAccess {
  const edits = how === 'edits' ? ' and writes' : ''
  return restrictedAccess(
    `it reads${edits} the project, and without asking ${describeTools(tools)}; all else is denied; a command that runs may do whatever your user may`,
  )
}

/** Pure, as `read` is. */
export interface OutputParsers {
  /** What a document of its stream means; null: it is none of that. */
  event(json: Json): AgentEvent[] | null
  /** Documents with an answer in keys of their own: all that it wrote. */
  answer(documents: Json[]): AgentEvent[]
  /** Plain text: all that it wrote, or the end of it. */
  text(text: string): AgentEvent[]
}

export type OutputChannel = 'stdout' | 'stderr'
export type Environment = Record<string, string | undefined>

export interface Exit {
  code: number | null
  signal: string | null
  stderrTail: string
  /** The last lines of stdout that were no events. */
  lastLines?: string
}

/** Signs of a login that cost nothing to look at. */
export interface LoginHints {
  env: string[]
  /** Relative to the home folder. */
  files: string[]
  /** False: a login may also be kept where we cannot look (a keychain, another tool), so none seen means unknown. */
  complete: boolean
  /** What a person types to log in; absent: every user of it has his own way. */
  command?: string
  /** What is typed inside, where the command only opens the program. */
  inside?: string
}

/** Where an account's limits lie: whoever has the same of all these is limited together. */
export interface AccountIdentity {
  vendor: string
  /** Other programs that work on it: the same vendor's, and adapters to them. */
  programs: readonly string[]
  /** Variables that hold a key, or choose one of several accounts. */
  env: readonly string[]
  /** The folder of its login: relative to the home folder, unless a variable says another. */
  folder: { env: string | null; inHome: string }
}

/** What a person can do about a failure of this very vendor; for the others the common advice does. */
export function fixesOf({ login, install }: Driver): Partial<Record<FailureKind, FailureFix>> {
  const inside = login.inside === undefined ? '' : `, then ${login.inside}`
  return {
    // A sentence where there is no command.
    missing: /^[A-Z]/.test(install) ? { say: install } : { say: `Install it: ${install}`, command: install },
    ...(login.command === undefined
      ? {}
      : { authentication: { say: `Log in: ${login.command}${inside}`, command: login.command } }),
  }
}

/** The reason of an end that the agent was told to come to, by us or by somebody else. */
export const ABORTED = 'aborted'

/** The prompt for vendors without a flag for extra system text: it comes first, a blank line between. */
export function promptWithSystem(request: AgentRequest): string {
  return request.system === undefined ? request.prompt : `${request.system.trimEnd()}\n\n${request.prompt}`
}

/** `flag value` when there is a value, else nothing. */
export function flagArgs(flag: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [flag, String(value)]
}

/** Extra folders for vendors whose shell is not fenced in: those outside the project, without git's own, which no editing
 *  tool has business in. */
export function externalFolders(request: AgentRequest): string[] {
  const project = request.cwd.endsWith('/') ? request.cwd : `${request.cwd}/`
  return request.extraDirs.filter((dir) => !`${dir}/`.startsWith(project) && !/\/\.git(?:\/|$)/.test(dir))
}
