/** The sources against real programs: `bd` and `gh` are small scripts on a PATH of the test's own. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { RalphError } from '../core/error.ts'
import { fetchBeadsTasks } from './beads.ts'
import { fetchIssue, findIssues, fetchGithubTasks, type IssueFilters } from './github.ts'
import { PRD_MAX_BYTES, findPrds, readPrdTasks, readTextDocument } from './prd.ts'

const NO_ISSUE_FILTERS: IssueFilters = {
  search: null,
  labels: [],
  title: null,
  assignee: null,
  milestone: null,
  state: 'open',
  excludeLabels: [],
}

function aPlace(files: Record<string, string> = {}, tools: Record<string, string> = {}) {
  const base = mkdtempSync(join(tmpdir(), 'ralph-sources-'))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const [root, bin] = [join(base, 'project'), join(base, 'bin')]
  mkdirSync(root)
  mkdirSync(bin)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  for (const [name, script] of Object.entries(tools)) {
    // What it is called with is kept, one line a call.
    writeFileSync(join(bin, name), `#!/bin/sh\necho "$*" >> '${base}/calls'\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  return {
    root,
    env: { PATH: bin },
    calls: () => readFileSync(join(base, 'calls'), 'utf8').trim().split('\n'),
  }
}

async function errorOf(work: () => unknown): Promise<RalphError> {
  try {
    await work()
  } catch (error) {
    if (error instanceof RalphError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('beads', () => {
  const LINE = '{"id":"bd-1","title":"From the file","status":"open"}'

  test('bd is asked, and its answer is cut at the limit with a remark', async () => {
    const place = aPlace(
      { '.beads/issues.jsonl': LINE },
      { bd: `echo '[{"id":"bd-1","title":"One"},{"id":"bd-2","title":"Two"}]'` },
    )
    const { tasks, from, remarks } = await fetchBeadsTasks({ ...place, status: 'open', limit: 1 })
    expect([from, tasks.map(({ text }) => text), remarks]).toEqual([
      'bd',
      ['One'],
      ['1 more were skipped: the limit is 1 (--limit N; 0: no limit)'],
    ])
    expect(place.calls()).toEqual(['list --status open --limit 1 --json'])
  })

  test('without bd, or with one that fails, the file is read, and that is said', async () => {
    const missing = await fetchBeadsTasks({
      ...aPlace({ '.beads/issues.jsonl': LINE }),
      status: 'open',
      limit: 0,
    })
    expect([missing.from, missing.remarks]).toEqual([
      '.beads/issues.jsonl',
      ['bd is not installed, so Ralph read the tasks from .beads/issues.jsonl'],
    ])
    const broken = aPlace({ '.beads/beads.jsonl': LINE }, { bd: 'echo "no database" >&2; exit 1' })
    const { tasks, remarks } = await fetchBeadsTasks({ ...broken, status: 'open', limit: 0 })
    expect([tasks.length, remarks]).toEqual([
      1,
      ['bd failed (no database), so Ralph read the tasks from .beads/beads.jsonl'],
    ])
  })

  test('an old bd without --json is read as text', async () => {
    const place = aPlace(
      { '.beads/x': '' },
      { bd: 'case "$*" in *--json*) exit 2;; esac; echo "bd-7 open - Old title"' },
    )
    expect(
      (await fetchBeadsTasks({ ...place, status: 'all', limit: 0 })).tasks.map(({ id, text }) => [id, text]),
    ).toEqual([['bd-7', 'Old title']])
  })

  test('nothing to read is an error with a remedy', async () => {
    const error = await errorOf(() =>
      fetchBeadsTasks({ ...aPlace({ '.beads/config.yaml': '' }), status: 'open', limit: 0 }),
    )
    expect([error.code, error.message]).toEqual([
      'not-found',
      'cannot read tasks from beads: bd is not installed, and .beads has no JSONL file',
    ])
  })
})

describe('github', () => {
  const ISSUES = `echo '[{"number":4,"title":"Four","labels":[{"name":"P1"}]},{"number":5,"title":"Five"}]'`

  test('open issues with a label become tasks', async () => {
    const place = aPlace({}, { gh: ISSUES })
    const { tasks } = await fetchGithubTasks({ ...place, repo: 'o/n' }, { label: 'ralph-task', limit: 50 })
    expect(tasks.map(({ id, priority }) => [id, priority])).toEqual([
      ['#4', 'high'],
      ['#5', 'medium'],
    ])
    expect(place.calls()).toEqual([
      'issue list --state open --limit 51 --json number,title,labels,assignees,milestone,url --label ralph-task --repo o/n',
    ])
  })

  test('filters go to GitHub as far as it knows them, the title is compared here', async () => {
    const place = aPlace({}, { gh: ISSUES })
    const filters = {
      ...NO_ISSUE_FILTERS,
      search: 'crash',
      labels: ['a', 'b'],
      assignee: 'none',
      milestone: 'v1',
      state: 'all' as const,
      title: 'fi*',
    }
    expect((await findIssues({ ...place, repo: null }, filters)).issues.map(({ number }) => number)).toEqual([5])
    expect(place.calls()).toEqual([
      'issue list --state all --limit 500 --json number,title,labels,assignees,milestone,url --search crash no:assignee sort:created-asc --label a --label b --milestone v1',
    ])
  })

  test('a full page cannot be filtered here: it is an error, and without such a filter a remark', async () => {
    const many = `awk 'BEGIN{printf "["; for(i=1;i<=500;i++) printf "%s{\\"number\\":%d,\\"title\\":\\"T\\"}", (i>1?",":""), i; print "]"}'`
    const place = aPlace({}, { gh: `PATH=/usr/bin:/bin; ${many}` })
    const error = await errorOf(() => findIssues({ ...place, repo: null }, { ...NO_ISSUE_FILTERS, title: 'T' }))
    expect(error.code).toBe('usage')
    expect((await findIssues({ ...place, repo: null }, NO_ISSUE_FILTERS)).remarks).toEqual([
      'only the oldest 500 issues were searched',
    ])
  })

  test('comments are asked for only when wanted', async () => {
    const place = aPlace({}, { gh: `echo '{"number":9,"title":"Nine","body":"Text"}'` })
    await fetchIssue({ ...place, repo: null }, 9, { comments: false })
    await fetchIssue({ ...place, repo: null }, 9, { comments: true })
    expect(place.calls().map((call) => call.endsWith('url,comments'))).toEqual([false, true])
  })

  test('what gh says is in the error; a gh that is not there is named', async () => {
    const place = aPlace({}, { gh: 'echo "gh auth login needed" >&2; exit 4' })
    const failed = await errorOf(() => fetchGithubTasks({ ...place, repo: null }, { label: null, limit: 1 }))
    expect(failed.message).toBe('could not list the issues: gh auth login needed')
    const missing = await errorOf(() => fetchGithubTasks({ ...aPlace(), repo: null }, { label: null, limit: 1 }))
    expect([missing.code, missing.message]).toEqual([
      'not-found',
      'could not list the issues: gh, the GitHub program, is not installed',
    ])
  })
})

describe('prd', () => {
  test('documents are found where they usually lie, but not packages of pip or of others', () => {
    const { root } = aPlace({
      'docs/PRD.md': '',
      'docs/api/spec.md': '',
      'requirements.md': '',
      'requirements.txt': '',
      'node_modules/spec.md': '',
      'README.md': '',
      specs: 'a file',
    })
    expect(findPrds(root)).toEqual(['docs/PRD.md', 'docs/api/spec.md', 'requirements.md'])
  })

  test('a document without lists gives no task and a remark', () => {
    const { root } = aPlace({ 'prd.md': 'Nice things.' })
    expect(readPrdTasks({ root, file: 'prd.md', limit: 5 })).toEqual({
      tasks: [],
      from: 'prd.md',
      remarks: ['prd.md has no list, so no tasks were found'],
    })
  })

  test('a text file without marks is a list, one task a line', () => {
    const { root } = aPlace({ 'todo.txt': 'Paint the fence\n\nMow the lawn\n' })
    expect(readPrdTasks({ root, file: 'todo.txt', limit: 5 }).tasks.map(({ text }) => text)).toEqual([
      'Paint the fence',
      'Mow the lawn',
    ])
  })

  test('what is no text, too large or not there is refused by name', async () => {
    const { root } = aPlace({
      'a.pdf': '%PDF',
      'b.docx': '',
      'c.md': 'x\u0000y',
      'd.md': 'x'.repeat(PRD_MAX_BYTES + 1),
    })
    const names = ['a.pdf', 'b.docx', 'c.md', 'd.md', 'e.md']
    const errors = await Promise.all(names.map((name) => errorOf(() => readTextDocument(join(root, name), name))))
    expect(errors.map(({ message }) => message)).toEqual([
      'a.pdf is a PDF file, which is not supported',
      'b.docx is a Word file, which is not supported',
      'c.md is not a text file',
      `d.md has ${PRD_MAX_BYTES + 1} bytes; the limit is ${PRD_MAX_BYTES}`,
      'there is no file e.md',
    ])
  })
})
