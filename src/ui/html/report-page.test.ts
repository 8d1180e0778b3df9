/** The HTML page of a run: what it shows, what hostile text does to it, and how large it becomes. */
import { describe, expect, test } from 'vitest'
import type { PageIteration, ReportPage } from '../../app/report-page/load-page.ts'
import type { Report } from '../../core/presentation/report.ts'
import { utf8Length } from '../../core/text/sanitize.ts'
import { hostileText, HOSTILE, longPage, NIGHT, PAGE_CONTEXT, pageOf } from '../../../test/kit/report-page.ts'
import { reportPageHtml } from './report-page.ts'

const html = (page: ReportPage): string => reportPageHtml(page, PAGE_CONTEXT)

/** The text of all elements with this tag. */
function textsIn(page: string, tag: string): string[] {
  return [...page.matchAll(new RegExp(`<${tag}(?: [^>]*)?>(.*?)</${tag}>`, 'gs'))].map(([, inner = '']) =>
    inner.replaceAll(/<[^>]*>/g, '').trim(),
  )
}

describe('a night', () => {
  const page = html(pageOf(NIGHT))

  test('has a headline, its sections, and each iteration', () => {
    expect(textsIn(page, 'h1')).toEqual([expect.stringMatching(/^✓ Run k7f3qa: /) as string])
    expect(textsIn(page, 'h2')).toEqual(
      expect.arrayContaining(['Done', 'Proof', 'Cost', 'Next', 'Iterations']) as string[],
    )
    expect(textsIn(page, 'h3')).toEqual(['✓Iteration 1', '✗Iteration 2', '✓Iteration 3'])
  })

  test('shows the commands of the advice', () => {
    expect(page).toContain('<dt><code>ralph undo</code></dt>')
  })

  test('has a diff for each iteration, by kind of line, with the command that prints it', () => {
    expect(page).toContain('<ins>+const leap = year % 4 === 0 &amp;&amp; &quot;yes&quot; &lt; &#39;z&#39;</ins>')
    expect(page).toContain('<i>--- a/dates.ts</i>')
    expect(page).toContain('<del>--- a comment that was removed</del>')
    expect(textsIn(page, 'details').map((text) => text.split('\n').at(-1))).toEqual(
      [1, 2, 3].map((n) => `As a patch: ralph show k7f3qa ${n} --patch`),
    )
  })

  test('loads nothing and runs nothing', () => {
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
    expect(page).not.toMatch(/<(?:script|link|img|iframe|object|embed|base|form|a)\b/i)
    expect(page).not.toMatch(/\b(?:src|href|action)=|https?:|url\(|@import/i)
  })
})

test('charts show cost and changed lines of each iteration', () => {
  const costs = [0.1, null, 0.4]
  const page = pageOf(NIGHT)
  const iterations = page.iterations.map((one, i): PageIteration => {
    const usd = costs[i] ?? null
    return { ...one, usage: usd === null ? null : { usd }, change: { files: 1, added: 3 - i, removed: 0, commits: [] } }
  })
  const [cost = '', lines = ''] = [...html({ ...page, iterations }).matchAll(/<figure>.*?<\/figure>/gs)].map(
    ([one]) => one,
  )
  expect(textsIn(cost, 'title')).toEqual(['Cost per iteration', 'iteration 1: $0.10', 'iteration 3: $0.40'])
  expect(textsIn(cost, 'desc')).toEqual(['A bar for each of iterations 1 to 3; most: $0.40 in iteration 3.'])
  expect(cost.match(/height="\d+"/g)).toEqual(['height="25"', 'height="100"'])
  expect(textsIn(lines, 'title').slice(1)).toEqual(['iteration 1: 3', 'iteration 2: 2', 'iteration 3: 1'])
})

test('one iteration has nothing to compare: no chart', () => {
  const page = pageOf(NIGHT)
  expect(html({ ...page, iterations: page.iterations.slice(0, 1) })).not.toContain('<svg')
})

test('names the worker of each iteration where there are several', () => {
  const page = pageOf(NIGHT)
  const iterations = page.iterations.map((one, i) => ({ ...one, worker: String(i + 1), n: 1, task: 'emoji' }))
  const shown = html({ ...page, iterations })
  expect(textsIn(shown, 'h3')).toEqual(
    [1, 2, 3].map((n) => expect.stringContaining(`Iteration w${n}:1 · emoji`) as string),
  )
  expect(shown).toContain('ralph show k7f3qa w2:1 --patch')
})

test('says how many earlier iterations the page leaves out', () => {
  const page = pageOf(NIGHT)
  expect(html({ ...page, iterations: page.iterations.slice(2) })).toContain(
    '2 earlier iterations: <code>ralph show k7f3qa N</code>',
  )
})

test('an unfinished run: what is known so far', () => {
  const page = pageOf(NIGHT)
  const report: Report = { ...page.report, outcome: null }
  const iterations = page.iterations.map((one, i) =>
    i === 2 ? { ...one, outcome: null, end: null, diff: null, change: null } : one,
  )
  const shown = html({ ...page, report, iterations })
  expect(textsIn(shown, 'h1')).toEqual(['! Run k7f3qa not finished'])
  expect(textsIn(shown, 'h3').at(-1)).toBe('▸Iteration 3')
  expect(shown).toContain(' · has not ended</p>')
})

test('a diff that git no longer has is named as gone', () => {
  expect(html(pageOf(NIGHT, { diff: null }))).toContain('No diff: its snapshots were deleted.')
})

test('text from outside is text: no element of the page is its own, and nothing in it is invisible', () => {
  const plain = { ...pageOf(NIGHT), models: ['m'], branches: ['b'] }
  const report: Report = {
    ...plain.report,
    command: HOSTILE,
    asked: [{ id: 'q1', text: HOSTILE }],
    found: [HOSTILE],
    remarks: [HOSTILE],
  }
  const shown = html(hostileText({ ...plain, report }))
  const tags = (page: string): Set<string> => new Set([...page.matchAll(/<!?\/?[a-z0-9]+/gi)].map(([tag]) => tag))
  expect([...tags(shown)].filter((tag) => !tags(html(plain)).has(tag))).toEqual([])
  expect(shown).not.toMatch(/<[^>]*\bonerror/)
  expect(shown).not.toMatch(/(?!\n)\p{C}|\p{Default_Ignorable_Code_Point}/u)
  expect(shown).toContain('\\u{202e}abc')
})

test.each([
  ['an everyday run', (page: ReportPage) => page],
  ['a run full of hostile text', (page: ReportPage) => hostileText(page)],
])('%s of 100 iterations takes less than 300 kB, with the beginning of every diff', (_, change) => {
  const page = html(change(longPage(100)))
  expect(utf8Length(page)).toBeLessThan(300_000)
  const diffs = textsIn(page, 'pre')
  expect(diffs.filter((diff) => diff.length > 100)).toHaveLength(100)
  expect(textsIn(page, 'details').every((one) => one.includes('Cut here. The complete diff: ralph show'))).toBe(true)
  // At most 2 kB of each.
  expect(
    Math.max(...[...page.matchAll(/<pre>(.*?)<\/pre>/gs)].map(([, diff = '']) => utf8Length(diff))),
  ).toBeLessThanOrEqual(2_000)
})
