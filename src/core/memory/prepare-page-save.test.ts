import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ageInDays,
  isStalePage,
  parseKnowledgePage,
  renderKnowledgePage,
  type KnowledgePage,
} from './knowledge-page.ts'
import { findSimilarPagePairs, preparePageSave, type KnowledgeFolder } from './prepare-page-save.ts'
import { bodyProblem, truncateBody, tagsProblem, pageTitleProblem } from './knowledge-limits.ts'
import { linksIn, matchPages, type KnowledgeFile } from './match-pages.ts'
import { parseRecalledKnowledge, recallPages } from './recall.ts'
import { fileSlugOf } from './slug.ts'
import { fullPageText } from './page-authors.ts'

const NOW = '2026-03-01T00:00:00.000Z'

function entry(title: string, said: Partial<KnowledgePage> = {}): KnowledgePage {
  return {
    title,
    tags: ['parser'],
    feature: null,
    createdAt: '2026-02-01T00:00:00.000Z',
    updatedAt: null,
    body: 'Words.',
    told: null,
    others: [],
    ...said,
  }
}

function file(title: string, said: Partial<KnowledgePage> = {}): KnowledgeFile {
  return { name: `${fileSlugOf(title)}.md`, entry: entry(title, said) }
}

function folder(...files: KnowledgeFile[]): KnowledgeFolder {
  return { files, taken: files.map(({ name }) => name) }
}

describe('a file', () => {
  test('of the Rust tool is read, and what we do not know stays', () => {
    const text = `---
title: "Parser quirks"
tags: [Parser, "empty files"]
feature: "import"
created_at: "2026-02-01T00:00:00Z"
aliases: [x]
---

Empty files --- are no files.
---
More.
`
    const read = parseKnowledgePage(text)
    expect(read).toEqual({
      is: 'read',
      entry: {
        title: 'Parser quirks',
        tags: ['parser', 'empty files'],
        feature: 'import',
        createdAt: '2026-02-01T00:00:00Z',
        updatedAt: null,
        body: 'Empty files --- are no files.\n---\nMore.',
        told: null,
        others: ['aliases: [x]'],
      },
    })
    if (read.is === 'read') expect(parseKnowledgePage(renderKnowledgePage(read.entry))).toEqual(read)
  })

  test.each([
    ['\uFEFF---\r\ntitle: A\r\ntags: b\r\n---\r\nBody\r\n', 'A', ['b'], 'Body'],
    ["\n\n---\ntitle: 'A'\ntags:\n  - b\n  - 'C'\nmore: x\n---\nBody", 'A', ['b', 'c'], 'Body'],
    ['---\ntitle: "say "hi""\ntags: [日本語]\n---', 'say "hi"', ['日本語'], ''],
    ['---\nTitle: "say \\"hi\\" \\\\"\nTags: [a] # mine\n---', 'say "hi" \\', ['a'], ''],
    ["---\ntitle: 'it''s'\ntags:\n  - a # why\n  - 'b'\n---", "it's", ['a', 'b'], ''],
    ['---\ntitle: >-\n  Two\n  lines\ntags: [a,\n  b,\n  c]\nmine: x\n---', 'Two lines', ['a', 'b', 'c'], ''],
    ['---\ntags: [a, b\ntitle: "C:\\new" \n---', 'C:\\new', ['a', 'b'], ''],
    ['---\ntitle: #1\ntags: c#, d # e\n---', '#1', ['c#', 'd'], ''],
  ])('%j', (text, title, tags, body) => {
    const read = parseKnowledgePage(text)
    expect(read.is === 'read' ? [read.entry.title, read.entry.tags, read.entry.body] : read).toEqual([
      title,
      tags,
      body,
    ])
  })

  test.each([
    ['', 1, 'it does not start with front matter (a line ---)'],
    ['# Title\n', 1, 'it does not start with front matter (a line ---)'],
    ['\n\ntitle: x\n', 3, 'it does not start with front matter (a line ---)'],
    ['---\ntitle: x\ntags: [a]\n', 1, 'its front matter does not end'],
    ['---\ntitle: x --- y\ntags: [a]\n----\n', 1, 'its front matter does not end'],
    ['---\ntags: [a]\n---\n', 1, 'it has no title'],
    ['---\ntags: [a]\ntitle: ""\n---\n', 3, 'it has no title'],
    ['---\ntitle: x\n---\n', 1, 'it has no tags'],
    ['\n---\ntitle: x\ntags: [ , ]\n---\n', 4, 'it has no tags'],
    ['---\ntitle: x\ntags: [a]\ntags: [b]\n---\n', 4, 'it sets tags twice'],
  ])('%j is broken in line %i', (text, line, why) => {
    expect(parseKnowledgePage(text)).toEqual({
      is: 'broken',
      line,
      why: expect.stringContaining(why) as unknown,
    })
  })

  test('that we wrote is read as it was, whatever stands in it', () => {
    const line = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(
        line,
        fc.array(line, { minLength: 1, maxLength: 3 }),
        fc.string({ maxLength: 200 }),
        (title, tags, body) => {
          for (const by of ['agent', 'person'] as const) {
            const placed = preparePageSave(folder(), { title, tags, body }, { at: NOW, feature: null, by })
            if (placed.is !== 'written') return
            expect(parseKnowledgePage(placed.text)).toEqual({ is: 'read', entry: placed.entry })
          }
        },
      ),
    )
  })

  test('never throws, whatever it is', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseKnowledgePage(`---\n${text}`)))
  })
})

