import { describe, expect, test } from 'vitest'
import { parsePrdTasks, parsePrd } from './prd.ts'

const texts = (document: string): string[] => parsePrd(document).tasks.map((task) => task.text)

describe('prdTasks', () => {
  test('boxes, ticked ones too, numbers and bullets come as the document has them; nesting is kept', () => {
    const document =
      '# Shop\n\n1. Cart\n   - with a sum\n2. Checkout\n\n- [x] Log in\n    * [ ] Remember me\n- [ ] Log out\n\n## Look\n- Dark\n• Big\n'
    expect(parsePrdTasks(document).map(({ text, depth }) => [depth, text])).toEqual([
      [0, 'Cart'],
      [1, 'with a sum'],
      [0, 'Checkout'],
      [0, 'Log in'],
      [1, 'Remember me'],
      [0, 'Log out'],
      [0, 'Dark'],
      [0, 'Big'],
    ])
  })

  test('an item goes on over the lines below it', () => {
    const document = '- Sell hats\n  of every size\nand colour\n\nNot this.\n* * *\n- Sell shoes\n---\n'
    expect(parsePrdTasks(document).map((task) => task.text)).toEqual([
      'Sell hats of every size and colour',
      'Sell shoes',
    ])
  })

  test('examples in code fences and lists of contents are no work', () => {
    const document =
      '# A\n## Contents\n1. [Goals](#goals)\n2. Scope\n## Work\n```md\n- [ ] example\n```\n~~~\n1. other\n~~~\n- [ ] real\n'
    expect(parsePrdTasks(document).map((task) => task.text)).toEqual(['real'])
  })

  test('however many there are', () => {
    const numbered = Array.from({ length: 25 }, (_, n) => `${n + 1}. number ${n}`).join('\n')
    const bullets = Array.from({ length: 45 }, (_, n) => `- bullet ${n}`).join('\n')
    expect(parsePrdTasks(`${numbered}\n${bullets}`)).toHaveLength(70)
  })

  test('what a section rules out is no work, whatever mark it has and however deep it stands', () => {
    const document = '## Features\n- a\n## Out of scope\n- [ ] b\n### Later\n1. c\n## Rest\n- d\n## Risks\n- e\n'
    expect(parsePrdTasks(document).map((task) => task.text)).toEqual(['a', 'd'])
    expect(parsePrd(document)).toMatchObject({ by: 'bullets', leftOut: ['out of scope', 'risks'] })
  })
})

describe('readPrd', () => {
  test('the bullets are the tasks, but not those that are ruled out', () => {
    const document =
      '---\ntitle: x\n---\n# Blog\n\nA blog for cats.\n\n## Features\n- Posts\n  - with pictures\n## Non-goals\n- Comments\n'
    expect(parsePrd(document)).toMatchObject({ title: 'Blog', summary: 'A blog for cats.', by: 'bullets' })
    expect(texts(document)).toEqual(['Posts', 'with pictures'])
  })

  test('without any list, the sections are the tasks, but not those that introduce or rule out', () => {
    const document = '# Tool\n## Overview\nIt converts.\n## Parser\nReads.\n## Output\nWrites.\n## References\nLinks.\n'
    expect(parsePrd(document)).toMatchObject({ summary: 'It converts.', by: 'sections' })
    expect(texts(document)).toEqual([
      'Build what the specification says under "Parser"',
      'Build what the specification says under "Output"',
    ])
  })

  test('a text without structure has no tasks, and says so', () => {
    expect(parsePrd('Make something nice.\u001b[2J')).toEqual({
      title: null,
      summary: 'Make something nice.',
      tasks: [],
      by: '',
      leftOut: [],
    })
  })

  test('says what it read', () => {
    const by = (document: string): string => parsePrd(document).by
    expect([by('- [ ] a\n'), by('1. a\n- b\n'), by('- [ ] a\n1. b\n- c\n')]).toEqual([
      'checkboxes',
      'numbered lists and bullets',
      'checkboxes, numbered lists and bullets',
    ])
  })
})
