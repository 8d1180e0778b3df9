import { describe, expect, test } from 'vitest'
import {
  type ArchiveEntry,
  type ArchiveTree,
  diffTrees,
  treeWithPathsFrom,
  parseListing,
  serializeListing,
} from './tree-listing.ts'

function aFile(text: string, more: Partial<ArchiveEntry> = {}): ArchiveEntry {
  return { hash: text.padEnd(64, '0'), size: text.length, mode: 'file', kept: true, ...more }
}

function aTree(files: Record<string, string | ArchiveEntry>): ArchiveTree {
  return new Map(Object.entries(files).map(([path, file]) => [path, typeof file === 'string' ? aFile(file) : file]))
}

describe('differences', () => {
  test('are told path by path, in order', () => {
    const a = aTree({ a: '1', b: '2', c: aFile('3') })
    const b = aTree({ a: '1', b: '9', c: aFile('3', { mode: 'exec' }), '0': '4' })
    expect(diffTrees(a, b)).toEqual([
      { path: '0', kind: 'added' },
      { path: 'b', kind: 'changed' },
      { path: 'c', kind: 'changed' },
    ])
    expect(diffTrees(b, a)[0]).toEqual({ path: '0', kind: 'deleted' })
  })

  test('what is the same but kept now is not changed', () => {
    expect(diffTrees(aTree({ a: aFile('1') }), aTree({ a: aFile('1', { kept: false }) }))).toEqual([])
  })
})

describe('a listing', () => {
  test('holds any name', () => {
    const tree = aTree({
      '-rf': '1',
      'a b': '2',
      'large x': aFile('large 1-2-3-4', { hash: 'large 1-2-3-4', kept: false }),
      'line\nbreak"\'': '3',
      'ünï/😀': '4',
    })
    const { id, text } = serializeListing(tree)
    expect(parseListing(text)).toEqual(tree)
    expect(id).toMatch(/^w:[0-9a-f]{64}$/)
  })

  test('that is none is not read', () => {
    expect(parseListing('file 1 kept')).toBeNull()
    expect(parseListing('')).toEqual(new Map())
  })
})

describe('a base that moves', () => {
  test('takes over what changed and leaves the rest', () => {
    const { tree, moved } = treeWithPathsFrom(aTree({ mine: 'base', same: 'base', gone: 'base' }), {
      paths: ['fresh', 'gone', 'mine'],
      to: aTree({ mine: '2', same: '1', fresh: '3' }),
    })
    expect(tree).toEqual(aTree({ fresh: '3', mine: '2', same: 'base' }))
    expect([...tree.keys()]).toEqual(['fresh', 'mine', 'same'])
    expect(moved).toEqual(['fresh', 'gone', 'mine'])
  })

  test('holds no file and folder of one name', () => {
    const folder = treeWithPathsFrom(aTree({ a: '1' }), { paths: ['a/b/c'], to: aTree({ 'a/b/c': '2' }) })
    expect(folder).toEqual({ tree: aTree({ 'a/b/c': '2' }), moved: ['a', 'a/b/c'] })
    const file = treeWithPathsFrom(aTree({ 'a/b/c': '1', 'a.x': '1' }), {
      paths: ['a'],
      to: aTree({ a: '2' }),
    })
    expect(file).toEqual({ tree: aTree({ a: '2', 'a.x': '1' }), moved: ['a', 'a/b/c'] })
  })
})
