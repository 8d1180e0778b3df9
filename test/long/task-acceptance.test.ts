/** A task whose work needs a changed test that nobody allowed: a person decides, and the tasks after it are judged without it. */
import { expect, test } from 'vitest'
import { statusOf, task, withTasks } from '../walk/task-store-kit.ts'

const TOML = '[task]\nverify = false\n\n[[gate]]\nname = "test"\nrun = "sh test/double.sh"\n'
const FILES = {
  'src/double.sh': 'echo $(($1 + 1))\n',
  'test/double.sh': 'echo testing; [ "$(sh src/double.sh 2)" = 3 ]\n',
}

test('the next task does not need the same yes, and the way out that is told helps', async () => {
  const doubles = [
    { do: 'write', path: 'src/double.sh', content: 'echo $(($1 * 2))\n' },
    { do: 'write', path: 'test/double.sh', content: '[ "$(sh src/double.sh 2)" = 4 ]\n' },
    { do: 'say', text: '<task-done>a</task-done>' },
  ] as const
  const another = [
    { do: 'write', path: 'c.txt', content: 'c\n' },
    { do: 'say', text: '<task-done>c</task-done>' },
  ] as const
  const fixture = await withTasks(
    { toml: TOML, files: FILES, proof: 'full', turns: [[...doubles], [...another], [...doubles]] },
    [task('a'), task('c')],
  )
  const ran = await fixture.ralph(['run'])
  expect([ran.code, await statusOf(fixture, 'a', 'c')]).toEqual([4, ['failed', 'done']])
  expect(ran.stdout).toContain('ralph task update a --test GLOB')

  await fixture.ralph(['task', 'update', 'a', '--test', 'test/**'])
  await fixture.ralph(['task', 'reset', 'a'])
  expect((await fixture.ralph(['run'])).code).toBe(0)
  expect(await statusOf(fixture, 'a')).toEqual(['done'])
})
