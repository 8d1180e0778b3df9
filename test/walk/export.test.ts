/** `ralph export`: one redacted file for a bug report. */
import { rm, writeFile } from 'node:fs/promises'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestProject } from '../test-project.ts'
import { finishSampleRun, runCommand } from './sample-run.ts'

const SECRET = 'tok_51HmiH8aVbNothingLooksLikeThis'

let night: TestProject & { run: string }
beforeAll(async () => {
  night = await finishSampleRun({
    until: 'removed',
    prompt: `# Work\n\nMail ann@example.org. Deploy with DEPLOY_TOKEN=${SECRET} from /home/ann/keys.\n`,
  })
})
afterAll(() => night.remove())

const items = (text: string): { type: string; path?: string; text?: string }[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string })

test('the binary writes one file of the whole record, and never over another', async () => {
  const { stdout, code } = await night.ralph(['export', night.run])
  expect([code, stdout]).toEqual([0, expect.stringContaining(`ralph-${night.run}.jsonl: run ${night.run}, `) as string])
  const types = items(await night.read(`ralph-${night.run}.jsonl`)).map(({ type }) => type)
  expect([types[0], new Set(types.slice(1, -1)), types.at(-1)]).toEqual(['ralph-export', new Set(['row']), 'state'])
  const again = await night.ralph(['export', night.run])
  expect([again.code, again.stderr]).toEqual([
    2,
    expect.stringMatching(/already exists\n +Choose another name: --output FILE/) as string,
  ])
})

test('paths, people and secrets are not in it, also not in the logs', async () => {
  const { stdout } = await night.ralph(['export', '--output', '-', '--logs'], {
    env: { DEPLOY_TOKEN: SECRET },
  })
  const prompt = items(stdout).find(({ path }) => path === 'w1/1/prompt.md')
  expect(prompt?.text).toContain('Mail <email>. Deploy with DEPLOY_TOKEN=<secret> from ~/keys.')
  const names = [hostname(), userInfo().username].filter(
    (name) => name.length > 3 && !['root', 'node', 'runner'].includes(name),
  )
  const found = [SECRET, 'ann@example.org', night.path, night.home, ...names].filter((word) => stdout.includes(word))
  expect(found).toEqual([])
})

test('without --logs the words of agents and prompts stay at home', async () => {
  const { out } = await runCommand(night, 'export', '-o', '-')
  expect(items(out).some(({ type }) => type === 'log')).toBe(false)
})

test('a key at the very place where a long log is cut is redacted, not halved', async () => {
  const key = `ghp_${'a1B2'.repeat(9)}`
  const log = join(night.path, '.git', 'ralph', 'root', 'logs', night.run, 'w1', '1', 'gate-long.log')
  const cut = 128 * 1024
  // Every place of the key is once where the end of the log begins, and where the reading of it begins.
  for (const before of [cut - 20, cut - 36, cut - 4, cut + 2 * 8192 - 20, cut + 2 * 8192 - 36]) {
    await writeFile(log, `${'x '.repeat(200_000)}${key} ${'y '.repeat(before / 2)}`)
    const { out } = await runCommand(night, 'export', '-o', '-', '--logs')
    const text = items(out).find(({ path }) => path === 'w1/1/gate-long.log')?.text ?? ''
    expect([text.length > cut / 2, /a1B2|ghp_/.test(text)]).toEqual([true, false])
  }
  await rm(log)
})
