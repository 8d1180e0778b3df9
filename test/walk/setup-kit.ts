/** For the walk tests of set-up: other people's programs as small scripts, and the old commands by their own files. */
import { execFile } from 'node:child_process'
import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { main } from '../../src/ui/cli/main.ts'
import type { TestProject, CommandResult } from '../test-project.ts'

/** Puts a program on the test project's PATH. What it is called with is kept, one line a call. */
export async function install(g: TestProject, name: string, script: string): Promise<{ calls(): Promise<string[]> }> {
  const base = dirname(g.path)
  const [file, calls] = [join(base, 'bin', name), join(base, `${name}.calls`)]
  // A test project's git and node are links to the machine's own: those are never written through.
  await rm(file, { force: true })
  await writeFile(file, `#!/bin/sh\necho "$*" >> '${calls}'\n${script}\n`)
  await chmod(file, 0o755)
  await writeFile(calls, '')
  return { calls: async () => (await readFile(calls, 'utf8')).split('\n').filter((line) => line !== '') }
}

const ROOT = dirname(dirname(import.meta.dirname))

/** Runs `bin/<name>.cjs` as npm's link of that name would. */
export function runBashCommand(
  g: TestProject,
  name: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<CommandResult> {
  return new Promise((done) => {
    const options = { cwd: g.path, env: { ...g.env, ...env }, timeout: 45_000 }
    const child = execFile(
      process.execPath,
      [join(ROOT, 'bin', `${name}.cjs`), ...args],
      options,
      (_, stdout, stderr) => done({ code: child.exitCode, signal: child.signalCode, stdout, stderr }),
    )
  })
}

export const JS = JSON.stringify({ name: 'roman', scripts: { test: 'node test.mjs' } })

/** A command line in this very process, which spares a start of Node. Not for what starts an agent: it would find a real one. */
export async function runInThisProcess(g: TestProject, args: string[]): Promise<CommandResult> {
  let [stdout, stderr] = ['', '']
  const code = await main(args, {
    out: (text) => void (stdout += text),
    err: (text) => void (stderr += text),
    terminal: false,
    asks: false,
    colour: false,
    columns: () => 80,
    env: g.env,
    cwd: g.path,
  })
  return { code, signal: null, stdout, stderr }
}

/** An old command in this process. */
export function runBashCommandInProcess(g: TestProject, name: string, args: string[]): Promise<CommandResult> {
  return runInThisProcess(g, [`old:${name}`, ...args])
}
