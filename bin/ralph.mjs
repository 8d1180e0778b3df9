#!/usr/bin/env node
// The built program. A source checkout that was never built (npm ci --ignore-scripts) builds itself on the first call.
const built = new URL('../dist/cli.js', import.meta.url)
try {
  await import(built.href)
} catch (error) {
  const { existsSync } = await import('node:fs')
  if (existsSync(built)) throw error
  const { spawnSync } = await import('node:child_process')
  const { fileURLToPath } = await import('node:url')
  const setup = fileURLToPath(new URL('../scripts/setup.mjs', import.meta.url))
  const { status } = spawnSync(process.execPath, [setup, 'build'], { stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
  await import(built.href)
}
