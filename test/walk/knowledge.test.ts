/** What the project knows, as people write it down, and what a task is told of it. */
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { KnowledgeFacts } from '../../src/app/knowledge/knowledge.ts'
import type { PromptPreview } from '../../src/app/doctor/prompt-preview.ts'
import { hasTmux, openTmux } from '../tmux.ts'
import { projectWithTasks, runCommand } from './task-commands.ts'

const RALPH = `${process.execPath} ${fileURLToPath(new URL('../../bin/ralph.cjs', import.meta.url))}`

test('nothing, then two entries that link, shown, changed, checked and removed', async () => {
  const made = await projectWithTasks([{ id: 't-p', title: 'Mend the parser' }])
  const knowledge = (...words: string[]) => runCommand(made, 'knowledge', ...words)
  const json = async <T>(...words: string[]) => JSON.parse((await knowledge(...words, '--json')).out) as T
  expect((await knowledge()).out).toContain('ralph knowledge add "Title" --tag TAG')
  expect([(await knowledge('check')).out, await json('list')]).toEqual(['0 entries, all valid.\n', []])

  const quirks = ['add', 'Parser', 'quirks', '-t', 'Parser', '-b', 'Skip empty files. See [[Files]].']
  expect(await knowledge(...quirks)).toEqual({ code: 0, out: '.ralph/knowledge/parser-quirks.md\n', err: '' })
  await made.write('files.md', 'They end in a line.\n')
  const files = await knowledge('add', 'Files', '--tag', 'disk, Files', '--from', 'files.md', '--feature', 'import')
  expect([files.code, made.has('.ralph/knowledge/files.md')]).toEqual([0, true])
  expect((await knowledge('list')).out).toBe(
    'Files  [disk, files]  .ralph/knowledge/files.md\nParser quirks  [parser]  .ralph/knowledge/parser-quirks.md\n',
  )
  expect((await json<KnowledgeFacts[]>('list', '--tag', 'disk')).map(({ title }) => title)).toEqual(['Files'])
  expect((await knowledge('show', 'PARSER q')).out).toMatch(/links to +Files\n[^]*Skip empty files/)
  expect(await json('show', 'files.md')).toMatchObject({
    linked_from: ['Parser quirks'],
    feature: 'import',
    old: false,
  })

  // Whoever works on the parser is told both: one by its tag, one by the link.
  const inspected = await runCommand(made, 'inspect', 'prompt', 'p', '--json')
  const part = (JSON.parse(inspected.out) as PromptPreview).parts.find(({ name }) => name === 'knowledge')
  expect(part?.from).toEqual(['.ralph/knowledge/files.md', '.ralph/knowledge/parser-quirks.md'].toReversed())

  const again = await knowledge('add', 'parser QUIRKS', '--tag', 'lexer', '--body', 'Other.')
  expect([again.code, again.err]).toEqual([2, expect.stringContaining('has that title already')])
  const replaced = await json<KnowledgeFacts>('add', 'Parser quirks', '--tag', 'lexer', '--body', 'Other.', '--replace')
  expect([replaced.file, replaced.tags]).toEqual(['.ralph/knowledge/parser-quirks.md', ['parser', 'lexer']])

  const asked = await knowledge('rm', 'files')
  expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('--yes')])
  expect([(await knowledge('rm', 'files', '--yes')).code, made.has('.ralph/knowledge/files.md')]).toEqual([0, false])
})

