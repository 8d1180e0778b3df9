/** Gardens with an agent that speaks ACP, asks what it may, and has commands run. */
import { existsSync, readFileSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { testProject, type TestProject } from '../test-project.ts'

const AGENT = fileURLToPath(new URL('../fakes/acp-agent.mjs', import.meta.url))

export type Step =
  | { say: string }
  | { hang: true }
  /** `meanwhile`: what it says while it waits for the answer. */
  | { permit: object; options?: object[]; meanwhile?: string }
  | { call: string; params?: object }

/** A test project with an agent that speaks ACP and plays these turns. */
export async function projectWithAcpAgent(
  turns: Step[][],
  settings = '',
): Promise<TestProject & { heard: () => unknown[] }> {
  const fixture = await testProject({ toml: '' })
  const base = dirname(fixture.home)
  const scenario = join(base, 'acp.json')
  const program = join(base, 'bin', 'small')
  await writeFile(scenario, JSON.stringify(turns))
  await writeFile(program, `#!/bin/sh\nexec ${process.execPath} ${AGENT} "\${1:-${scenario}}"\n`)
  await chmod(program, 0o755)
  await fixture.write('.ralph.toml', `[agent]\norder = ["acp:small"]\n${settings}`)
  const heard = `${scenario}.heard`
  return {
    ...fixture,
    heard: () =>
      existsSync(heard)
        ? readFileSync(heard, 'utf8')
            .trimEnd()
            .split('\n')
            .map((line): unknown => JSON.parse(line))
        : [],
  }
}

export const run = (command: string): Step => ({ permit: { kind: 'execute', rawInput: { command } } })
export const DONE: Step = {
  say: '\n---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nEXIT_SIGNAL: false\nWORK_TYPE: IMPLEMENTATION\n---END_RALPH_STATUS---\n',
}
export const ASK = 'permission = "ask"\n'

/** Has us run a line of the shell. */
export const create = (line: string): Step => ({
  call: 'terminal/create',
  params: { command: 'sh', args: ['-c', line] },
})
