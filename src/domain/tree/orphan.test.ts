import { expect, test } from 'vitest'
import { orphansText, shownCommand, withOrphans, type Orphan } from './orphan.ts'

const orphan = (pid: number): Orphan => ({ pid, startTime: String(pid), command: `sleep ${pid}` })

test('a command line is shown without control characters, keys and length', () => {
  expect(shownCommand('node\u001b[31m server.js\n--port 80')).toBe('node server.js --port 80')
  expect(shownCommand('serve --api-key abcdef0123456789 --open')).toBe('serve --api-key <secret> --open')
  expect(shownCommand('x'.repeat(200))).toBe(`${'x'.repeat(99)}…`)
})

test('five are named, the others are counted', () => {
  const { orphans } = withOrphans([1, 2, 3, 4, 5, 6, 7].map(orphan))
  expect(orphans).toEqual({ named: [1, 2, 3, 4, 5].map(orphan), more: 2 })
  expect(orphans && orphansText(orphans)).toBe(
    '1 sleep 1, 2 sleep 2, 3 sleep 3, 4 sleep 4, 5 sleep 5 and 2 more',
  )
  expect(orphansText({ named: [orphan(1)], more: 0 })).toBe('1 sleep 1')
})

test('where there are none there is no field', () => expect(withOrphans([])).toEqual({}))
