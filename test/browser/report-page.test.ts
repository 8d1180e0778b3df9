/** The HTML page of a run in a real browser: readable in both colour schemes, on a phone and on a screen, and silent. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { reportPageHtml } from '../../src/ui/html/report-page.ts'
import { hostileText, longPage, NIGHT, PAGE_CONTEXT, pageOf } from '../kit/report-page.ts'
import { finishSampleRun } from '../walk/sample-run.ts'
import { openPage } from './open-page.ts'

/** The screenshots stay there for whoever wants to look. */
const FOLDER = process.env['RALPH_SCREENSHOTS'] ?? mkdtempSync(join(tmpdir(), 'ralph-report-page-'))

/** A page that `ralph report --html` wrote of a real run, one of many iterations, and one full of hostile text. */
const PAGES = ['written', 'long', 'hostile'] as const

/** Runs in the page. */
const INSPECT = readFileSync(join(import.meta.dirname, 'inspect-page.mjs'), 'utf8')

function fileOf(page: (typeof PAGES)[number]): string {
  return join(FOLDER, `${page}.html`)
}

beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true })
  const made = await finishSampleRun({ until: 'removed', proof: 'full' })
  const { code, stderr } = await made.ralph(['report', '--html', '--output', fileOf('written')])
  await made.remove()
  if (code !== 0) throw new Error(stderr)
  writeFileSync(fileOf('long'), reportPageHtml(longPage(100), PAGE_CONTEXT))
  writeFileSync(fileOf('hostile'), reportPageHtml(hostileText(pageOf(NIGHT)), PAGE_CONTEXT))
  console.log(`Pages and screenshots: ${FOLDER}`)
})

const CASES = PAGES.flatMap((page) =>
  (['light', 'dark'] as const).flatMap((scheme) => [390, 1200].map((width) => ({ page, scheme, width }))),
)

test.each(CASES)('$page, $scheme, $width pixels wide', async ({ page, scheme, width }) => {
  const opened = await openPage(fileOf(page), { scheme, width })
  const seen = await opened.evaluate(INSPECT)
  await opened.screenshot({ path: join(FOLDER, `${page}-${scheme}-${width}.png`) })
  expect(opened.complaints).toEqual([])
  expect(opened.requests).toEqual([])
  expect(seen).toEqual({
    title: expect.stringContaining('Run ') as string,
    headings: expect.arrayContaining(['Done', 'Proof', 'Cost', 'Next', 'Iterations']) as string[],
    iterations: page === 'long' ? 100 : 3,
    unnamedCharts: 0,
    opensDiff: true,
    scrollsSideways: false,
    isDark: scheme === 'dark',
    faint: [],
  })
})
