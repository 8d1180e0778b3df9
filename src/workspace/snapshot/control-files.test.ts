import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { syncControlFiles } from './control-files.ts'

function aProject() {
  const base = mkdtempSync(join(tmpdir(), 'ralph-control-'))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const files = {
    root: join(base, 'project'),
    copies: join(base, 'copies'),
    paths: ['.ralph/PROMPT.md', '.ralph.toml', '.ralph/AGENT.md'],
  }
  mkdirSync(join(files.root, '.ralph'), { recursive: true })
  writeFileSync(join(files.root, '.ralph/PROMPT.md'), 'do it')
  writeFileSync(join(files.root, '.ralph.toml'), '# mine')
  return files
}

test('a file that was there and is gone is reverted, with its folder', () => {
  const files = aProject()
  expect(syncControlFiles(files)).toEqual([])
  rmSync(join(files.root, '.ralph'), { recursive: true })
  expect(syncControlFiles(files)).toEqual(['.ralph/PROMPT.md'])
  expect(readFileSync(join(files.root, '.ralph/PROMPT.md'), 'utf8')).toBe('do it')
})

test('a file that never was there is not missed, and one that a person edits is kept as it is', () => {
  const files = aProject()
  syncControlFiles(files)
  writeFileSync(join(files.root, '.ralph/PROMPT.md'), 'do something else')
  expect(syncControlFiles(files)).toEqual([])
  rmSync(join(files.root, '.ralph/PROMPT.md'))
  syncControlFiles(files)
  expect(readFileSync(join(files.root, '.ralph/PROMPT.md'), 'utf8')).toBe('do something else')
})
