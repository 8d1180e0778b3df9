/** A task, worked on by the vendors' real programs: claimed, refused by the gate, tried again, read by a second agent, done. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newTask } from '../../src/core/tasks/task.ts'
import { openStore } from '../../src/store/db/open-store.ts'
import { addTasks } from '../../src/store/task/add-tasks.ts'
import { findTask } from '../../src/store/task/find-task.ts'
import { openRepo } from '../../src/workspace/repo/git.ts'
import { storeFolder } from '../../src/workspace/repo/find-repo.ts'
import { git, openVendorFixture, skipReason, type VendorFixture } from './vendor-fixture.ts'
import { claude, codex } from './vendors.ts'

const FILES = {
  // However busy the machine is.
  '.ralph.toml': '[agent]\nhandshake = 0\n[[gate]]\nname = "answer"\nrun = "node check.mjs"\n',
  'src/question.mjs': 'export const question = 6 * 7\n',
  'check.mjs': "import { answer } from './src/answer.mjs'\nprocess.exit(answer === 42 ? 0 : 1)\n",
}
const TASK = newTask('Write the answer', { id: 'answer', description: 'src/answer.mjs exports the answer.' })

async function inStore<T>(
  project: string,
  work: (sql: Awaited<ReturnType<typeof openStore>>['sql']) => Promise<T>,
): Promise<T> {
  const folder = storeFolder(await openRepo(project), project)
  const store = await openStore(join(folder, 'ralph.db'), { create: true, notice: () => {} })
  try {
    return await work(store.sql)
  } finally {
    await store.close()
  }
}

describe.each([claude, codex])('$agent', (vendor) => {
  const missing = skipReason(vendor)
  describe.skipIf(missing !== null)(missing ?? 'is there', () => {
    let stage: VendorFixture
    beforeAll(async () => void (stage = await openVendorFixture(vendor)))
    afterAll(() => stage.close())

    test('does a task, through a lie', async () => {
      const project = await stage.project(FILES)
      await inStore(project, (sql) => addTasks(sql, [TASK], 1_000))
      const { code, output } = await stage.run(project, [
        { text: 'I write.', write: { path: 'src/answer.mjs', content: 'export const answer = 41\n' } },
        { text: 'It is done.\n\n<task-done>answer</task-done>' },
        { text: 'I move it.', shell: 'git mv src/answer.mjs src/earlier.mjs' },
        { text: 'I write.', write: { path: 'src/answer.mjs', content: 'export const answer = 42\n' } },
        { text: 'Now it is.\n\n<task-done>answer</task-done>' },
        { text: 'I have read it.\n\n<verify-pass/>' },
      ])
      expect(code, output).toBe(0)
      expect(await inStore(project, (sql) => findTask(sql, 'answer'))).toMatchObject({
        status: 'done',
        attempt: 1,
        retries: 1,
        verification: 'passed',
      })
      expect(await git(project, 'log', '--format=%(trailers:key=Ralph-Task,valueonly)', 'HEAD~1..')).toBe('answer')
      expect(stage.model.asked).toHaveLength(6)
      expect(stage.model.asked[2]?.body).toContain('Ralph rejected your completion')
      expect(await stage.living()).toEqual([])
    })
  })
})
