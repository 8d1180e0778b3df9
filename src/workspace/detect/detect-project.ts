/**
 * Detects the kind of project in a folder and the commands that test, check and build it. Only reads files; starts nothing. The result is a
 * proposal with reasons, which `ralph init` shows.
 */
import { basename } from 'node:path'
import type { Gate } from '../../core/proof/evidence.ts'
import { openProjectFiles, type FoundGate, type DetectedLanguage, type SlowReason } from './project-files.ts'
import { detectLanguages } from './detect-languages.ts'

export interface ProposedGate {
  gate: { name: string; run: string; when: Gate['when']; minutes: number }
  /** Where it was found, for screens. */
  why: string
  /** Why it is slow, for screens; null: it is quick. */
  slow: string | null
  /** Selected by default; a gate that needs a browser, services or an hour is only offered. */
  chosen: boolean
}

export interface DetectedProject {
  type: DetectedLanguage['type'] | 'generic'
  name: string
  packageManager: string | null
  testCommand: string | null
  buildCommand: string | null
  runCommand: string | null
}

/** The time limit of a gate without a setting. */
export const DEFAULT_GATE_MINUTES = 10

const SLOW: Record<SlowReason, { words: string; minutes: number; chosen: boolean }> = {
  build: { words: 'a build', minutes: 20, chosen: true },
  compiles: { words: 'it compiles everything first', minutes: 20, chosen: true },
  integration: { words: 'integration tests, which may need services', minutes: 30, chosen: false },
  e2e: { words: 'end-to-end tests, which may need a browser or a server', minutes: 30, chosen: false },
  mutation: { words: 'mutation tests, which run the other tests many times', minutes: 60, chosen: false },
}

export async function detectGates(root: string): Promise<ProposedGate[]> {
  const found = detectLanguages(root).flatMap(({ type, gates }) => gates.map((gate) => ({ ...gate, type })))
  // `make test` usually runs the commands found above, so wrappers count only for gates that nothing else provides.
  const wrapped = wrappersIn(root).filter(({ name }) => !found.some((other) => other.name === name))
  const taken = new Set<string>()
  return [...found, ...wrapped].map(({ name, run, why, type, slow }) => {
    const gate = { name: unused(name, type, taken), run, when: 'completion' as const }
    if (slow === undefined) return { gate: { ...gate, minutes: DEFAULT_GATE_MINUTES }, why, slow: null, chosen: true }
    const { words, minutes, chosen } = SLOW[slow]
    return { gate: { ...gate, minutes }, why, slow: words, chosen }
  })
}

/** `test`, then `test-rust`, then `test-rust-2`. */
function unused(name: string, type: string, taken: Set<string>): string {
  const names = [name, `${name}-${type}`]
  for (let n = 2; names.length < 10; n += 1) names.push(`${name}-${type}-${n}`)
  const free = names.find((candidate) => !taken.has(candidate)) ?? name
  taken.add(free)
  return free
}

export async function detectProject(root: string): Promise<DetectedProject> {
  // The last kind decides, as in the bash tool: a Rust or Go program with a package.json is a Rust or Go program.
  const kind = detectLanguages(root).at(-1)
  const gates = await detectGates(root)
  const test = gates.find(({ gate }) => gate.name === 'test')?.gate.run ?? null
  return {
    type: kind?.type ?? 'generic',
    name: kind?.name ?? basename(root),
    packageManager: kind?.manager ?? null,
    testCommand: kind?.gates.find((gate) => gate.name === 'test')?.run ?? test,
    buildCommand: kind?.build ?? null,
    runCommand: kind?.start ?? null,
  }
}

/** Targets of one purpose; the first that exists is taken. */
const TARGETS: readonly [name: string, targets: readonly string[]][] = [
  ['test', ['test', 'check']],
  ['lint', ['lint']],
  ['typecheck', ['typecheck']],
]

/** Targets of `make` and `just`, which may wrap any language. */
function wrappersIn(root: string): (FoundGate & { type: string })[] {
  const files = openProjectFiles(root)
  const make = files.first('Makefile', 'makefile', 'GNUmakefile')
  const just = files.first('justfile', 'Justfile', '.justfile')
  const targets = names(files.text(make ?? ''), /^([\w-]+)\s*::?(?![:=])/gm)
  const recipes = names(files.text(just ?? ''), /^@?([\w-]+)\b[^:\n]*:(?!=)/gm)
  return TARGETS.flatMap(([name, candidates]) => {
    const target = candidates.find((candidate) => targets.has(candidate))
    if (target !== undefined)
      return [{ name, run: `make ${target}`, why: `the ${make} has the target "${target}"`, type: 'make' }]
    const recipe = candidates.find((candidate) => recipes.has(candidate))
    if (recipe === undefined) return []
    return [{ name, run: `just ${recipe}`, why: `the ${just} has the recipe "${recipe}"`, type: 'just' }]
  })
}

function names(text: string, pattern: RegExp): Set<string> {
  return new Set([...text.matchAll(pattern)].map(([, name]) => name ?? ''))
}
