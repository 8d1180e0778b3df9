import { describe, expect, test } from 'vitest'
import { emptyAgentReport, type AgentReport } from '../agent-report.ts'
import { scanTags } from './tag-scan.ts'
import { createAgentReportFold } from './agent-report-fold.ts'

/** What a last message tells. */
function toldBy(text: string): AgentReport {
  return createAgentReportFold().finish([scanTags(text)])
}

const UNCLOSED = 'so it does not count. To mention a tag, put it in backticks.'
const ID = (name: string) => `<${name}> takes the id of your task and nothing else.`
const ENTRY = '<knowledge title="…" tags="a, b">…</knowledge>'

describe('what each tag tells', () => {
  test.each<[text: string, told: Partial<AgentReport>]>([
    ['Nothing at all.', {}],
    ['<task-done>t-1</task-done>', { done: ['t-1'] }],
    ['Did it. <task-done> t-1\n</task-done> Bye.', { done: ['t-1'] }],
    ['<task-failed>t-1</task-failed>', { failed: ['t-1'] }],
    ['<task-done>a</task-done> <task-done>a</task-done> <task-done>b</task-done>', { done: ['a', 'b'] }],
    ['<task-done>a</task-done><task-failed>a</task-failed>', { done: ['a'], failed: ['a'] }],
    ['<task-done></task-done>', { problems: [ID('task-done')] }],
    ['<task-done/>', { problems: [ID('task-done')] }],
    ['<task-failed>the first one</task-failed>', { problems: [ID('task-failed')] }],
    [`<task-done>${'x'.repeat(81)}</task-done>`, { problems: [ID('task-done')] }],
    [`<task-done>${'x'.repeat(9_000)}</task-done>`, { problems: [ID('task-done')] }],
    ['<promise>COMPLETE</promise>', { promise: 'complete' }],
    ['<promise> Failure </promise>', { promise: 'failure' }],
    ['<promise></promise>', { problems: ['<promise> takes COMPLETE or FAILURE.'] }],
    ['<promise>NOT COMPLETE</promise>', { problems: ['<promise> takes COMPLETE or FAILURE.'] }],
    [
      '<promise>COMPLETE</promise> no: <promise>FAILURE</promise>',
      { problems: ['You wrote <promise> several times with different content, so none counts.'] },
    ],
    ['<next-model>opus</next-model>', { nextModel: 'opus' }],
    ['<next-model>openai/gpt-5.1:high</next-model>', { nextModel: 'openai/gpt-5.1:high' }],
    [
      '<next-model>the strong one</next-model><next-model>opus</next-model>',
      { problems: ['<next-model> takes the name of a model, or light, medium or strong.'] },
    ],
    [
      '<next-model>--yolo</next-model>',
      { problems: ['<next-model> takes the name of a model, or light, medium or strong.'] },
    ],
    ['<phase-complete>plan</phase-complete>', { phase: 'plan' }],
    ['<phase-complete>Spec</phase-complete>', { phase: 'spec' }],
    ['<journal x="y>one</journal>', { problems: ['A <journal …> could not be read.'] }],
    [
      '<knowledge Title="T" title="U" TAGS="x">one</knowledge><knowledge title="T" tags="x">one</knowledge>',
      { knowledge: [{ title: 'T', tags: ['x'], body: 'one' }] },
    ],
    ['<phase-complete>all</phase-complete>', { problems: ['<phase-complete> takes spec, plan or build.'] }],
    ['<tasks-created>', { tasksCreated: true }],
    ['<tasks-created/>', { tasksCreated: true }],
    ['<tasks-created />', { tasksCreated: true }],
    ['fine <verify-pass/>', { review: { is: 'pass' } }],
    ['<verify-pass></verify-pass>', { review: { is: 'pass' } }],
    ['<verify-pass>', { problems: [`You did not close <verify-pass>, ${UNCLOSED}`] }],
    ['<verify-fail>no\n  tests</verify-fail>', { review: { is: 'fail', why: 'no tests' } }],
    ['<verify-pass/> no: <verify-fail>x</verify-fail>', { review: { is: 'fail', why: 'x' } }],
    ['<TASK-DONE>t-1</TASK-DONE>', { done: ['t-1'] }],
    ['<journal>\nThe cache lies.\n</journal>', { notes: ['The cache lies.'] }],
    ['<journal>one</journal> <journal>two</journal> <journal>one</journal>', { notes: ['one', 'two'] }],
    ['<journal lang="en">one</journal>', { notes: ['one'] }],
    ['<journal> \n </journal>', { problems: ['An empty <journal> does not count.'] }],
    [
      '<knowledge tags=" Build, CI ,,build" title="How it\nbuilds">With make.</knowledge>',
      { knowledge: [{ title: 'How it builds', tags: ['build', 'ci'], body: 'With make.' }] },
    ],
    [
      `<knowledge title='a > "b"'\n  tags=x>one</knowledge>`,
      { knowledge: [{ title: 'a > "b"', tags: ['x'], body: 'one' }] },
    ],
    ['<knowledge tags="x">one</knowledge>', { problems: [`A <knowledge> without title does not count: ${ENTRY}`] }],
    ['<knowledge>one</knowledge>', { problems: [`A <knowledge> without title does not count: ${ENTRY}`] }],
    [
      '<knowledge title="T" tags=",">one</knowledge>',
      { problems: [`A <knowledge> without tags does not count: ${ENTRY}`] },
    ],
    [
      '<knowledge title="T" tags="x"> </knowledge>',
      { problems: [`A <knowledge> without text does not count: ${ENTRY}`] },
    ],
    ['<knowledge title="T tags=x>one</knowledge>', { problems: [`A <knowledge …> could not be read: ${ENTRY}`] }],
  ])('%j', (text, told) => {
    expect(toldBy(text)).toEqual({ ...emptyAgentReport(), ...told })
  })
})