describe('a name', () => {
  test.each([
    ['Parser Quirks!', 'parser-quirks'],
    ['../../etc/passwd', 'etc-passwd'],
    ['日本語 の メモ', '日本語-の-メモ'],
    ['!!!', 'entry'],
    ['…', 'entry'],
    ['x'.repeat(200), 'x'.repeat(80)],
    ['é'.repeat(100), 'é'.repeat(40)],
    ['日'.repeat(100), '日'.repeat(26)],
    [`${'x'.repeat(78)} yz`, `${'x'.repeat(78)}-y`],
    [`${'x'.repeat(79)} yz`, 'x'.repeat(79)],
  ])('from %j is %j', (title, slug) => {
    expect(fileSlugOf(title)).toBe(slug)
  })

  test('never ends inside a character', () => {
    const slug = fileSlugOf('क्षि'.repeat(40))
    expect(slug.length % 'क्षि'.length).toBe(0)
    expect(new TextEncoder().encode(slug).length).toBeLessThanOrEqual(80)
  })
})

describe('what belongs to a task', () => {
  const titles = (files: KnowledgeFile[]): string[] => files.map(({ entry: { title } }) => title)

  test.each([
    ['parsers, and more', ['a'], ['parser']],
    ['Error handling in Go.', ['a'], ['error-handling']],
    ['Error handling in Go.', ['a'], ['go']],
    ['written in C++', ['a'], ['c++']],
    ['written in C', [], ['c++']],
    ['修复登录页面', ['a'], ['登录页']],
    ['ແກ້ຕົວວິເຄາະຄຳ', ['a'], ['ວິເຄາະ']],
    ['nothing of it', [], ['parser']],
    ['gopher', [], ['go']],
  ])('%j finds %j by %j', (text, found, tags) => {
    expect(titles(matchPages([file('a', { tags })], { text, feature: null }))).toEqual(found)
  })

  test('more tags come first, and the name of its feature counts', () => {
    const files = [
      file('one', { tags: ['parser'] }),
      file('two', { tags: ['parser', 'empty'] }),
      file('of it', { tags: ['other'], feature: 'Import' }),
      file('none', { tags: ['other'] }),
      file('tagged', { tags: ['import', 'parser', 'empty'] }),
    ]
    const about = { text: 'The parser and empty files', feature: 'import' }
    expect(titles(matchPages(files, about))).toEqual(['tagged', 'two', 'one', 'of it'])
  })

  test('links lead two steps, both ways, and a circle ends', () => {
    const files = [
      file('far', { tags: ['x'], body: '' }),
      file('third', { tags: ['x'], body: '[[Far]]' }),
      file('start', { tags: ['parser'], body: 'See [[ SECOND ]], [[nowhere]] and [[start]].' }),
      file('second', { tags: ['x'], body: '[[third]] [[start]]' }),
      file('back', { tags: ['x'], body: 'from [[start]]' }),
    ]
    expect(titles(matchPages(files, { text: 'parser', feature: null }))).toEqual(['start', 'second', 'back', 'third'])
    const linked = (body: string): string[][] => linksIn(body).map((link) => link.titles)
    expect(linked('[[a]] [[ A ]] [[]] [[b\nc]] [[[d]]]')).toEqual([['a'], ['d']])
    expect(linked('`[[b]]` [[a]]\n```sh\nif [[ -f x ]]; then\n```\n[[c]]\n~~~\n[[d]]')).toEqual([['a'], ['c']])
  })

  test('a link with other words, or to a part, leads to the title; a title may have these signs itself', () => {
    const files = [
      file('first', {
        tags: ['x'],
        body: '[[Other|that one]] [[C# rules]] [[Third#Its part|there]] [[|]] [[#top]]',
      }),
      ...['Other', 'C# rules', 'C', 'Third'].map((title) => file(title, { tags: ['none'] })),
    ]
    expect(matchPages(files, { text: 'x', feature: null }).map(({ entry: { title } }) => title)).toEqual([
      'first',
      'Other',
      'C# rules',
      'Third',
    ])
  })

  test('of equals what a person wrote comes first', () => {
    const files = [file('a', { body: '', told: 'x' }), file('b')]
    expect(matchPages(files, { text: 'parser', feature: null }).map(({ name }) => name)).toEqual(['b.md', 'a.md'])
  })

  test('is recalled with its age where it is old, and read as it was kept', () => {
    const files = [file('old', { createdAt: '2025-01-01T00:00:00Z' }), file('new')]
    const entries = recallPages(
      files,
      { text: 'parser', feature: null },
      { at: Date.parse(NOW), pathOf: (name) => name },
    )
    expect(entries.map(({ from, old }) => [from, old])).toEqual([
      ['old.md', 424],
      ['new.md', null],
    ])
    const kept = { entries, remarks: ['x'] }
    expect(parseRecalledKnowledge(JSON.stringify(kept))).toEqual(kept)
    expect(parseRecalledKnowledge('{"entries": 3}')).toBeNull()
  })
})

