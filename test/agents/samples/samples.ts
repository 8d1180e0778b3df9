/** Captured output of the vendors' real programs (project folder shown as `/P`, home as `/H`), read as a driver reads it. */
import { readFileSync } from 'node:fs'
import type { AgentEvent, AgentRequest } from '../../../src/core/calls/agent-io.ts'
import type { Driver } from '../../../src/agents/driver.ts'

export function sample(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}

/** The events of a captured stream; `name` ends in `.stdout` or `.stderr`. */
export function eventsIn(driver: Driver, name: string): AgentEvent[] {
  const from = name.endsWith('.stderr') ? 'stderr' : 'stdout'
  return sample(name)
    .split('\n')
    .flatMap((line) => driver.read(line, from))
}

/** A request for one iteration in the project `/P`. */
export function sampleRequest(wishes: Partial<AgentRequest> = {}): AgentRequest {
  return { cwd: '/P', prompt: 'do it', extraDirs: [], env: {}, scratch: '/S', ...wishes }
}
