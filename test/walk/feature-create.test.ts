/** `ralph feature create` as a user types it: real git, real SQLite, real processes, the scripted agent as `claude`. */
import { describe, expect, test } from 'vitest'
import { result } from '../hear.ts'
import { drafting, FOLDER, PLAN, SPEC, TASKS, writes } from './draft-kit.ts'

const ALONE = ['feature', 'create', 'money', '--from', 'wish.md', '--yes']

describe('from a text, without a question', () => {
  test('three papers are written, each in its turn, and nothing is judged or committed', async () => {
    const place = await drafting({
      files: { 'wish.md': '# What we want\n\nA type for money.\n' },
      turns: [writes('spec'), writes('plan'), writes('tasks')],
    })
    const head = await place.git('rev-parse', 'HEAD')
    const ran = await place.ralph([...ALONE, '--json'])
    expect([ran.stderr, ran.code]).toEqual(['', 0])
    expect(result(ran.stdout)).toMatchObject({ outcome: 'drafted', exit: 0, iterations: 3 })
    expect(
      await Promise.all(['spec.md', 'plan.md', 'tasks.json'].map((file) => place.read(`${FOLDER}/${file}`))),
    ).toEqual([SPEC, PLAN, TASKS])
    expect(await place.git('rev-parse', 'HEAD')).toBe(head)
    expect((await place.ralph(['replay', '--check'])).code).toBe(0)
    const again = await place.ralph([...ALONE, '--json'])
    expect([again.code, place.starts().length]).toEqual([0, 3])
  })
})