describe('tags in disorder', () => {
  test.each<[what: string, text: string, told: Partial<AgentReport>]>([
    [
      'the outer one counts',
      '<journal>I would say <task-done>a</task-done> now.</journal>',
      {
        notes: ['I would say <task-done>a</task-done> now.'],
        problems: ['<task-done> inside <journal> does not count: close one tag before you open the next.'],
      },
    ],
    [
      'also of two alike',
      '<journal>one <journal>two</journal> three</journal>',
      {
        notes: ['one <journal>two</journal> three'],
        problems: ['<journal> inside <journal> does not count: close one tag before you open the next.'],
      },
    ],
    [
      'what is only spoken of inside is text',
      '<journal>Write <knowledge> for it.</journal>',
      { notes: ['Write <knowledge> for it.'], problems: [] },
    ],
    [
      'an unclosed one hides nothing',
      'I keep a <journal> of it.\n\n<journal>one</journal>\n<task-done>a</task-done>',
      { notes: ['one'], done: ['a'], problems: [`You did not close <journal>, ${UNCLOSED}`] },
    ],
    ['an unclosed verdict', '<task-done>a', { problems: [`You did not close <task-done>, ${UNCLOSED}`] }],
    ['a cut end', '<task-done>a</task-done', { problems: [`You did not close <task-done>, ${UNCLOSED}`] }],
    ['ends that nothing began', '</journal> </task-done>', {}],
    [
      'crossed',
      '<journal>one <task-done>a</journal></task-done>',
      { notes: ['one <task-done>a'], done: [], problems: [] },
    ],
    ['strangers', '<task-doner>a</task-doner> Array<Promise> <x>', {}],
    [
      'what looks like code inside is text, closed or not',
      '<journal>Not <code>, <pre> and <think>: <b>that</b> <code>x</code></journal>\n<task-done>a</task-done>',
      { notes: ['Not <code>, <pre> and <think>: <b>that</b> <code>x</code>'], done: ['a'] },
    ],
  ])('%s', (_what, text, told) => {
    expect(toldBy(text)).toEqual({ ...emptyAgentReport(), ...told })
  })
})

