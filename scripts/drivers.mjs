#!/usr/bin/env node
/**
 * Writes src/agents/drivers.ts: one driver for each row of src/core/calls/known-agents.ts, out of the file of its name. The names must be
 * known where no vendor's code may be loaded (settings, completion), so they are in `core`, which imports nobody; this is how the
 * registry follows them without a second list that somebody keeps.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const SRC = join(dirname(fileURLToPath(import.meta.url)), '..', 'src')
const FILE = join(SRC, 'agents', 'drivers.ts')

const { KNOWN_AGENTS: names } = await load(join(SRC, 'core', 'calls', 'known-agents.ts'))
const text = `/** Written by the build (scripts/drivers.mjs) from the rows of core/calls/known-agents.ts. */
import type { KnownAgent } from '../core/calls/known-agents.ts'
import type { Driver } from './driver.ts'
${names.map((name) => `import { ${exported(name)} } from './${name}.ts'\n`).join('')}
export const DRIVERS: Record<KnownAgent, Driver> = {
${names.map((name) => `  ${exported(name) === name ? name : `'${name}': ${exported(name)}`},\n`).join('')}}
`
if (current() !== text) writeFileSync(FILE, text)

/** `my-agent` exports `myAgent`. */
function exported(name) {
  return name.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase())
}

async function load(file) {
  const { output } = await build({ input: file, write: false, logLevel: 'silent' })
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`)
}

function current() {
  try {
    return readFileSync(FILE, 'utf8')
  } catch {
    return null
  }
}
