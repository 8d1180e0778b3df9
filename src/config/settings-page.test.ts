import { expect, test } from 'vitest'
import { renderSettingsPage } from './settings-page.ts'
import { UNSUPPORTED_BY_NAME } from '../compat/bash/unsupported.ts'
import { SETTING_KEYS, settingFlags, settingOf } from './settings.ts'

const lines = renderSettingsPage().split('\n')

test('every setting has a row', () => {
  expect(lines).toContain(
    '| `quota.calls_per_hour` ↻ | `100` | Iterations per clock hour (0: no limit) | a whole number of at least 0 | `-c, --calls <N>` | `MAX_CALLS_PER_HOUR` |',
  )
  expect(lines).toContain(
    '| `loop.optional_sections` | `["Optional", "Future", "Future Enhancements", "Nice to Have"]` | Plan headings whose open items don\'t block completion | a list of texts |  | `OPTIONAL_SECTIONS` |',
  )
  const rows = SETTING_KEYS.filter((key) => !lines.some((line) => line.startsWith(`| \`${key}\``)))
  expect(rows).toEqual([])
})

test('every flag and every old name can be found', () => {
  const page = lines.join('\n')
  const names = [
    ...settingFlags().map(({ words }) => words),
    ...SETTING_KEYS.flatMap((key) => settingOf(key).old ?? []),
    ...Object.keys(UNSUPPORTED_BY_NAME),
  ]
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('a row has as many cells as its head', () => {
  const cells = (line: string) => line.split(/(?<!\\)\|/).length
  let head = 0
  for (const line of lines.filter((one) => one.startsWith('|'))) {
    if (line.startsWith('|---')) continue
    if (lines[lines.indexOf(line) + 1]?.startsWith('|---') === true) head = cells(line)
    expect([line, cells(line)]).toEqual([line, head])
  }
})