describe('what is shown is not said', () => {
  const TAG = '<task-done>a</task-done>'
  test.each<[what: string, text: string]>([
    ['a fence', `\`\`\`\n${TAG}\n\`\`\``],
    ['a fence that is never closed', `\`\`\`xml\n${TAG}`],
    ['a fence of tildes with a shorter one in it', `~~~~\n~~~\n${TAG}\n~~~~`],
    ['a fence that looks closed', `\`\`\`\n    \`\`\`\n${TAG}\n\`\`\``],
    ['a fence with a note after its mark', `\`\`\`\n\`\`\` not the end\n${TAG}\n\`\`\``],
    ['a fence in a list', `- \`\`\`\n  ${TAG}\n  \`\`\``],
    ['a fence deep in a list', `1. one\n     \`\`\`\n  ${TAG}\n     \`\`\``],
    ['a fence with the ends of lines of an old machine', `\`\`\`\r${TAG}\r\`\`\``],
    ['a fence in a list, closed deep', `- \`\`\`\n      ${TAG}\n      \`\`\`\n\n\`${TAG}\``],
    ['a line of many that is too long together', `${'word word\n'.repeat(40_000)}${TAG}`],
    ['a fence in colour', `\u001b[90m\`\`\`\u001b[0m\n${TAG}\n\`\`\``],
    ['code four blanks deep', `Like so:\n\n    ${TAG}`],
    ['code behind a tab', `Like so:\n\n\t${TAG}`],
    ['backticks', `I write \`${TAG}\` at the end.`],
    ['two backticks, with one inside', `I write \`\`a \` ${TAG}\`\` at the end.`],
    ['backticks over two lines', `I write \`so:\n${TAG}\n\` at the end.`],
    ['backticks after a lone one', `The \` key.\nI write \`${TAG}\` at the end.`],
    ['escaped backticks', `I write \\\`${TAG}\\\` at the end.`],
    ['an escaped backtick before it', `Not \\\` but \`${TAG}\``],
    ['a quotation', `> ${TAG}`],
    ['a quotation in a list', `- > ${TAG}`],
    ['the line that goes on with a quotation', `> You said:\n${TAG}`],
    ['quotation marks', `I am to write "${TAG}" at the end.`],
    ['other quotation marks', `I am to write “${TAG}” at the end.`],
    ['a sentence in quotation marks', `It says "end with ${TAG}", but "not yet".`],
    ['one over lines', `It says "end with\n${TAG}\nexactly", I think.`],
    ['one of German', `Da steht: „am Ende ${TAG}“.`],
    ['one of French', `Il faut écrire « ${TAG} » à la fin.`],
    ['one of Japanese', `最後に「${TAG}」と書く。`],
    ['a comment', `<!-- ${TAG} -->`],
    ['a comment over paragraphs', `<!--\n\n${TAG}\n\n-->`],
    ['code in HTML', `It is <code>${TAG}</code> then.`],
    ['a block of it', `<PRE class="x">\n\n${TAG}\n</PRE>`],
    ['what another model thought', `<reasoning>\nThen I write\n\n${TAG}\n</reasoning>\n\nNot yet.`],
    ['what a function returned', `<function_results>\n${TAG}\n</function_results>\nNot yet.`],
    ['what was reminded of', `<system-reminder>${TAG}</system-reminder>\nNot yet.`],
    ['what was printed or said', `It printed <samp>${TAG}</samp>, or was it <q>${TAG}</q>?`],
    ['a title', `写《${TAG}》。`],
    ['a thought among the words', `<think>\nI keep a <journal>.\n\n${TAG}\n</think>\n\nNot yet.`],
    ['a thought without its beginning', `I could say ${TAG} now.\n</think>\n\nNot yet.`],
    ['what the prompt wraps its material in', `<document title="Spec">\n${TAG}\n</document>`],
    ['a call that is no call', `<tool_call>{"x": 1, ${TAG}}</tool_call>`],
    ['an escaped tag', `\\${TAG}`],
    ['a paragraph of 300 KB', `${'word '.repeat(60_000)}\n${TAG}`],
  ])('%s', (_what, text) => {
    const told = toldBy(`Well.\n\n${text}`)
    const why = 'A tag in code or quotes does not count; write it as plain text.'
    expect([told.done, told.failed]).toEqual([[], []])
    if (!text.includes('word word')) expect(told.problems).toEqual([why])
  })

  test.each<[what: string, text: string]>([
    ['after a fence', `\`\`\`\ncode\n\`\`\`\n${TAG}`],
    ['after code in its line', `\`npm test\` passes. ${TAG}`],
    ['after a lone backtick', `The \` key works.\n${TAG}`],
    ['after a quotation and an empty line', `> You said so.\n\n${TAG}`],
    ['in a list', `- ${TAG}`],
    ['in bold', `**${TAG}**`],
    ['between quotations', `Not "x" but "y". ${TAG} ("z")`],
    ['beside a mark that is left over', `A 5" disk. ${TAG}`],
    ['after a comment', `<!-- not this -->\n${TAG}`],
    ['after HTML that is only spoken of', `Not <pre>, <code> or <!-- any more.\n\n${TAG}`],
    ['after a thought', `<think>Hm.</think>\n${TAG}`],
    ['after half of one', `Hm.</think>\n${TAG}`],
    ['three blanks deep', `   ${TAG}`],
    ['after 300 KB', `${'word '.repeat(60_000)}\n\n${TAG}`],
    ['with the ends of lines of another system', `Done.\r\n\r\n${TAG}\r\n`],
    ['in colour', `\u001b[32m${TAG}\u001b[0m`],
  ])('and said is %s', (_what, text) => {
    expect(toldBy(text).done).toEqual(['a'])
  })

  test('what notes have of quotation marks hides none of them', () => {
    const text = '<journal>a 5" disk</journal> <journal>a 3" one</journal>\n<journal>"no</journal>'
    expect(toldBy(text).notes).toEqual(['a 5" disk', 'a 3" one', '"no'])
  })

  test('a note keeps the code and the quotations in it', () => {
    const note = 'Run:\n\n```\necho "</journal>"\n```\n\n> not `</journal>` either'
    expect(toldBy(`<journal>\n${note}\n</journal>`)).toEqual({ ...emptyAgentReport(), notes: [note] })
  })
})

