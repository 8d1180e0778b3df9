/** Commands about tasks that ask, on a real terminal. */
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { hasTmux, openTmux } from '../tmux.ts'
import { jsonOf, projectWithTasks, taskStatuses, task } from './task-commands.ts'

const RALPH = `${process.execPath} ${fileURLToPath(new URL('../../bin/ralph.cjs', import.meta.url))}`
const there = await hasTmux()

describe.skipIf(!there)('on a terminal (skipped where tmux is not installed)', () => {
  test('create asks for all of it, and adds the task', async () => {
    const made = await projectWithTasks([
      { id: 'p', title: 'The whole' },
      { id: 'b', title: 'Before' },
    ])
    const tmux = await openTmux(made)
    await tmux.type(`${RALPH} task create; echo "code $?"`, 'Enter')
    await tmux.shows('What should be done?')
    await tmux.type('Enter')
    await tmux.shows('the title is empty')
    await tmux.type('A part', 'Enter')
    await tmux.shows('Details?')
    await tmux.type('with words', 'Enter')
    await tmux.shows('Which feature')
    await tmux.type('shop', 'Enter')
    await tmux.shows('Is it part of another task?')
    await tmux.type('Down', 'Enter')
    await tmux.shows('Which tasks must be done first?')
    await tmux.type('Space', 'Enter')
    await tmux.shows('A command that must pass')
    await tmux.type('true', 'Enter')
    await tmux.shows(/Added: t-\w{5}(.|\n)*code 0/)
    const [added] = await jsonOf<object[]>(made, 'list', '--feature', 'shop')
    expect(added).toMatchObject({
      title: 'A part',
      description: 'with words',
      parent_id: 'p',
      blockers: ['b'],
      checks: ['true'],
    })
  })

  test('delete shows what goes and asks; no leaves it', async () => {
    const made = await projectWithTasks([{ id: 'p' }, { id: 'a', parent: 'p' }])
    const tmux = await openTmux(made)
    await tmux.type(`${RALPH} task delete p; echo "code $?"`, 'Enter')
    await tmux.shows('Task p "Do p" would be deleted, with 1 task below it.')
    await tmux.type('n')
    await tmux.shows(/Nothing was changed\.(.|\n)*code 0/)
    expect(await taskStatuses(made)).toHaveLength(2)
  })

  test('what changed while it asked is not deleted unseen', async () => {
    const made = await projectWithTasks([{ id: 'p' }, { id: 'a', parent: 'p' }])
    const tmux = await openTmux(made)
    await tmux.type(`${RALPH} task delete p; echo "code $?"`, 'Enter')
    await tmux.shows('Delete?')
    await task(made, 'add', 'one more', '--parent', 'p')
    await tmux.type('y')
    await tmux.shows(/the tasks below p changed in the meantime(.|\n)*ralph task tree p(.|\n)*code 1/)
    expect(await taskStatuses(made)).toHaveLength(3)
    await tmux.type(`clear; ${RALPH} task delete p; echo "code $?"`, 'Enter')
    await tmux.shows('with 2 tasks below it')
    await tmux.type('y')
    await tmux.shows(/is deleted(.|\n)*code 0/)
    expect(await taskStatuses(made)).toEqual([])
  })
})
