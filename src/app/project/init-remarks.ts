/** Remarks of `init`: what a person should know before they continue, each with what to do about it. Pure. */
import { assertNever } from '../../core/assert-never.ts'
import type { GitPresence } from './detect-context.ts'

export interface InitObservations {
  root: string
  /** After `git init`, if that was requested. */
  git: GitPresence
  above: string | null
  /** Known agents, and those of them that are installed. */
  known: readonly { name: string; install: string }[]
  installed: readonly string[]
  missing: readonly MissingProgram[]
  /** The command that installs missing packages; null: nothing is missing. */
  packages: string | null
  /** Files of the bash tool. */
  old: readonly string[]
}

/** A gate whose program is not installed. */
export interface MissingProgram {
  gate: string
  program: string
}

export function initRemarks(seen: InitObservations): string[] {
  return [
    ...oldRemarks(seen),
    ...agentRemarks(seen),
    ...gitRemarks(seen),
    ...seen.missing.map(missingRemark),
    ...(seen.packages === null
      ? []
      : [`the packages are not installed here yet, and the gates may need them: ${seen.packages}`]),
  ]
}

function agentRemarks({ known, installed }: InitObservations): string[] {
  const [first] = known
  if (installed.length > 0 || first === undefined) return []
  const names = known.map(({ name }) => name).join(', ')
  return [
    `no agent is installed here, so nobody can work yet. Ralph knows ${names}. Install one, for example: ${first.install}`,
  ]
}

export const NO_COMMIT_WARNING =
  'nothing is committed yet, so the first commit of an agent would take your files in: git add -A && git commit -m "Begin"'

function gitRemarks({ git, root, above }: InitObservations): string[] {
  switch (git.is) {
    case 'none':
      return [
        `this is no git repository: work is measured and proven, but never committed, shown as a diff or taken back (ralph undo). ${git.installed ? 'Make it one: git init' : 'Install git, then: git init'}`,
      ]
    case 'empty':
      return [NO_COMMIT_WARNING, ...insideRemarks({ root, above, top: git.top })]
    case 'ready':
      return insideRemarks({ root, above, top: git.top })
    default:
      return assertNever(git)
  }
}

function insideRemarks({ root, above, top }: { root: string; above: string | null; top: string }): string[] {
  if (above !== null) return [`this is a project inside the project ${above}; commands typed here mean this one`]
  if (top === root) return []
  return [
    `this folder is a part of the repository ${top}: Ralph works on this part. For the whole: cd ${top} && ralph init`,
  ]
}

function missingRemark({ gate, program }: MissingProgram): string {
  return `${program}: not found on this machine, and the gate ${gate} needs it. Install ${program}, or take the gate out of the settings`
}

function oldRemarks({ old }: InitObservations): string[] {
  if (old.some((name) => name.endsWith('.ralphrc')))
    return [
      'this is a project of the bash tool: its .ralphrc stays the settings file, its state files stay current for its monitors, and ralph loop runs it as it is',
    ]
  if (old.length === 0) return []
  return [`the bash tool was here (${old[0]}): its state files stay current for its monitors (ui.projections)`]
}
