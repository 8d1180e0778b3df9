/**
 * Finds out what kind of project a folder holds and which commands test, check and build it. Only reads files; starts nothing. What is
 * found is a proposal with its reason, for `ralph init` to show.
 */
import { basename } from 'node:path'
import { type Found, type Kind, kindsIn, look } from './project-kinds.ts'

export interface DetectedGate {
  gate: { name: string; run: string }
  /** Where it was found, for people. */
  why: string
}

export interface DetectedProject {
  type: Kind['type'] | 'generic'
  name: string
  packageManager: string | null
  testCommand: string | null
  buildCommand: string | null
  runCommand: string | null
}

export async function detectGates(root: string): Promise<DetectedGate[]> {
  const kinds = kindsIn(root)
  const found = kinds.flatMap(({ type, gates }) => gates.map((gate) => ({ ...gate, type })))
  // `make test` usually calls what we found already; it speaks only where nobody else does.
  const all = found.some(({ name }) => name === 'test') ? found : [...found, ...wrappersIn(root)]
  const taken = new Set<string>()
  return all.map(({ name, run, why, type }) => {
    const unique = taken.has(name) ? `${name}-${type}` : name
    taken.add(name)
    return { gate: { name: unique, run }, why }
  })
}

export async function detectProject(root: string): Promise<DetectedProject> {
  // The last kind decides, as in the bash tool: a Rust or Go program with a package.json is a Rust or Go program.
  const kind = kindsIn(root).at(-1)
  const gates = await detectGates(root)
  const test = gates.find(({ gate }) => gate.name === 'test')?.gate.run ?? null
  const name = kind?.name ?? basename(root)
  if (kind === undefined) {
    return {
      type: 'generic',
      name,
      packageManager: null,
      testCommand: test,
      buildCommand: null,
      runCommand: null,
    }
  }
  const own = kind.gates.find((gate) => gate.name === 'test')?.run ?? test
  return {
    type: kind.type,
    name,
    packageManager: kind.manager,
    testCommand: own,
    buildCommand: kind.build,
    runCommand: kind.start,
  }
}

/** `make` and `just`, which may stand for any language. */
function wrappersIn(root: string): (Found & { type: string })[] {
  const files = look(root)
  const make = files.first('Makefile', 'makefile', 'GNUmakefile')
  const just = files.first('justfile', 'Justfile', '.justfile')
  const target = /^(test|check)\s*::?(?![:=])/m.exec(files.text(make ?? ''))?.[1]
  const recipe = /^@?(test|check)\b[^:\n]*:(?!=)/m.exec(files.text(just ?? ''))?.[1]
  if (make !== undefined && target !== undefined) {
    return [
      { name: 'test', run: `make ${target}`, why: `the ${make} has the target "${target}"`, type: 'make' },
    ]
  }
  if (just === undefined || recipe === undefined) return []
  return [
    { name: 'test', run: `just ${recipe}`, why: `the ${just} has the recipe "${recipe}"`, type: 'just' },
  ]
}
