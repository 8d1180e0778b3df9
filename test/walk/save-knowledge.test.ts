/** What an agent learnt, written down by the engine: it is nobody's work, and nothing of a person's is lost by it. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { controlFiles, isRalphOwnFile } from '../../src/core/control-files.ts'
import type { ReportedKnowledge } from '../../src/core/agent-output/agent-report.ts'
import type { Event } from '../../src/core/state/event.ts'
import { saveKnowledgeHandler } from '../../src/engine/handlers/save-knowledge.ts'
import type { WorkerContext } from '../../src/engine/handler-context.ts'
import { createMasker } from '../../src/system/mask/mask.ts'
import { commitChanges } from '../../src/workspace/repo/commit.ts'
import { takeSnapshot } from '../../src/workspace/snapshot/snapshot.ts'
import { makeTestWorld, removeTestWorlds } from './handler-world.ts'

afterAll(removeTestWorlds)

const ASKED = { id: 'e1', worker: '1', type: 'save-knowledge', iteration: 1 } as const

async function keep(world: WorkerContext, ...said: ReportedKnowledge[]): Promise<Event[]> {
  const heard: Event[] = []
  const aborting = { signal: new AbortController().signal, told: null, onAbort: () => {} }
  await saveKnowledgeHandler(world).perform({ ...ASKED, said }, (event) => void heard.push(event), aborting)
  return heard
}

test('what it says is written, refused or the same, each by itself; a second time changes nothing', async () => {
  const { world, write } = await makeTestWorld()
  const broken = '---\ntitle: Lexer\n---\n'
  write({ '.ralph/knowledge/lexer.md': broken })
  world.mask = createMasker(['hunter2hunter2'])
  const said = [
    { title: 'Parser', tags: ['Parser'], body: 'The key is hunter2hunter2.' },
    { title: 'Lexer', tags: ['lexer'], body: 'New.' },
    { title: 'Nothing', tags: [], body: 'x' },
  ]
  const answer = {
    type: 'knowledge-saved',
    worker: '1',
    effect: 'e1',
    kept: ['.ralph/knowledge/parser.md', '.ralph/knowledge/lexer-2.md'],
    refused: ['"Nothing": a tag is missing'],
  }
  expect(await keep(world, ...said)).toEqual([answer])
  const folder = join(world.root, '.ralph', 'knowledge')
  const all = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])
  const first = all()
  expect(first.map(([name]) => name)).toEqual(['lexer-2.md', 'lexer.md', 'parser.md'])
  expect(JSON.stringify(first)).not.toContain('hunter2')
  expect(readFileSync(join(folder, 'lexer.md'), 'utf8')).toBe(broken)
  expect(await keep(world, ...said)).toEqual([answer])
  expect(all()).toEqual(first)
})

test('a folder that is a link is refused, and nothing goes through it', async () => {
  const { world, folder } = await makeTestWorld()
  mkdirSync(join(world.root, '.ralph'), { recursive: true })
  mkdirSync(join(folder, 'elsewhere'))
  symlinkSync(join(folder, 'elsewhere'), join(world.root, '.ralph', 'knowledge'))
  expect(await keep(world, { title: 'a', tags: ['b'], body: 'c' })).toMatchObject([
    { kept: [], refused: ['"a": .ralph/knowledge is a link; Ralph does not write pages through links'] },
  ])
  expect(readdirSync(join(folder, 'elsewhere'))).toEqual([])
})

test('it is no change of the tree, of the control files or of a commit: neither a task nor a person did it', async () => {
  const { world, write } = await makeTestWorld()
  write({ '.ralph/fix_plan.md': '- [ ] a\n' })
  const control = { named: controlFiles(world.loop), isOwn: isRalphOwnFile }
  const before = await takeSnapshot(world.repo, { ref: null, control })
  await keep(world, { title: 'Parser', tags: ['parser'], body: 'Skip empty files.' })
  const after = await takeSnapshot(world.repo, { ref: null, control })
  expect([after.tree, after.control, after.head]).toEqual([before.tree, before.control, before.head])
  expect(await commitChanges(world.repo, { message: 'work' })).toMatchObject({ sha: null, files: 0 })
})
