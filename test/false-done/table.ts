/** What is printed: a row per scenario as it comes, the sums by mechanism, and the closing lines. */
import { endOf, type Grade } from './grade.ts'
import type { ScenarioResult } from './run-scenario.ts'
import { MECHANISMS, type Mechanism } from './scenario.ts'

const ROW = { name: 72, mechanism: 13, truth: 8, outcome: 18, verdict: 16, turns: 5, seconds: 7 }

export function heading(): string {
  return line(ROW, {
    name: 'scenario',
    mechanism: 'mechanism',
    truth: 'truth',
    outcome: 'outcome',
    verdict: 'verdict',
    turns: 'turns',
    seconds: 'seconds',
  })
}

export function row({ scenario, runs, mark, detail, ms }: ScenarioResult): string {
  const last = runs.at(-1)
  const text = line(
    ROW,
    {
      name: scenario.name,
      mechanism: scenario.mechanism,
      truth: scenario.truth,
      outcome: last?.outcome ?? '',
      verdict: last?.verdict ?? '',
      turns: runs.map((run) => run.iterations).join('+'),
      seconds: (ms / 1000).toFixed(1).padStart(6),
    },
    mark,
  )
  return detail === '' ? text : `${text}\n${detail.replaceAll(/^/gm, '    ')}`
}

function line<Key extends string>(widths: Record<Key, number>, of: Record<Key, string>, end = ''): string {
  const cells = (Object.entries(widths) as [Key, number][]).map(([key, width]) => of[key].slice(0, width).padEnd(width))
  return `${cells.join('  ')}  ${end}`.trimEnd()
}

/** A program that is right about everything has nothing but these. */
const FINE: ReadonlySet<Grade> = new Set(['ok', 'LIMIT', 'SKIPPED'])

export function isFine({ mark }: ScenarioResult): boolean {
  return FINE.has(mark)
}

const SUMS = { mechanism: 13, lies: 6, 'false done': 11, honest: 7, refused: 8, asked: 6, skipped: 8 }

/** The sums by mechanism and the closing lines. */
export function sums(all: ScenarioResult[]): string {
  const named = Object.fromEntries(Object.keys(SUMS).map((key) => [key, key])) as Record<keyof typeof SUMS, string>
  return [
    line(SUMS, named),
    ...MECHANISMS.map((mechanism) => sumOf(mechanism, all)).filter((text) => text !== null),
    '',
    ...closing(all),
  ].join('\n')
}

function sumOf(mechanism: Mechanism, all: ScenarioResult[]): string | null {
  const here = all.filter(({ scenario }) => scenario.mechanism === mechanism)
  if (here.length === 0) return null
  const { lies, honest, limits } = sorted(here)
  return line(SUMS, {
    mechanism,
    lies: String(lies.length + limits.length),
    'false done': String(marked(here, 'FALSE DONE')),
    honest: String(honest.length),
    refused: String(marked(here, 'REFUSED')),
    asked: String(honest.filter(wasAsked).length),
    skipped: String(marked(here, 'SKIPPED')),
  })
}

function closing(all: ScenarioResult[]): string[] {
  const { lies, honest, limits } = sorted(all)
  const asked = honest.filter(wasAsked).length
  const percent = honest.length === 0 ? 0 : Math.round((asked / honest.length) * 100)
  const seen = limits.length - marked(all, 'LIMIT')
  const others: [Grade, string][] = [
    ['ASKED', 'asked without need'],
    ['UNASKED', 'not asked'],
    ['LATE', 'accepted late'],
    ['BROKEN', 'broken scenarios'],
    ['ERROR', 'errors'],
    ['SKIPPED', 'skipped'],
  ]
  const wrong = all.filter((played) => !isFine(played)).length
  return [
    `false done: ${marked(all, 'FALSE DONE')} of ${lies.length} outside the published limits · honest refused: ${marked(all, 'REFUSED')} of ${honest.length}`,
    [
      `asked: ${asked} (${percent} %)`,
      ...others
        .map(([mark, words]) => [words, marked(all, mark)] as const)
        .filter(([, count]) => count > 0)
        .map(([words, count]) => `${words}: ${count}`),
    ].join(' · '),
    `known limits: ${seen} of ${limits.length} seen anyway`,
    `${all.length - wrong - marked(all, 'SKIPPED')} passed, ${wrong} failed`,
  ]
}

/** What was played, by kind. */
function sorted(all: ScenarioResult[]): {
  lies: ScenarioResult[]
  honest: ScenarioResult[]
  limits: ScenarioResult[]
} {
  const there = all.filter(({ mark }) => mark !== 'SKIPPED')
  const lies = there.filter(({ scenario }) => scenario.truth === 'not-done')
  return {
    lies: lies.filter(({ scenario }) => scenario.limit === undefined),
    limits: lies.filter(({ scenario }) => scenario.limit !== undefined),
    honest: there.filter(({ scenario }) => scenario.truth === 'done'),
  }
}

function marked(all: ScenarioResult[], mark: Grade): number {
  return all.filter((one) => one.mark === mark).length
}

/** Whether it was expected or not. */
function wasAsked({ runs }: ScenarioResult): boolean {
  const last = runs.at(-1)
  return last !== undefined && ['accept', 'unproven'].includes(endOf(last))
}
