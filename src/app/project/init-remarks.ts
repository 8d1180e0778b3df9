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
      : [`packages are not installed yet, and the gates may need them: ${seen.packages}`]),
  ]
}

function agentRemarks({ known, installed }: InitObservations): string[] {
  const [first] = known
  if (installed.length > 0 || first === undefined) return []
  const names = known.map(({ name }) => name).join(', ')
  return [`no agent is installed. Ralph supports ${names}. Install one, for example: ${first.install}`]
}

export const NO_COMMIT_WARNING =
  'nothing is committed yet, so the first commit of the agent would include your files. Commit them first: git add -A && git commit -m "Begin"'

function gitRemarks({ git, root, above }: InitObservations): string[] {
  switch (git.is) {
    case 'none':
      return [
        `this is not a git repository, so Ralph cannot commit work, show diffs or undo a run. ${git.installed ? 'Make it one: git init' : 'Install git, then: git init'}`,
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
  if (above !== null)
    return [`this project is inside another project, ${above}; commands you run here apply to this one`]
  if (top === root) return []
  return [
    `this folder is part of the repository ${top}: Ralph works on this folder only. For the whole repository: cd ${top} && ralph init`,
  ]
}

function missingRemark({ gate, program }: MissingProgram): string {
  return `${program}: not found on this machine, and the gate ${gate} needs it. Install ${program}, or remove the gate from the settings`
}

function oldRemarks({ old }: InitObservations): string[] {
  if (old.some((name) => name.endsWith('.ralphrc')))
    return [
      'this is a project of bash Ralph: ralph loop runs it unchanged. Its settings stay in .ralphrc, and Ralph keeps its state files up to date',
    ]
  if (old.length === 0) return []
  return [`this project was used with bash Ralph (${old[0]}): Ralph keeps its state files up to date (ui.projections)`]
}
