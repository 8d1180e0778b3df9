/** Checks that the program of each gate exists. Whether the rest of a command works shows only when it runs. */
import { resolve } from 'node:path'
import { gateProgram } from '../../core/text/gate-program.ts'
import type { Gate } from '../../core/proof/evidence.ts'
import { gateExample } from '../../core/proof/gate-example.ts'
import { exists } from '../../system/files/files.ts'
import { findProgram } from '../../system/process/process.ts'
import { badFinding, okFinding, warnFinding, type Finding } from './finding.ts'

export function gateFindings(root: string, gates: Gate[], env: Record<string, string | undefined>): Finding[] {
  if (gates.length === 0) {
    const fix = `Detect them with ralph init, or add this to .ralph.toml:\n${gateExample('npm test')}`
    return [warnFinding('gates', 'none configured, so Ralph cannot prove that work is done', fix)]
  }
  return gates.map((gate) => gateFinding(root, gate, env))
}

function gateFinding(root: string, gate: Gate, env: Record<string, string | undefined>): Finding {
  const about = `gate ${gate.name}`
  const folder = resolve(root, gate.cwd)
  if (!exists(folder)) return badFinding(about, `its folder ${gate.cwd} is missing`, `Fix the cwd of gate ${gate.name}`)
  const program = gateProgram(gate.run)
  if (program === null) return okFinding(about, `${gate.run} (a shell command; not checked)`)
  const found = findProgram(program.includes('/') ? resolve(folder, program) : program, {
    ...env,
    ...gate.env,
  })
  if (found !== null) return okFinding(about, gate.run)
  const problem = program.includes('/')
    ? `is missing in ${gate.cwd === '.' ? 'the project' : gate.cwd}, or not executable`
    : 'is not on the PATH'
  return badFinding(about, `${gate.run}: ${program} ${problem}`, `Install ${program}, or fix gate ${gate.name}`)
}
