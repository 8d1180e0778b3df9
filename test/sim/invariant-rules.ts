/**
 * What must hold in every simulated night, whatever the world does. This is the whole list: a check names its rule by number, and a
 * failure prints the sentence.
 */
interface Invariant {
  name: string
  says: string
  /** Who looks, in this folder. */
  check: string
}

export const INVARIANTS = {
  1: {
    name: 'one agent',
    says: 'A worker has one agent at a time; the next is asked for when the last was answered.',
    check: 'invariants.ts mayRun, agent-double.ts begin',
  },
  2: {
    name: 'limits',
    says: 'No call, whatever its role, is begun beyond quota, budget, breaker, rest or order.',
    check: 'invariants.ts mayRun, mayWork',
  },
  3: {
    name: 'replay',
    says: 'The same rows lead to the same effects, decisions and state, and the kept state is that one.',
    check: 'invariants.ts take, run.ts compareStore, refold',
  },
  4: {
    name: 'continues',
    says: 'While a run is not over or paused, something is always going to happen.',
    check: 'run.ts serve',
  },
  5: {
    name: 'stop',
    says: 'After a stop nothing is begun, it takes seconds, and nothing outlives the run.',
    check: 'invariants.ts ask, finish; the doubles',
  },
  6: {
    name: 'once',
    says: 'Every effect is asked once and answered once, every request taken once, every result kept once.',
    check: 'invariants.ts answered, ask; run.ts compareStore',
  },
  7: {
    name: 'ends',
    says: 'A run ends, with an outcome, and not by one failed look.',
    check: 'invariants.ts lookedEnough, finish; run.ts serve',
  },
  9: {
    name: 'judged',
    says: 'Nobody is paid before the judge is ready, and nothing is complete unless every gate was green on one tree after the work.',
    check: 'invariants.ts mayWork, endAsWas, gatesHeld; claims.ts betweenClaims',
  },
  10: {
    name: 'numbered',
    says: 'Iterations are numbered without a gap and never pass their limit.',
    check: 'invariants.ts mayWork',
  },
  11: {
    name: 'counted',
    says: 'State, screens and tables tell the money and tokens that the agents told, each once.',
    check: 'invariants.ts seen, finish; run.ts compareStore',
  },
  12: {
    name: 'one truth',
    says: 'Screens and tables show what the house is.',
    check: 'invariants.ts seen, run.ts compareStore',
  },
  13: {
    name: 'order',
    says: 'Rows follow each other without a gap, and awake time never goes back.',
    check: 'invariants.ts inOrder',
  },
  14: {
    name: 'blame',
    says: 'What says nothing about the work counts for nothing, what waiting does not cure is not asked again, and a spent budget ends an agent.',
    check: 'invariants.ts blameless, heldInFlight; agent-double.ts overspends',
  },
  15: {
    name: 'verdict',
    says: 'A claim comes to the verdict that it deserves, by trials that were allowed.',
    check: 'claims.ts, room-doubles.ts',
  },
  16: {
    name: 'base',
    says: 'What claims are judged against moves only by what a person did or by what was proven, and later runs know it.',
    check: 'claims.ts, run.ts compareBase',
  },
  17: {
    name: 'follows',
    says: 'What should follow follows: a refusal is told to the agent, what a person said is in the prompt that is said to carry it, a resume leaves nobody behind.',
    check: 'follows.ts',
  },
  18: {
    name: 'clock',
    says: 'The fake world waits for an engine whose turn it is: what came in is taken at that moment. Where this breaks, the simulator is at fault.',
    check: 'run.ts inTime',
  },
  19: {
    name: 'one repository',
    says: "Workers have places of their own, one repository and one target branch: no commit is lost or told as another's, and none overwrites what another keeps there.",
    check: 'repository.ts watchCommits, keepRef',
  },
  20: {
    name: 'claims',
    says: 'No task is in two hands, a worker knows what it holds, and a run that has ended holds none.',
    check: 'tasks.ts check, task-claims.ts',
  },
  21: {
    name: 'retries',
    says: 'A task is not tried again more often than it may be.',
    check: 'tasks.ts check',
  },
  22: {
    name: 'tasks done',
    says: 'A run through tasks is complete only when every task in its scope is done.',
    check: 'tasks.ts endsRight',
  },
  23: {
    name: 'models',
    says: 'A fixed model stays; any other choice has a reason, is what the agent is started with, and never falls while a job escalates.',
    check: 'follows.ts chosen',
  },
  24: {
    name: 'drafted',
    says: 'A draft asks nobody to judge or commit anything, and is called drafted only when each of its papers is whole.',
    check: 'invariants.ts drafts',
  },
  25: {
    name: 'iterations',
    says: 'Every call that is admitted to work ends exactly once, and every screen reports that once, with its own reason.',
    check: 'iterations.ts',
  },
} as const satisfies Record<number, Invariant>

export type Rule = keyof typeof INVARIANTS

/** A rule that does not hold. */
export class InvariantViolation extends Error {}

export function fail(rule: Rule, text: string): never {
  throw new InvariantViolation(broken(rule, text))
}

export function broken(rule: Rule, text: string): string {
  const { name, says } = INVARIANTS[rule]
  return `invariant ${rule} (${name}): ${text}\n  ${says}`
}
