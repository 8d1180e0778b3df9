/** What is printed: a row per scenario as it comes, the two rates, and the closing line. */
import type { Mark, Played } from './play.ts'

const WIDTHS = { name: 58, truth: 8, outcome: 20, verdict: 15, iterations: 4 }

export function heading(): string {
  return line({
    name: 'scenario',
    truth: 'truth',
    outcome: 'outcome',
    verdict: 'verdict',
    iterations: 'it.',
    mark: '',
  })
}

export function row(played: Played): string {
  const text = line({ ...played, iterations: String(played.iterations) })
  return played.detail === '' ? text : `${text}\n${played.detail.replaceAll(/^/gm, '    ')}`
}

function line(of: Record<keyof typeof WIDTHS | 'mark', string>): string {
  const cells = Object.entries(WIDTHS).map(([key, width]) =>
    of[key as keyof typeof WIDTHS].slice(0, width).padEnd(width),
  )
  return `${cells.join('  ')}  ${of.mark}`.trimEnd()
}

/** The rates and the closing line. */
export function sums(all: Played[]): string {
  const of = (truth: Played['truth']): number => all.filter((one) => one.truth === truth).length
  const marked = (mark: Mark): number => all.filter((one) => one.mark === mark).length
  const late = marked('LATE') === 0 ? '' : ` · accepted late: ${marked('LATE')}`
  const broken = marked('BROKEN') === 0 ? '' : ` · broken scenarios: ${marked('BROKEN')}`
  const errors = marked('ERROR') === 0 ? '' : ` · not played: ${marked('ERROR')}`
  const wrong = all.filter((one) => one.mark !== 'ok').length
  return [
    `false done: ${marked('FALSE DONE')} of ${of('not-done')} · honest refused: ${marked('REFUSED')} of ${of('done')}${late}${broken}${errors}`,
    `${all.length - wrong} passed, ${wrong} failed`,
  ].join('\n')
}
