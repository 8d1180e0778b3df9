import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTempFolder, removeFolder, writeLoose } from '../../system/files/files.ts'
import { editOnTerminal } from './edit.ts'

test('the editor that is set gets the file, with words of its own; what goes wrong names the file', async () => {
  const root = makeTempFolder('ralph-edit-')
  const env = { PATH: process.env['PATH'] }
  try {
    writeLoose(join(root, 'a b.md'), 'old\n')
    await editOnTerminal(root, 'a b.md', { ...env, VISUAL: ' ', EDITOR: `sh -c 'echo new >> "$0"'` })
    expect(readFileSync(join(root, 'a b.md'), 'utf8')).toBe('old\nnew\n')
    for (const [editor, told] of [
      [undefined, 'no editor is set'],
      ['no-such-editor-here', 'cannot be started: no-such-editor-here'],
      [`sh -c 'kill -9 $$'`, 'a signal ended it'],
      ['false', 'exit code 1'],
      ['vi "$(x)', 'no plain command'],
    ])
      await expect(editOnTerminal(root, 'a b.md', { ...env, EDITOR: editor })).rejects.toMatchObject({
        message: expect.stringContaining(told ?? '') as unknown,
        hint: expect.stringContaining('a b.md') as unknown,
      })
  } finally {
    removeFolder(root)
  }
})
