import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { NO_OP_MASKER } from '../system/mask/mask.ts'
import type { PreparedPageSave } from '../core/memory/prepare-page-save.ts'
import { preparePageSave } from '../core/memory/prepare-page-save.ts'
import {
  describeBrokenFile,
  readKnowledge,
  recallProjectKnowledge,
  removeKnowledge,
  replaceKnowledgeIfUnchanged,
  writeKnowledge,
} from './knowledge-files.ts'
import { aFolder, removeTestProjects } from '../../test/kit/workspace.ts'

afterAll(removeTestProjects)

const AT = '2026-03-01T00:00:00.000Z'
const SAYING = { at: AT, feature: null, by: 'agent' } as const
const GOOD = '---\ntitle: "Good"\ntags: [parser]\n---\n\nBody.\n'

test('what can be read is read in the order of its names; all else is told with its line, and stays', () => {
  const testProject = aFolder({ 'secret.md': GOOD })
  const { root } = testProject
  testProject.write({
    '.ralph/knowledge/b.md': GOOD,
    '.ralph/knowledge/A.MD': GOOD,
    '.ralph/knowledge/bad.md': '---\ntitle: "x"\ntags: []\n---\n',
    '.ralph/knowledge/large.md': `${GOOD}${'x'.repeat(64 * 1024)}`,
    '.ralph/knowledge/notes.txt': 'no entry',
    '.ralph/knowledge/.#b.md': 'an editor has it open',
    '.ralph/knowledge/deep/inside.md': GOOD,
  })
  mkdirSync(testProject.path('.ralph/knowledge/folder.md'))
  symlinkSync(testProject.path('secret.md'), testProject.path('.ralph/knowledge/link.md'))
  const { files, broken, taken } = readKnowledge(root)
  expect(files.map(({ name }) => name)).toEqual(['A.MD', 'b.md'])
  expect(broken.map(describeBrokenFile)).toEqual([
    '.ralph/knowledge/bad.md, line 3: it has no tags; add tags: [a, b]',
    '.ralph/knowledge/folder.md: it is not a file',
    '.ralph/knowledge/large.md: it is larger than 64 KB',
    '.ralph/knowledge/link.md: it is a link; Ralph does not follow links here',
  ])
  expect(taken).toHaveLength(9)
  const recalled = recallProjectKnowledge(root, { text: 'the parser', feature: null }, { at: 0, mask: NO_OP_MASKER })
  expect([recalled.entries.map(({ from }) => from), recalled.remarks.length]).toEqual([
    ['.ralph/knowledge/A.MD', '.ralph/knowledge/b.md'],
    4,
  ])
})

test('without the folder nothing is known; a file is written whole and for everybody to read', () => {
  const testProject = aFolder()
  const { root } = testProject
  expect(readKnowledge(root)).toEqual({ files: [], broken: [], taken: [] })
  writeGood(root)
  expect(readFileSync(testProject.path('.ralph/knowledge/good.md'), 'utf8')).toContain('Body.')
  removeKnowledge(root, 'good.md')
  expect(readdirSync(testProject.path('.ralph/knowledge'))).toEqual([])
})

test.each(['.ralph', '.ralph/knowledge', '.ralph/knowledge/good.md'])('nothing goes through a link at %s', (at) => {
  const testProject = aFolder()
  const { root } = testProject
  const outside = aFolder({ 'good.md': 'untouched', 'knowledge/good.md': 'untouched' })
  mkdirSync(testProject.path(at.split('/').slice(0, -1).join('/') || '.'), { recursive: true })
  symlinkSync(at.endsWith('.md') ? outside.path('good.md') : outside.root, testProject.path(at))
  expect(() => writeGood(root)).toThrow(/is a link/)
  expect(() => removeKnowledge(root, 'good.md')).toThrow(/is a link/)
  expect(readKnowledge(root).files).toEqual([])
  expect(readFileSync(outside.path('good.md'), 'utf8')).toBe('untouched')
  expect(readFileSync(outside.path('knowledge/good.md'), 'utf8')).toBe('untouched')
})

function writeGood(root: string): PreparedPageSave {
  const said = { title: 'Good', tags: ['parser'], body: 'Body.' }
  return writeKnowledge(root, () => preparePageSave({ files: [], taken: [] }, said, SAYING))
}

test('where somebody else is quicker nothing is written over: it is placed anew', () => {
  const testProject = aFolder()
  const { root } = testProject
  const before = readKnowledge(root)
  const say = (tag: string, title: string, seen = before): PreparedPageSave => {
    let looks = 0
    return writeKnowledge(root, (there) =>
      preparePageSave(looks++ === 0 ? seen : there, { title, tags: [tag], body: tag }, SAYING),
    )
  }
  expect([say('x', 'A page'), say('z', 'A-page')]).toMatchObject([{ name: 'a-page.md' }, { name: 'a-page-2.md' }])
  const then = readKnowledge(root)
  testProject.write({
    '.ralph/knowledge/a-page.md': '---\ntitle: A page\ntags: [y]\nmine: kept\n---\nBy hand.\n',
  })
  expect(say('w', 'A page', then)).toMatchObject({
    name: 'a-page.md',
    was: { body: 'By hand.' },
    entry: { tags: ['y', 'w'], others: ['mine: kept'], body: 'By hand.', told: 'w' },
  })
})

test('a file in place of the folder is told, and stays', () => {
  const { root } = aFolder({ '.ralph/knowledge': 'mine' })
  expect(readKnowledge(root).broken.map(describeBrokenFile)).toEqual(['.ralph/knowledge: it is not a folder'])
  expect(() => writeGood(root)).toThrow('.ralph/knowledge is not a folder')
})

test.each([
  ['---\ntitle: A\ntags: [b]\n---\nBody', `---\ntitle: A\ntags: [b]\nupdated_at: "${AT}"\n---\nBody`],
  [
    '---\r\n# mine\r\nupdated_at: x\r\ntitle: A\r\ntags: [b]\r\n---\r\nupdated_at: y',
    `---\r\n# mine\r\nupdated_at: "${AT}"\r\ntitle: A\r\ntags: [b]\r\n---\r\nupdated_at: y`,
  ],
])('what was changed by hand is young again, and all else stays: %#', (text, renewed) => {
  const testProject = aFolder({ '.ralph/knowledge/a.md': 'before' })
  const edited = { was: Buffer.from('before'), now: Buffer.from(text), at: AT }
  expect(replaceKnowledgeIfUnchanged(testProject.root, 'a.md', edited)).toBe(true)
  expect(readFileSync(testProject.path('.ralph/knowledge/a.md'), 'utf8')).toBe(renewed)
})
