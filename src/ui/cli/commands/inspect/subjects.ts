/** `ralph inspect`: how Ralph reads a file or would decide, with the reasons. */
import { resolve } from 'node:path'
import { findProject } from '../../../../config/paths.ts'
import type { HowToRead } from '../../../../desk/doctor/inspect.ts'
import { EXIT, RalphError } from '../../../../domain/error.ts'
import { suggest } from '../../../../domain/text/suggest.ts'
import {
  breakerScreen,
  evidenceScreen,
  planScreen,
  replyScreen,
  signalsScreen,
  snapshotScreen,
} from '../../../plain/inspect.ts'
import { paint, type Paint } from '../../../plain/paint.ts'
import type { Input, Run } from '../../frame/row.ts'
import type { Io } from '../../frame/io.ts'
import { homeOf, openProject, settingsOf, type OpenProject } from '../../frame/project.ts'

export const run: Run = async (input, io) => {
  const [what = '', ...rest] = input.args
  const subject = Object.hasOwn(SUBJECTS, what) ? SUBJECTS[what] : undefined
  if (subject === undefined) throw unknownSubject(what)
  checkArguments(what, subject, rest)
  const seen = await subject.look(rest, input, io)
  io.out(input.flags['json'] === true ? `${JSON.stringify(seen.facts)}\n` : seen.screen(paint(io.colour)))
  return EXIT.done
}

interface Look {
  /** For `--json`; the shapes are documented on their types in `desk/doctor/inspect.ts`. */
  facts: object
  screen(p: Paint): string
}

interface Subject {
  args: string
  takes: { min: number; max: number }
  look(args: string[], input: Input, io: Io): Promise<Look>
}

const SUBJECTS: Record<string, Subject> = {
  reply: {
    args: 'FILE',
    takes: { min: 1, max: 1 },
    async look([file = ''], input, io) {
      const { settings } = await aroundHere(input, io)
      const { inspectReply } = await import('../../../../desk/doctor/inspect.ts')
      const facts = await inspectReply(resolve(io.cwd, file), howToRead(input, settings))
      return { facts, screen: (p) => replyScreen(facts, p) }
    },
  },
  signals: {
    args: 'FILE …',
    takes: { min: 1, max: Infinity },
    async look(files, input, io) {
      const { settings } = await aroundHere(input, io)
      const { inspectSignals } = await import('../../../../desk/doctor/inspect.ts')
      const paths = files.map((file) => resolve(io.cwd, file))
      const facts = await inspectSignals(paths, howToRead(input, settings), settings.rules())
      return { facts, screen: (p) => signalsScreen(facts, p) }
    },
  },
  breaker: {
    args: 'FILE',
    takes: { min: 1, max: 1 },
    async look([file = ''], input, io) {
      const { settings } = await aroundHere(input, io)
      const { inspectBreaker } = await import('../../../../desk/doctor/inspect-breaker.ts')
      const facts = inspectBreaker(resolve(io.cwd, file), settings.rules().breaker)
      return { facts, screen: (p) => breakerScreen(facts, p) }
    },
  },
  evidence: {
    args: '[RUN]',
    takes: { min: 0, max: 1 },
    async look([named = null], input, io) {
      const { root } = await openProject(input, io)
      const { inspectEvidence } = await import('../../../../desk/doctor/inspect.ts')
      const facts = await inspectEvidence(root, named)
      return { facts, screen: (p) => evidenceScreen(facts, p) }
    },
  },
  snapshot: {
    args: '',
    takes: { min: 0, max: 0 },
    async look(_none, input, io) {
      const { root } = await openProject(input, io)
      const { inspectSnapshot } = await import('../../../../desk/doctor/inspect.ts')
      const facts = await inspectSnapshot(root)
      return { facts, screen: (p) => snapshotScreen(facts, p) }
    },
  },
  plan: {
    args: '',
    takes: { min: 0, max: 0 },
    async look(_none, input, io) {
      const { root, settings } = await openProject(input, io)
      const { inspectPlan } = await import('../../../../desk/doctor/inspect.ts')
      const facts = inspectPlan(root, settings.rules().loop)
      return { facts, screen: (p) => planScreen(facts, p) }
    },
  },
}

/** A saved file can be looked at anywhere; the rules are then the user's own and the defaults. */
async function aroundHere(input: Input, io: Io): Promise<Pick<OpenProject, 'root' | 'settings'>> {
  const { root } = findProject(io.cwd, { home: homeOf(io) })
  return { root, settings: await settingsOf(root, input, io) }
}

function howToRead(input: Input, settings: OpenProject['settings']): HowToRead {
  const agent = input.flags['agent']
  return {
    agent: typeof agent === 'string' ? agent : null,
    text: input.flags['text'] === true,
    custom: settings.agents,
  }
}

function checkArguments(what: string, { args, takes }: Subject, rest: string[]): void {
  if (rest.length >= takes.min && rest.length <= takes.max) return
  const usage = `ralph inspect ${what} ${args}`.trim()
  const problem =
    rest.length < takes.min ? `needs ${args}` : `does not know what to do with "${rest[takes.max] ?? ''}"`
  throw new RalphError('usage', `ralph inspect ${what} ${problem}`, { hint: `Like this: ${usage}` })
}

function unknownSubject(what: string): RalphError {
  const known = Object.keys(SUBJECTS)
  const near = suggest(what, known)
  return new RalphError('usage', `ralph inspect cannot look at "${what}"`, {
    hint: near === null ? `It can look at: ${known.join(', ')}` : `Did you mean: ralph inspect ${near}?`,
  })
}