test('an entry is old when nobody touched it for a quarter of a year; without a date nobody knows', () => {
  const at = Date.parse(NOW)
  expect(isStalePage(entry('a', { createdAt: '2025-01-01', updatedAt: '2026-02-01' }), at)).toBe(false)
  expect(isStalePage(entry('a', { createdAt: '2025-11-30T00:00:00Z' }), at)).toBe(true)
  expect(isStalePage(entry('a', { createdAt: '2025-12-01T00:00:00Z' }), at)).toBe(false)
  expect(ageInDays(entry('a', { createdAt: 'once' }), at)).toBeNull()
  expect(ageInDays(entry('a', { createdAt: '2999-01-01' }), at)).toBe(0)
})

describe('what is learnt', () => {
  const said = (title: string, tags: string[], body = 'New.') => ({ title, tags, body })
  const place = (there: KnowledgeFolder, what: ReturnType<typeof said>, feature: string | null = null) =>
    preparePageSave(there, what, { at: NOW, feature, by: 'agent' })
  const written = (there: KnowledgeFolder, what: ReturnType<typeof said>): KnowledgePage => {
    const placed = place(there, what)
    if (placed.is !== 'written') throw new Error('not written')
    expect(parseKnowledgePage(placed.text)).toEqual({ is: 'read', entry: placed.entry })
    return placed.entry
  }

  test('about something new gets a file of its own', () => {
    expect(place(folder(), said(' Parser \n quirks ', ['Parser', 'parser']), 'import')).toEqual({
      is: 'written',
      name: 'parser-quirks.md',
      text: `---
title: "Parser quirks"
tags: [parser]
feature: "import"
created_at: "${NOW}"
---

<!-- told by an agent (a8f3d14d): the text above is yours; Ralph may replace the text below until you edit it -->

New.
`,
      entry: entry('Parser quirks', { body: '', told: 'New.', createdAt: NOW, feature: 'import' }),
      was: null,
    })
  })

  test('by the same title takes the place of what an agent told, and keeps tags, beginning and what is not ours', () => {
    const old = { body: '', told: 'Old.', tags: ['a', 'b'], feature: 'f', others: ['aliases: [x]'] }
    const before = file('Parser Quirks', old)
    expect(written(folder(before), said('parser quirks', ['b', 'c']))).toEqual({
      ...before.entry,
      tags: ['a', 'b', 'c'],
      updatedAt: NOW,
      told: 'New.',
    })
  })

  test('stands below what a person wrote, which stays with its title and its feature', () => {
    const mine = file('Deploy', { body: 'Only by CI.', feature: 'f' })
    const first = written(folder(mine), said('deploy', ['parser'], 'By hand works.'))
    expect(first).toMatchObject({
      title: 'Deploy',
      body: 'Only by CI.',
      told: 'By hand works.',
      feature: 'f',
    })
    const there = folder({ ...mine, entry: first })
    expect(place(there, said('Deploy', ['parser'], 'By hand works.'), 'other').is).toBe('same')
    expect(written(there, said('Deploy', ['parser'], 'It does not.'))).toMatchObject({
      body: 'Only by CI.',
      told: 'It does not.',
    })
    expect(fullPageText(first)).toBe('Only by CI.\n\nAn agent added:\n\nBy hand works.')
    expect(place(folder(mine), said('Deploy', ['parser'], 'Only by CI.')).is).toBe('same')
  })

  test("and changed by hand since is that person's: the next telling stands below it", () => {
    const told = place(folder(), said('A', ['a'], 'One.\nTwo.'))
    if (told.is !== 'written') throw new Error('not written')
    for (const change of [told.text.replace('Two.', 'Three.'), `${told.text}\nThree.\n`]) {
      const read = parseKnowledgePage(change)
      if (read.is !== 'read') throw new Error(read.why)
      const now = written(folder({ name: told.name, entry: read.entry }), said('A', ['a'], 'Four.'))
      expect(now).toMatchObject({ body: expect.stringMatching(/^One[^]*Three\.$/) as unknown, told: 'Four.' })
    }
    const same = parseKnowledgePage(told.text.replaceAll('\n', '\r\n'))
    expect(same).toMatchObject({ entry: { body: '', told: 'One.\nTwo.' } })
  })

  test('has no mark of ours in it, and else stays as it was said', () => {
    const mark = '<!-- told by an agent (00000000): x -->'
    const body = `One.\n\n\n\n    Two.\n${mark}\nThree.`
    expect(written(folder(), said('A', ['a'], body))).toMatchObject({
      body: '',
      told: 'One.\n\n\n\n    Two.\n\nThree.',
    })
  })

  test('by a person takes the place of all of it', () => {
    const there = folder(file('A', { body: 'Mine.', told: 'Told.' }))
    const placed = preparePageSave(there, said('a', ['x']), { at: NOW, feature: null, by: 'person' })
    expect(placed).toMatchObject({ entry: { title: 'a', body: 'New.', told: null, tags: ['parser', 'x'] } })
  })

  test.each([
    ['Testing', 'testing.md'],
    ['Testing rules for the parser', 'testing-rules-for-the-parser.md'],
    ['Rules', 'rules.md'],
    ['Testing tools', 'testing-tools.md'],
  ])('by a title that is only akin has a page of its own: %s', (title, name) => {
    const there = folder(file('Testing rules', { tags: ['testing'], body: '', told: 'Run all.' }))
    expect(place(there, said(title, ['testing']))).toMatchObject({ is: 'written', name, was: null })
  })

  test('is akin to another page if one title is in the other and most tags are the same; a person is told', () => {
    const told = { body: '', told: 'x' }
    const akin = (...files: KnowledgeFile[]): string[] =>
      [...findSimilarPagePairs(files)].map(([one, other]) => `${one.name} ${other.name}`)
    const quirks = file('Parser quirks', { tags: ['a', 'b', 'c'] })
    expect(akin(quirks, file('Parser', { ...told, tags: ['a', 'b'] }))).toEqual(['parser.md parser-quirks.md'])
    for (const other of [file('Parser', { ...told, tags: ['a', 'z'] }), file('Lexer', told), file('Quirk', told)])
      expect(akin(quirks, other)).toEqual([])
    expect(akin(file('Parser', told), file('Parser rules', told))).toEqual(['parser.md parser-rules.md'])
    expect(akin(file('Parser'), file('Parser rules'))).toEqual([])
    expect(akin(file('解析器的怪癖'), file('解析器', told))).toEqual(['解析器.md 解析器的怪癖.md'])
  })

  test('is no more than its file may have', () => {
    const there = folder(file('A', { body: 'x'.repeat(63 * 1024) }))
    expect(place(there, said('A', ['a'], 'y'.repeat(2_000)))).toMatchObject({
      is: 'refused',
      why: 'a.md already has this title, and this text would make it larger than 64 KB',
    })
  })

  test('joins no more tags than an entry may have', () => {
    const tags = (from: string, count: number) => Array.from({ length: count }, (_, n) => `${from}${n}`)
    const placed = place(folder(file('A', { tags: tags('a', 15) })), said('A', tags('b', 15)))
    expect(placed).toMatchObject({ entry: { tags: [...tags('a', 15), ...tags('b', 5)] } })
    const many = folder(file('A', { tags: tags('a', 25) }))
    expect(place(many, said('A', ['b']))).toMatchObject({ entry: { tags: tags('a', 25) } })
  })

  test('a name that is taken by what cannot be read is passed by, in capitals too', () => {
    const there = { files: [], taken: ['PARSER.md', 'parser-2.md'] }
    expect(place(there, said('Parser', ['a']))).toMatchObject({ name: 'parser-3.md' })
  })

  test('said again it changes nothing', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.array(fc.string(), { minLength: 1 }),
        fc.string(),
        (title, tags, body) => {
          const first = place(folder(), said(title, tags, body))
          if (first.is !== 'written') return
          const read = parseKnowledgePage(first.text)
          if (read.is !== 'read') throw new Error(read.why)
          const again = preparePageSave(folder({ name: first.name, entry: read.entry }), said(title, tags, body), {
            at: '2027-01-01T00:00:00.000Z',
            feature: null,
            by: 'agent',
          })
          expect(again.is).toBe('same')
        },
      ),
    )
  })

  test.each([
    [said('', ['a']), 'the title is missing'],
    [said('x'.repeat(201), ['a']), 'the title has 201 characters'],
    [said('bell \u0007', ['a']), 'control character'],
    [said('x', []), 'a tag is missing'],
    [said('x', [' ,']), 'a tag is missing'],
    [said('x', ['y'.repeat(51)]), 'longer than 50'],
    [
      said(
        'x',
        Array.from({ length: 21 }, (_, i) => `t${i}`),
      ),
      '21 tags',
    ],
    [said('x', ['a'], ' \n'), 'the body is empty'],
  ])('is refused: %#', (what, why) => {
    expect(place(folder(), what)).toEqual({ is: 'refused', why: expect.stringContaining(why) as unknown })
  })

  test('there is an end to the number of files, but not of what is replaced', () => {
    const there = { files: [file('a')], taken: Array.from({ length: 1_000 }, (_, i) => `${i}.md`) }
    expect(place(there, said('new', ['x']))).toMatchObject({ is: 'refused' })
    expect(place(there, said('a', ['x']))).toMatchObject({ is: 'written', name: 'a.md' })
  })

  test('beyond 500 words it is cut, with its lines; what fits stays as it is', () => {
    const lines = (n: number): string => Array.from({ length: n }, (_, i) => `w${i}`).join('\n')
    expect(truncateBody(lines(500))).toBe(lines(500))
    expect(truncateBody(lines(501))).toBe(`${lines(500)} [truncated]`)
    expect(truncateBody('語'.repeat(9_000))).toBe(`${'語'.repeat(7_999)}… [truncated]`)
    expect([bodyProblem(lines(500)), bodyProblem(lines(501))]).toEqual([null, 'it has 501 words; the limit is 500'])
    expect(bodyProblem('語'.repeat(8_001))).toContain('8001 characters')
    expect([pageTitleProblem('x'), tagsProblem(['x'])]).toEqual([null, null])
  })
})
