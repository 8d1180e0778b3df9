/** A store that another process does not let go of: commands about tasks give up in time, in words, and nothing is half written. */
import { expect, test } from 'vitest'
import { openSqlite } from '../../src/store/db/sqlite.ts'
import { projectWithTasks, jsonLinesOf, taskStatuses } from '../walk/task-commands.ts'

test('who changes tasks waits, says so, and gives up with nothing changed; who looks does not wait at all', async () => {
  const made = await projectWithTasks([{ id: 'a' }, { id: 'b', blockers: ['a'] }])
  const many = Array.from({ length: 1_000 }, (_, i) => ({ id: `n${i}`, parent: 'a' }))
  await made.write('many.jsonl', jsonLinesOf(many))
  const lockOwner = openSqlite(`${made.path}/.git/ralph/root/ralph.db`, {
    immutable: false,
    notice: () => {},
  })
  const [changing, looking] = await lockOwner.transaction(async (tx) => {
    await tx.run('update tasks set priority = 7')
    const looked = ['list', 'show a', 'tree'].map((words) => made.ralph(['task', ...words.split(' ')]))
    const changed = ['add --from-json many.jsonl', 'done a', 'delete b --yes', 'deps rm a b --json'].map((words) =>
      made.ralph(['task', ...words.split(' ')]),
    )
    return [await Promise.all(changed), await Promise.all(looked)]
  })
  await lockOwner.close()
  for (const { code, stdout, stderr } of changing)
    expect([code, `${stderr}${stdout}`]).toEqual([
      7,
      expect.stringMatching(/waiting for it\.\n[^]*another process locked .*ralph\.db for too long/),
    ])
  expect(looking.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ''],
    [0, ''],
    [0, ''],
  ])
  expect(await taskStatuses(made)).toEqual(['a pending', 'b blocked'])
  expect((await made.ralph(['task', 'add', '--from-json', 'many.jsonl'])).code).toBe(0)
})
