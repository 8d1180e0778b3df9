import { describe, expect, test } from 'vitest'
import { playRun } from '../../../test/kit/core.ts'
import { formatAnnotation, annotationsFor, neutralizeWorkflowCommands } from './github-annotations.ts'

test('a lie that a gate catches and the end of the run become annotations', () => {
  const rows = playRun([
    { done: true, checkboxes: { open: 0, done: 1 }, green: false },
    { done: true, checkboxes: { open: 0, done: 1 }, green: true },
  ])
  expect(rows.flatMap(annotationsFor)).toEqual([
    '::error title=Gate test::test failed (exit 1)%0Anot ok 1',
    '::warning title=Ralph%3A proof::test failed (exit 1)',
    '::notice title=Proven done::npm run test passes, here and in the clean room (5 steps)',
  ])
})

test('foreign text cannot leave its place in an annotation', () => {
  expect(formatAnnotation('error', 'a,b::c', '100 %\n::set-output name=x::y')).toBe(
    '::error title=a%2Cb%3A%3Ac::100 %25%0A::set-output name=x::y',
  )
})

describe('what looks like a workflow command is broken', () => {
  test.each([
    ['::set-env name=PATH::x', ':\u200b:set-env name=PATH::x'],
    ['a\n  ::stop-commands::x', 'a\n  :\u200b:stop-commands::x'],
    ['see ##[command]rm', 'see ##\u200b[command]rm'],
    ['std::vector is fine', 'std::vector is fine'],
  ])('%j', (text, safe) => {
    expect(neutralizeWorkflowCommands(text)).toBe(safe)
  })
})
