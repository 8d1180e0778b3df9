/**
 * What the vendors' real programs make of `ralph mcp`: their model calls its tools under the narrowest permission, and what it told
 * arrives. Gemini CLI takes servers from settings files only; over ACP it is told of ours, and starts it in folders that it trusts.
 * Copilot over ACP starts none.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  MCP_FOLDER_VARIABLE,
  MCP_TOKEN_VARIABLE,
  MCP_TOKEN_FILE,
  AGENT_REPORT_FILE,
  AGENT_REPORT_FILE_MAX,
  reportFromCalls,
} from '../../src/core/agent-output/calls/agent-report-calls.ts'
import { emptyAgentReport } from '../../src/core/agent-output/agent-report.ts'
import { readSignedLines } from '../../src/system/files/signed-lines.ts'
import type { Turn } from './model/script.ts'
import { readAllFiles, openVendorFixture, skipReason, type VendorFixture } from './vendor-fixture.ts'
import { claude, claudeAcp, codex, codexAcp, copilot, gemini, opencode, qwen } from './vendors.ts'

const RALPH = join(import.meta.dirname, '..', '..', 'bin', 'ralph.cjs')
const TOKEN = 'a-token-of-this-test'
const TURNS: Turn[] = [
  { text: 'I note.', tell: { tool: 'note', args: { text: 'Half of it is done.' } } },
  { text: 'I say so.', tell: { tool: 'task_done', args: { task: 'answer' } } },
  { text: 'That was it.' },
]

const geminiAcp = { ...gemini, agent: 'acp:gemini --acp --skip-trust' }
const opencodeAcp = { ...opencode, agent: 'acp:opencode acp' }

describe.each([claude, codex, copilot, opencode, claudeAcp, codexAcp, qwen, geminiAcp, opencodeAcp])(
  '$agent',
  (vendor) => {
    const missing = skipReason(vendor)
    describe.skipIf(missing !== null)(missing ?? 'is there', () => {
      let stage: VendorFixture
      beforeAll(async () => void (stage = await openVendorFixture(vendor)))
      afterAll(() => stage.close())

      test.each(['list', 'bypass'])('with permission %s, what its model tells arrives', async (permission) => {
        const project = await stage.project()
        const before = readAllFiles(project, ['.git/opencode'])
        const folder = join(project, '..', `told-${permission}`)
        mkdirSync(folder)
        writeFileSync(join(folder, MCP_TOKEN_FILE), TOKEN)
        const env = { [MCP_FOLDER_VARIABLE]: folder, [MCP_TOKEN_VARIABLE]: TOKEN }
        const mcp = { command: process.execPath, args: [RALPH, 'mcp'], env }
        const { reply } = await stage.ask({
          project,
          turns: TURNS,
          request: { env, mcp, permission, tools: ['Read'] },
        })
        expect(reply).toMatchObject({ end: 'success', denials: [], tools: 2 })
        const { texts, strange } = readSignedLines(join(folder, AGENT_REPORT_FILE), {
          token: TOKEN,
          fileMax: AGENT_REPORT_FILE_MAX,
        })
        expect(strange).toBe(0)
        expect(reportFromCalls(texts)).toEqual({
          ...emptyAgentReport(),
          notes: ['Half of it is done.'],
          done: ['answer'],
        })
        expect(readAllFiles(project, ['.git/opencode'])).toEqual(before)
        expect(await stage.living()).toEqual([])
      })

      // One that is not answered waits for as long as its program lets it.
      test('a call that is far too long is answered, and the next one counts', async () => {
        const project = await stage.project()
        const folder = join(project, '..', 'told-long')
        mkdirSync(folder)
        writeFileSync(join(folder, MCP_TOKEN_FILE), TOKEN)
        const env = { [MCP_FOLDER_VARIABLE]: folder, [MCP_TOKEN_VARIABLE]: TOKEN }
        const mcp = { command: process.execPath, args: [RALPH, 'mcp'], env }
        const note = (text: string): Turn => ({ text: 'I note.', tell: { tool: 'note', args: { text } } })
        const { reply } = await stage.ask({
          project,
          turns: [note('y'.repeat(100_000)), note('Shorter.'), { text: 'That was it.' }],
          request: { env, mcp, permission: 'list', tools: ['Read'] },
        })
        expect(reply.end).toBe('success')
        const { texts } = readSignedLines(join(folder, AGENT_REPORT_FILE), {
          token: TOKEN,
          fileMax: AGENT_REPORT_FILE_MAX,
        })
        expect(reportFromCalls(texts)).toEqual({ ...emptyAgentReport(), notes: ['Shorter.'] })
      })

      // To be allowed ours must not mean to be allowed more.
      test('what is not on its list stays denied beside it', async () => {
        const project = await stage.project()
        const env = { [MCP_FOLDER_VARIABLE]: project, [MCP_TOKEN_VARIABLE]: TOKEN }
        const mcp = { command: process.execPath, args: [RALPH, 'mcp'], env }
        const before = readAllFiles(project, ['.git/opencode'])
        await stage.ask({
          project,
          turns: [
            { text: 'I write.', write: { path: '../outside.txt', content: 'one\n' }, insist: true },
            { text: 'Then not.' },
          ],
          request: { env, mcp, permission: 'list', tools: ['Read'] },
        })
        expect(readAllFiles(project, ['.git/opencode'])).toEqual(before)
        expect(readAllFiles(join(project, '..'))).not.toHaveProperty('outside.txt')
      })
    })
  },
)
