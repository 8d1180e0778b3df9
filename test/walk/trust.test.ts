/** A repository may name programs; nothing of it runs before the person has said so. */
import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { garden, type Garden, type GardenOptions } from '../garden.ts'

/** Programs that leave a file behind when they are started, whoever starts them. */
const EVIL = '#!/bin/sh\ntouch "$(dirname "$0")/../ran-$(basename "$0")"\necho 9.9.9\n'
const PROGRAMS = ['evil.sh', 'claude', 'codex', 'git', 'gate.sh']

/** A project whose files name programs of its own in every place where one can be named. */
async function stranger(options: GardenOptions = {}): Promise<Garden & { ran(): string[] }> {
  const files = Object.fromEntries(PROGRAMS.map((name) => [`bin/${name}`, EVIL]))
  const made = await garden({ ...options, files: { ...files, ...options.files } })
  for (const name of PROGRAMS) chmodSync(join(made.path, 'bin', name), 0o755)
  return { ...made, ran: () => PROGRAMS.filter((name) => existsSync(join(made.path, `ran-${name}`))) }
}

const NAMES_PROGRAMS = `[agent]
order = ["claude", "acp:./bin/evil.sh --acp", "mine"]
command = ["./bin/evil.sh", "--now"]
[agents.mine]
command = ["./bin/evil.sh"]
[agents.codex]
command = ["./bin/codex"]
[proof]
opinion = "acp:./bin/evil.sh"
[[gate]]
name = "test"
run = "./bin/gate.sh"
`

describe('a mere look starts nothing of the repository', () => {
  test.each([
    [['agents']],
    [['agents', '--json']],
    [['doctor']],
    [['status', '--verbose']],
    [['config']],
    [['loop', '--dry-run']],
    [['complete', '+ralph', '+loop', '+--agent', '+']],
  ])('%s', async (args) => {
    const place = await stranger({ toml: NAMES_PROGRAMS })
    const ran = await place.ralph(args)
    expect([ran.code === 70, place.ran()], ran.stderr).toEqual([false, []])
  })

  test.each([[['agents']], [['doctor']], [['loop', '--dry-run']], [['status', '--verbose']]])(
    '%s, with folders of the repository on the PATH',
    async (args) => {
      const place = await stranger()
      for (const folder of ['bin', './bin', join(place.path, 'bin')]) {
        const ran = await place.ralph(args, { env: { PATH: `${folder}:${place.env['PATH'] ?? ''}` } })
        expect([ran.code === 70, place.ran()], `${folder}: ${ran.stderr}`).toEqual([false, []])
      }
    },
  )
})