test('reports a broken page with its line, skips it and never overwrites it', async () => {
  const made = await projectWithTasks([{ id: 't-p', title: 'Mend the parser' }])
  const knowledge = (...words: string[]) => runCommand(made, 'knowledge', ...words)
  const broken = '---\ntitle: "Parser"\ntags: []\n---\nMine.\n'
  await made.write('.ralph/knowledge/parser.md', broken)
  await made.write('.ralph/knowledge/old.md', '---\ntitle: Old\ntags: [x]\ncreated_at: 2020-01-01\n---\n[[gone]]\n')
  const list = await knowledge('list')
  expect([list.code, list.err]).toEqual([0, '.ralph/knowledge/parser.md, line 3: it has no tags; add tags: [a, b]\n'])
  const check = await knowledge('check')
  expect(check.code).toBe(1)
  expect(check.out.replace(/\d{4} days/, 'N days'))
    .toBe(`✗ .ralph/knowledge/parser.md:3  it has no tags; add tags: [a, b]
· .ralph/knowledge/old.md  [[gone]] links to no page
· .ralph/knowledge/old.md  not changed for N days; check that it is still true
1 entry valid; 3 remarks.
Fix one: ralph knowledge edit parser.md
`)
  const show = await knowledge('show', 'parser')
  expect([show.code, show.err]).toEqual([1, expect.stringContaining('Fix it: ralph knowledge edit parser.md')])
  const added = await knowledge('add', 'Parser', '--tag', 'parser', '--body', 'New.')
  expect([added.out, await made.read('.ralph/knowledge/parser.md')]).toEqual(['.ralph/knowledge/parser-2.md\n', broken])
  const inspected = await runCommand(made, 'inspect', 'prompt', 'p')
  expect(inspected.out).toMatch(/^knowledge +\d+ +1500 +\.ralph\/knowledge\/parser-2\.md$/m)
  expect(inspected.out).toContain('.ralph/knowledge/parser.md, line 3: it has no tags')

  // By now there is a title like that name; the broken one is named by its file.
  expect((await knowledge('show', 'parser')).out).toContain('New.')
  const edit = await knowledge('edit', 'parser.md')
  expect([edit.code, edit.err]).toEqual([
    2,
    expect.stringContaining('Edit the file directly: .ralph/knowledge/parser.md'),
  ])
  for (const name of ['twin-a.md', 'twin-b.md'])
    await made.write(`.ralph/knowledge/${name}`, '---\ntitle: Twin\ntags: [y]\n---\nBody.\n')
  for (const [words, code, told] of [
    [['rm', 'twin', '--yes'], 2, 'Twin  .ralph/knowledge/twin-b.md'],
    [['show', 'nothing'], 1, 'no page is named "nothing"'],
    [['show', ''], 1, 'no page is named'],
    [['add', 'x', '--tag', 'y'], 2, 'the body is empty'],
    [['add', 'x', '--body', 'y'], 2, 'a tag is missing'],
    [['add', '..', '--tag', 'y', '--body', 'w '.repeat(501)], 2, 'it has 501 words; the limit is 500'],
    [['add', 'x', '--tag', 'y', '--body', 'z', '--from', 'f'], 2, 'cannot be combined'],
    [['add', 'x', '--tag', 'y', '--from', 'absent.md'], 1, 'absent.md'],
  ] as const) {
    const heard = await knowledge(...words)
    expect([heard.code, heard.out, heard.err]).toEqual([code, '', expect.stringContaining(told)])
  }
})

test.skipIf(!(await hasTmux()))(
  'on a terminal edit opens the editor, and tells what it left broken; rm asks',
  async () => {
    const made = await projectWithTasks([])
    await runCommand(made, 'knowledge', 'add', 'Parser', '--tag', 'parser', '--body', 'Old.')
    // As a Ctrl+C that the editor has a use for: all on the terminal get the signal.
    await made.write('editor.sh', 'trap "" INT; kill -INT 0; sed -i.bak "s/$1/$2/" "$3"\n')
    const tmux = await openTmux(made)
    const edit = (from: string, to: string): string =>
      `EDITOR="sh editor.sh '${from}' '${to}'" ${RALPH} knowledge edit parser; echo "code $?"`
    await tmux.type(edit('Old', 'New'), 'Enter')
    await tmux.shows(/knowledge\/parser\.md\s+code 0/)
    expect(await made.read('.ralph/knowledge/parser.md')).toContain('New.')
    expect(await made.read('.ralph/knowledge/parser.md')).toContain('updated_at: ')
    await tmux.type(edit('^tags.*', ''), 'Enter')
    await tmux.shows(/it has no tags(.|\n)*ralph knowledge edit parser\.md(.|\n)*code 1/)
    await tmux.type(`${RALPH} knowledge rm parser; echo "code $?"`, 'Enter')
    await tmux.shows('Remove?')
    await tmux.type('y')
    await tmux.shows('parser.md was removed.')
  },
)
