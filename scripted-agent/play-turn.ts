/** Plays one turn: step by step, each written in the vendor's dialect, until the final event or until a step ends it. */
import { existsSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { assertNever } from '../src/core/assert-never.ts'
import type { ToolOutput, Dialect, LimitRefusal, TurnState, ToolAction } from './dialect.ts'
import { appendFile, commitAll, deleteFile, spawnOrphan, replaceInFile, runShell, writeFile } from './actions.ts'
import { seededBytes, statusBlock } from './test-data.ts'
import { print, STDERR, STDOUT } from './stdio.ts'
import type { Limit, ScenarioStep, StepOf, ScenarioTurn } from './scenario.ts'

/** The prompt is not what the scenario expects. */
const PROMPT_REFUSED = 65

/** What follows a step: the next one, or an end without the usual final event. */
type Then = { go: 'on' } | { go: 'silently' } | { go: 'end'; exit: number } | { go: 'refused' }
const ON: Then = { go: 'on' }

/** Returns the exit code. */
export async function playTurn(turn: ScenarioTurn, turnState: TurnState, dialect: Dialect): Promise<number> {
  print(STDERR, dialect.greeting)
  if (turn.begin !== false) print(STDOUT, dialect.begin(turnState))
  let final = true
  for (const step of turn.steps) {
    const then = await playStep(step, turnState, dialect)
    // Overrides the turn's own exit code: a test must see that the prompt was wrong.
    if (then.go === 'refused') return PROMPT_REFUSED
    if (then.go === 'end') return turn.exit ?? then.exit
    if (then.go === 'silently') final = false
  }
  if (final) print(STDOUT, dialect.end(turnState))
  return turn.exit ?? 0
}

async function playStep(step: ScenarioStep, turnState: TurnState, dialect: Dialect): Promise<Then> {
  const at = (path: string): string => resolve(turnState.cwd, path)
  switch (step.do) {
    case 'say':
      return say(step.text, turnState, dialect)
    case 'status':
      return say(
        `${step.text ?? ''}${step.text?.endsWith('\n') === false ? '\n' : ''}${statusBlock(step.fields)}`,
        turnState,
        dialect,
      )
    case 'think':
      print(STDOUT, dialect.think(turnState, step.text))
      return ON
    case 'write': {
      const work: ToolAction = {
        is: 'write',
        path: at(step.path),
        content: step.content,
        existed: existsSync(at(step.path)),
      }
      return use(work, () => writeFile(at(step.path), step.content), turnState, dialect)
    }
    case 'append':
      return use(
        { is: 'edit', path: at(step.path), find: '', with: step.content },
        () => appendFile(at(step.path), step.content),
        turnState,
        dialect,
      )
    case 'replace':
      return use(
        { is: 'edit', path: at(step.path), find: step.find, with: step.with },
        () => replaceInFile(at(step.path), step),
        turnState,
        dialect,
      )
    case 'delete':
      return use({ is: 'shell', command: `rm -r ${step.path}` }, () => deleteFile(at(step.path)), turnState, dialect)
    case 'shell':
      return use({ is: 'shell', command: step.command }, () => runShell(step.command), turnState, dialect)
    case 'commit': {
      const command = `git add -A && git commit -m ${JSON.stringify(step.message)}`
      return use({ is: 'shell', command }, () => commitAll(step.message), turnState, dialect)
    }
    case 'tool': {
      const answer: ToolOutput = { ok: step.ok ?? true, output: step.output, exit: null }
      return use({ is: 'other', name: step.name, input: step.input }, () => answer, turnState, dialect)
    }
    case 'quote': {
      const answer: ToolOutput = { ok: true, output: statusBlock(step.fields), exit: null }
      return use({ is: 'read', path: at(step.path) }, () => answer, turnState, dialect)
    }
    case 'denied':
      return deny(step, turnState, dialect)
    case 'delay':
      await new Promise((done) => setTimeout(done, step.ms))
      return ON
    case 'hang':
      await new Promise(() => setInterval(() => {}, 60_000))
      return ON
    case 'ignore-term':
      process.on('SIGTERM', () => {})
      return ON
    case 'flood':
      return flood(dialect.say(turnState, 'x'.repeat(step.size)), step.lines)
    case 'garbage':
      print(STDOUT, seededBytes(step.bytes, step.seed ?? 1))
      print(STDOUT, '\n')
      return ON
    case 'longline':
      flood('x'.repeat(1_000_000), step.megabytes)
      print(STDOUT, '\n')
      return ON
    case 'stderr':
      print(STDERR, step.text)
      return ON
    case 'grandchild':
      await spawnOrphan(step, step.pidFile === undefined ? null : at(step.pidFile))
      return ON
    case 'limit': {
      const last = dialect.fail(turnState, refusalOf(step, turnState))
      print(STDERR, last.stderr)
      print(STDOUT, last.stdout)
      return { go: 'end', exit: last.exit }
    }
    case 'cut': {
      const whole = dialect.say(turnState, 'This sentence will not be finished, because')
      print(STDOUT, whole.slice(0, whole.length / 2))
      return { go: 'end', exit: 0 }
    }
    case 'no-final':
      return { go: 'silently' }
    case 'crash':
      process.kill(process.pid, step.signal)
      // A signal to oneself arrives a moment later; nothing more may be printed until then.
      await new Promise(() => setInterval(() => {}, 60_000))
      return ON
    case 'expect-prompt':
      return expectPrompt(step, turnState)
    case 'save-prompt':
      writeFileSync(at(step.path), turnState.prompt)
      return ON
    default:
      return assertNever(step)
  }
}

function say(text: string, turnState: TurnState, dialect: Dialect): Then {
  turnState.lastText = text
  print(STDOUT, dialect.say(turnState, text))
  return ON
}

async function use(
  work: ToolAction,
  act: () => ToolOutput | Promise<ToolOutput>,
  turnState: TurnState,
  dialect: Dialect,
): Promise<Then> {
  turnState.calls += 1
  const call = { id: String(turnState.calls), work }
  print(STDOUT, dialect.call(turnState, call))
  print(STDOUT, dialect.answer(turnState, call, await act()))
  return ON
}

function deny(step: StepOf<'denied'>, turnState: TurnState, dialect: Dialect): Then {
  turnState.calls += 1
  const input = step.command === undefined ? {} : { command: step.command }
  const call = { id: String(turnState.calls), work: { is: 'other' as const, name: step.tool, input } }
  turnState.denied.push(call)
  print(STDOUT, dialect.deny(turnState, call))
  return ON
}

/** Printed in large pieces: the agent must be faster than its reader. */
function flood(piece: string, times: number): Then {
  const together = Math.max(1, Math.floor(1_000_000 / piece.length))
  for (let left = times; left > 0; left -= together) print(STDOUT, piece.repeat(Math.min(together, left)))
  return ON
}

function refusalOf(step: Limit, turnState: TurnState): LimitRefusal {
  const relative = step.resetsInMs === undefined ? null : turnState.now() + step.resetsInMs
  return { kind: step.kind, message: step.message ?? null, resetsAt: step.resetsAt ?? relative }
}

function expectPrompt(step: StepOf<'expect-prompt'>, turnState: TurnState): Then {
  if (step.matches.test(turnState.prompt)) return ON
  print(STDERR, `scripted agent: the prompt does not match ${step.matches}\n--- prompt ---\n${turnState.prompt}\n`)
  return { go: 'refused' }
}
