import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { brokenWords, readKnowledge, recallFrom, removeKnowledge, writeKnowledge } from './knowledge-files.ts'
import { aFolder, clearGardens } from './test-kit.ts'

afterAll(clearGardens)

const GOOD = '---\ntitle: "Good"\ntags: [parser]\n---\n\nBody.\n'

test('what can be read is read in the order of its names; all else is told with its line, and stays', () => {
  const garden = aFolder({ 'secret.md': GOOD })
  const { root } = garden
  garden.write({
    '.ralph/knowledge/b.md': GOOD,
    '.ralph/knowledge/A.MD': GOOD,
    '.ralph/knowledge/bad.md': '---\ntitle: "x"\ntags: []\n---\n',
    '.ralph/knowledge/large.md': `${GOOD}${'x'.repeat(64 * 1024)}`,
    '.ralph/knowledge/notes.txt': 'no entry',
    '.ralph/knowledge/deep/inside.md': GOOD,
  })
  mkdirSync(garden.path('.ralph/knowledge/folder.md'))
  symlinkSync(garden.path('secret.md'), garden.path('.ralph/knowledge/link.md'))
  const { files, broken, taken } = readKnowledge(root)
  expect(files.map(({ name }) => name)).toEqual(['A.MD', 'b.md'])
  expect(broken.map(brokenWords)).toEqual([
    '.ralph/knowledge/bad.md, line 3: it has no tags: [a, b]',
    '.ralph/knowledge/folder.md: it is no file',
    '.ralph/knowledge/large.md: it is larger than 64 KB',
    '.ralph/knowledge/link.md: it is a link, and links are not followed here',
  ])
  expect(taken).toHaveLength(8)
  const recalled = recallFrom(root, { text: 'the parser', feature: null }, 0)
  expect([recalled.entries.map(({ from }) => from), recalled.remarks.length]).toEqual([
    ['.ralph/knowledge/A.MD', '.ralph/knowledge/b.md'],
    4,
  ])
})

test('without the folder nothing is known; a file is written whole and for everybody to read', () => {
  const garden = aFolder()
  const { root } = garden
  expect(readKnowledge(root)).toEqual({ files: [], broken: [], taken: [] })
  writeKnowledge(root, 'good.md', GOOD)
  expect(readFileSync(garden.path('.ralph/knowledge/good.md'), 'utf8')).toBe(GOOD)
  removeKnowledge(root, 'good.md')
  expect(readdirSync(garden.path('.ralph/knowledge'))).toEqual([])
})

test.each(['.ralph', '.ralph/knowledge', '.ralph/knowledge/good.md'])(
  'nothing goes through a link at %s',
  (at) => {
    const garden = aFolder()
    const { root } = garden
    const outside = aFolder({ 'good.md': 'untouched', 'knowledge/good.md': 'untouched' })
    mkdirSync(garden.path(at.split('/').slice(0, -1).join('/') || '.'), { recursive: true })
    symlinkSync(at.endsWith('.md') ? outside.path('good.md') : outside.root, garden.path(at))
    expect(() => writeKnowledge(root, 'good.md', GOOD)).toThrow(/is a link/)
    expect(() => removeKnowledge(root, 'good.md')).toThrow(/is a link/)
    expect(readKnowledge(root).files).toEqual([])
    expect(readFileSync(outside.path('good.md'), 'utf8')).toBe('untouched')
    expect(readFileSync(outside.path('knowledge/good.md'), 'utf8')).toBe('untouched')
  },
)
