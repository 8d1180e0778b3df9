import { expect, test } from 'vitest'
import { describeOrphans, displayableCommand, orphansField, type Orphan } from './orphan.ts'

const orphan = (pid: number): Orphan => ({ pid, startTime: String(pid), command: `sleep ${pid}` })

test('a command line is shown without control characters, keys and length', () => {
  expect(displayableCommand('node\u001b[31m server.js\n--port 80')).toBe('node server.js --port 80')
  expect(displayableCommand('serve --api-key abcdef0123456789 --open')).toBe('serve --api-key <secret> --open')
  expect(displayableCommand('x'.repeat(200))).toBe(`${'x'.repeat(99)}…`)
})

test('five are named, the others are counted', () => {
  const { orphans } = orphansField([1, 2, 3, 4, 5, 6, 7].map(orphan))
  expect(orphans).toEqual({ named: [1, 2, 3, 4, 5].map(orphan), more: 2 })
  expect(orphans && describeOrphans(orphans)).toBe('1 sleep 1, 2 sleep 2, 3 sleep 3, 4 sleep 4, 5 sleep 5 and 2 more')
  expect(describeOrphans({ named: [orphan(1)], more: 0 })).toBe('1 sleep 1')
})

test('where there are none there is no field', () => expect(orphansField([])).toEqual({}))
