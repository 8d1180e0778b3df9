import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeTempFolder, removeFolder } from './files.ts'
import { readInsideFolder } from './read-inside.ts'

function aProject(): string {
  const base = makeTempFolder('ralph-inside-')
  onTestFinished(() => removeFolder(base))
  const root = join(base, 'project')
  mkdirSync(join(root, 'docs'), { recursive: true })
  writeFileSync(join(base, 'secret.md'), 'secret')
  writeFileSync(join(root, 'docs', 'spec.md'), 'Größe: äöü')
  writeFileSync(join(root, 'latin.md'), Buffer.from([0x47, 0x0a, 0x72, 0xf6, 0xdf, 0x65]))
  writeFileSync(join(root, 'binary.md'), Buffer.from([1, 0, 2]))
  symlinkSync(join(base, 'secret.md'), join(root, 'out.md'))
  symlinkSync(base, join(root, 'up'))
  symlinkSync('docs/spec.md', join(root, 'in.md'))
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', join(root, 'pipe.md')])
  return root
}

test.each([
  ['docs/spec.md', { is: 'read', text: 'Größe: äöü', whole: true }],
  ['in.md', { is: 'read', text: 'Größe: äöü', whole: true }],
  ['none.md', { is: 'unread', why: 'does not exist' }],
  ['', { is: 'unread', why: 'leads outside the project' }],
  ['docs', { is: 'unread', why: 'is not a file' }],
  ['pipe.md', { is: 'unread', why: 'is not a file' }],
  ['out.md', { is: 'unread', why: 'leads outside the project' }],
  ['up/secret.md', { is: 'unread', why: 'leads outside the project' }],
  ['../secret.md', { is: 'unread', why: 'leads outside the project' }],
  ['/etc/passwd', { is: 'unread', why: 'leads outside the project' }],
  ['latin.md', { is: 'unread', why: 'is not UTF-8 text', line: 2 }],
  ['binary.md', { is: 'unread', why: 'is not UTF-8 text', line: 1 }],
])('%s', (path, expected) => {
  expect(readInsideFolder(aProject(), path, { max: 1_000 })).toEqual(expected)
})

test('a large one is read as far as asked, and never half a character', () => {
  expect(readInsideFolder(aProject(), 'docs/spec.md', { max: 3 })).toEqual({
    is: 'read',
    text: 'Gr',
    whole: false,
  })
})

test('a name with a null character is only a name that is not there', () => {
  expect(readInsideFolder(aProject(), 'a\0b', { max: 3 })).toMatchObject({ is: 'unread' })
})