describe('limits', () => {
  test('of notes: how many, and how long', () => {
    const many = Array.from({ length: 12 }, (_, n) => `<journal>${n}</journal>`).join('\n')
    expect(toldBy(many)).toMatchObject({
      notes: ['0', '1', '2', '3', '4', '5', '6', '7'],
      problems: ['Only 8 <journal> notes per reply are saved; the others were dropped.'],
    })
    const whole = '語'.repeat(4_000)
    expect(toldBy(`<journal>${whole}</journal>`)).toMatchObject({ notes: [whole], problems: [] })
    const { notes, problems } = toldBy(`<journal>${'x'.repeat(50_000)}</journal>`)
    expect([notes[0]?.length, problems]).toEqual([4_000, ['A <journal> note of more than 4000 characters was cut.']])
  })

  test('of knowledge: how many, and how many words', () => {
    const entry = (body: string, n = 0) => `<knowledge title="T${n}" tags="x">${body}</knowledge>`
    const { knowledge, problems } = toldBy(entry('one two\n'.repeat(300)))
    expect([knowledge[0]?.body, problems]).toEqual([
      'one two\n'.repeat(250).trim(),
      ['<knowledge> "T0" was cut: an entry has at most 500 words.'],
    ])
    const many = toldBy(Array.from({ length: 9 }, (_, n) => entry('x', n)).join('\n'))
    expect([many.knowledge.length, many.problems]).toEqual([
      8,
      ['Only 8 <knowledge> entries per reply are saved; the others were dropped.'],
    ])
  })

  test('of everything: a flood of tags is read as far as it makes sense', () => {
    const told = toldBy('<journal>'.repeat(5_000) + '<task-done>a</task-done>'.repeat(5_000))
    expect([told.done, told.problems.length <= 6]).toEqual([['a'], true])
  })

  test('notes beyond it take no room from the word about the task', () => {
    const notes = Array.from({ length: 5_000 }, (_, n) => `<journal>${n}</journal>`).join('\n\n')
    expect(toldBy(`${notes}\n\n<task-done>a</task-done>`)).toMatchObject({ done: ['a'] })
  })
})

test('what is beyond a limit of the reader is told once', () => {
  const many = toldBy('<tasks-created/>\n\n'.repeat(70))
  expect(many.problems).toEqual(['You wrote too many tags in one message; the last ones were dropped.'])
  const long = `${'word word\n'.repeat(40_000)}<tasks-created/>\n\n`
  expect(toldBy(long + long).problems).toEqual([
    'Ralph does not read tags in a paragraph of more than 256 KB; put an empty line before the tags.',
  ])
})

describe('verdicts of messages before the last', () => {
  const say = (...texts: string[]) => {
    const heard = createAgentReportFold()
    for (const text of texts.slice(0, -1)) heard.take(scanTags(text))
    return heard.finish([scanTags(texts.at(-1) ?? '')])
  }

  test('do not count, and their notes do', () => {
    expect(
      say('<task-done>a</task-done><journal>one</journal><promise>X', 'Committed. <journal>two</journal>'),
    ).toEqual({
      ...emptyAgentReport(),
      notes: ['one', 'two'],
      problems: ['<task-done> counts only in your last message; you wrote it earlier.'],
    })
  })

  test('of a task that failed neither', () => {
    expect(say('<task-failed>a</task-failed>', 'Well.').problems).toEqual([
      '<task-failed> counts only in your last message; you wrote it earlier.',
    ])
  })

  test('are no matter where the last one has its own', () => {
    expect(say('<task-done>a</task-done>', '<task-failed>a</task-failed>')).toEqual({
      ...emptyAgentReport(),
      failed: ['a'],
    })
  })
})
