/**
 * Moves the oldest layout, with Ralph's files at the top of the project, into `.ralph/`. Makes a backup of everything first. Moves only
 * files that are certainly Ralph's: a folder called `logs` or `specs` alone makes no Ralph project.
 */
import { join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import { isoTime, systemClock } from '../../system/clock.ts'
import {
  ensureFolder,
  exists,
  listFolder,
  readIfExists,
  removeFolder,
  removeIfExists,
} from '../../system/files/files.ts'
import { copyRecursively, moveFile } from '../../system/files/copy-move.ts'
import { refuseWhileRunning } from './init-files.ts'

/** What `ralph migrate --json` prints. */
export interface MigrateResult {
  root: string
  /** `already`: it has the new layout; `nothing`: no Ralph project at all. */
  is: 'migrated' | 'already' | 'nothing'
  moved: { from: string; to: string }[]
  /** The backup folder, relative to the root. */
  backup: string | null
  remarks: string[]
}

interface Move {
  from: string
  to: string
}

export async function migrateProject(root: string): Promise<MigrateResult> {
  if (!exists(root)) throw new RalphError('not-found', `there is no folder ${root}`, { hint: 'Check the path.' })
  await refuseWhileRunning(root, 'migrate')
  const { moves, remarks } = plan(root)
  if (moves.length === 0) {
    const is = exists(join(root, '.ralph', 'PROMPT.md')) ? 'already' : 'nothing'
    return { root, is, moved: [], backup: null, remarks }
  }
  const backup = copyAside(root, moves)
  for (const move of moves) carry(root, move)
  return { root, is: 'migrated', moved: moves, backup, remarks: [...remarks, ...oldNames(root)] }
}

/** The first existing file is used; one at the top takes precedence over one in `.ralph/` from an earlier layout. */
const CONTROL: { to: string; from: string[] }[] = [
  { to: '.ralph/PROMPT.md', from: ['PROMPT.md'] },
  { to: '.ralph/fix_plan.md', from: ['@fix_plan.md', 'fix_plan.md', '.ralph/@fix_plan.md'] },
  { to: '.ralph/AGENT.md', from: ['@AGENT.md', 'AGENT.md', '.ralph/@AGENT.md'] },
]

const FOLDERS = ['specs', 'logs', 'docs/generated', 'examples']

/** Names that only Ralph uses. */
const STATE = [
  '.call_count',
  '.token_count',
  '.last_reset',
  '.exit_signals',
  '.response_analysis',
  '.json_parse_result',
  '.circuit_breaker_state',
  '.circuit_breaker_history',
  '.claude_session_id',
  '.ralph_session',
  '.ralph_session_history',
  '.last_output_length',
  '.loop_start_sha',
]

/** Names that other tools use too, and a word that only Ralph's file contains. */
const SHARED: [string, string][] = [
  ['status.json', '"loop_count"'],
  ['progress.json', '"elapsed_seconds"'],
]

function plan(root: string): { moves: Move[]; remarks: string[] } {
  const has = (name: string): boolean => exists(join(root, name))
  const state = STATE.filter(has)
  const whole = CONTROL.every(({ from }) => from.some(has))
  const signed = has('@fix_plan.md') || has('@AGENT.md') || state.length > 0 || whole
  const half = has('.ralph/@fix_plan.md') || has('.ralph/@AGENT.md')
  // A prompt identifies a Ralph project; an AGENT.md, a plan or a folder alone may be anybody's.
  const hasTopLevelSource = signed || has('PROMPT.md')
  if (!hasTopLevelSource && !half) return { moves: [], remarks: [] }
  const control = CONTROL.flatMap(({ to, from }) =>
    from
      .filter(has)
      .slice(0, 1)
      .map((name) => ({ from: name, to })),
  )
  const below = (name: string): Move => ({ from: name, to: `.ralph/${name}` })
  const shared = SHARED.filter(([name, word]) => readIfExists(join(root, name))?.includes(word) === true).map(
    ([name]) => name,
  )
  const folders = FOLDERS.filter(has)
  const left = signed
    ? []
    : folders.map(
        (name) => `${name} was not moved, because it may not be Ralph's. If it is Ralph's, move it to .ralph/${name}`,
      )
  const moves = [...control, ...(signed ? folders : []).map(below), ...[...state, ...shared].map(below)]
  return { moves, remarks: hasTopLevelSource ? left : [] }
}

function copyAside(root: string, moves: readonly Move[]): string {
  const stamp = isoTime(systemClock().at()).slice(0, 19).replace(/[-:]/g, '').replace('T', '_')
  let backup = `.ralph_backup_${stamp}`
  for (let n = 2; exists(join(root, backup)); n += 1) backup = `.ralph_backup_${stamp}-${n}`
  // Files that are replaced go into the backup as well.
  const names = new Set(moves.flatMap(({ from, to }) => [from, to]).filter((name) => exists(join(root, name))))
  for (const name of names) {
    ensureFolder(join(root, backup, name, '..'), 0o755)
    copyRecursively(join(root, name), join(root, backup, name))
  }
  return backup
}

/** A folder that exists on both sides is merged file by file; the file from the top wins. */
function carry(root: string, { from, to }: Move): void {
  const [source, target] = [join(root, from), join(root, to)]
  ensureFolder(join(target, '..'), 0o755)
  if (!isFolder(source)) {
    removeIfExists(target)
    moveFile(source, target)
  } else if (!exists(target)) {
    moveFile(source, target)
  } else {
    for (const name of listFolder(source)) carry(root, { from: `${from}/${name}`, to: `${to}/${name}` })
    removeFolder(source)
  }
}

function isFolder(path: string): boolean {
  return exists(`${path}/.`)
}

/** The user's text stays, but it may mention files that have moved, which an agent would not find. */
function oldNames(root: string): string[] {
  const prompt = readIfExists(join(root, '.ralph/PROMPT.md')) ?? ''
  return ['@fix_plan.md', '@AGENT.md']
    .filter((name) => prompt.includes(name))
    .map((name) => `.ralph/PROMPT.md still mentions ${name}; it is .ralph/${name.slice(1)} now`)
}
