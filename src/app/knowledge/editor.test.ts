import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTempFolder, removeFolder, writeWithoutSync } from '../../system/files/files.ts'
import { openEditor } from './editor.ts'
import { addKnowledge, editKnowledge, findKnowledgeFile } from './knowledge.ts'

test('the editor that is set gets the file, with words of its own; what goes wrong names the file', async () => {
  const root = makeTempFolder('ralph-edit-')
  const env = { PATH: process.env['PATH'] }
  try {
    writeWithoutSync(join(root, 'a b.md'), 'old\n')
    await openEditor(join(root, 'a b.md'), 'a b.md', {
      ...env,
      VISUAL: ' ',
      EDITOR: `sh -c 'echo new >> "$0"'`,
    })
    expect(readFileSync(join(root, 'a b.md'), 'utf8')).toBe('old\nnew\n')
    for (const [editor, told] of [
      [undefined, 'no editor is set'],
      ['no-such-editor-here', 'cannot be started: no-such-editor-here'],
      [`sh -c 'kill -9 $$'`, 'a signal ended it'],
      ['false', 'exit code 1'],
      ['vi "$(x)', 'not a plain command'],
    ])
      await expect(openEditor(join(root, 'a b.md'), 'a b.md', { ...env, EDITOR: editor })).rejects.toMatchObject({
        message: expect.stringContaining(told ?? '') as unknown,
        hint: expect.stringContaining('a b.md') as unknown,
      })
  } finally {
    removeFolder(root)
  }
})

test('a page that somebody writes while the editor is open is not lost to a save, nor is what was typed', async () => {
  const root = makeTempFolder('ralph-edit-')
  try {
    const said = (body: string) => ({ title: 'Parser', tags: ['parser'], body })
    const add = (body: string) => addKnowledge(root, said(body), { feature: null, replace: true })
    const { file } = add('Old.')
    const page = () => readFileSync(join(root, file), 'utf8')
    const edit = (change: (copy: string) => void) =>
      editKnowledge(root, findKnowledgeFile(root, 'parser'), async (copy) => change(copy))
    const save = (copy: string) => writeWithoutSync(copy, readFileSync(copy, 'utf8').replace('Old.', 'Typed.'))
    let copied = ''
    const proofGap = edit((copy) => {
      add('Theirs. Old.')
      save((copied = copy))
    })
    await expect(proofGap).rejects.toMatchObject({ code: 'changed-meanwhile' })
    expect([page(), readFileSync(copied, 'utf8')]).toEqual([
      expect.stringContaining('Theirs. Old.'),
      expect.stringContaining('Typed.'),
    ])
    removeFolder(dirname(copied))
    expect(await edit(save)).toBe(null)
    expect(page()).toContain('Theirs. Typed.')
  } finally {
    removeFolder(root)
  }
})
