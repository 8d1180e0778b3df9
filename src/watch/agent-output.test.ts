import { appendFile, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driverFor } from '../agents/registry.ts'
import { createMasker } from '../system/mask/mask.ts'
import { followAgentOutput } from './agent-output.ts'

const KEY = `ghp_${'Zq7'.repeat(12)}`

const said = (content: string): string =>
  `${JSON.stringify({ type: 'message', role: 'assistant', content, delta: true })}\n`

test('a key that grows in the log piece by piece is masked, whenever one looks', async () => {
  const log = join(await mkdtemp(join(tmpdir(), 'ralph-words-')), 'agent.log')
  const tail = followAgentOutput(log, { driver: driverFor('gemini', {}), mask: createMasker([]) })
  const heard: string[] = []
  for (const piece of ['The key is ', KEY.slice(0, 9), KEY.slice(9, 30), KEY.slice(30)]) {
    await appendFile(log, said(piece))
    for (const event of tail.next({ over: false }).events) if (event.type === 'text') heard.push(event.text)
  }
  expect(heard).toEqual(['The key is '])
  for (const event of tail.next({ over: true }).events) if (event.type === 'text') heard.push(event.text)
  expect(heard.join('')).toBe(`The key is ghp_${'*'.repeat(36)}`)
})
