import { describe, expect, test } from 'vitest'
import { prdTasks, readPrd } from './prd.ts'

const texts = (document: string): string[] => readPrd(document).tasks.map((task) => task.text)

describe('prdTasks', () => {
  test('boxes come first, ticked ones too, then numbered lines; nesting is kept', () => {
    const document = '# Shop\n\n1. Cart\n2. Checkout\n\n- [x] Log in\n    * [ ] Remember me\n- [ ] Log out\n'
    expect(prdTasks(document).map(({ text, depth }) => [depth, text])).toEqual([
      [0, 'Log in'],
      [1, 'Remember me'],
      [0, 'Log out'],
      [0, 'Cart'],
      [0, 'Checkout'],
    ])
  })

  test('examples in code fences and lists of contents are no work', () => {
    const document =
      '# A\n## Contents\n1. [Goals](#goals)\n2. Scope\n## Work\n```md\n- [ ] example\n```\n~~~\n1. other\n~~~\n- [ ] real\n'
    expect(prdTasks(document).map((task) => task.text)).toEqual(['real'])
  })

  test('at most twenty numbered lines and thirty in all', () => {
    const numbered = Array.from({ length: 25 }, (_, n) => `${n + 1}. number ${n}`).join('\n')
    const boxes = Array.from({ length: 15 }, (_, n) => `- [ ] box ${n}`).join('\n')
    expect(prdTasks(numbered)).toHaveLength(20)
    expect(prdTasks(`${numbered}\n${boxes}`)).toHaveLength(30)
  })
})

describe('readPrd', () => {
  test('without boxes or numbers, the bullets of sections about work are the tasks', () => {
    const document =
      '---\ntitle: x\n---\n# Blog\n\nA blog for cats.\n\n## Features\n- Posts\n  - with pictures\n## Non-goals\n- Comments\n'
    expect(readPrd(document)).toMatchObject({ title: 'Blog', summary: 'A blog for cats.', by: 'bullets' })
    expect(texts(document)).toEqual(['Posts', 'with pictures'])
  })

  test('without any list, the sections are the tasks, but not those that introduce or rule out', () => {
    const document =
      '# Tool\n## Overview\nIt converts.\n## Parser\nReads.\n## Output\nWrites.\n## References\nLinks.\n'
    expect(readPrd(document)).toMatchObject({ summary: 'It converts.', by: 'sections' })
    expect(texts(document)).toEqual([
      'Build what the specification says under "Parser"',
      'Build what the specification says under "Output"',
    ])
  })

  test('a text without structure has no tasks, and says so', () => {
    expect(readPrd('Make something nice.\u001b[2J')).toEqual({
      title: null,
      summary: 'Make something nice.',
      tasks: [],
      by: 'nothing',
    })
  })
})
