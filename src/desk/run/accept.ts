/**
 * What a run asks a person about at its end: changes of the judge that the work needs and nobody has allowed. Shown file by file, from
 * the bytes that the witness kept; answered once, and only about the tree that was tried.
 */
import { RalphError } from '../../domain/error.ts'
import type { RunId } from '../../domain/ids.ts'
import { WHOLE_TREE, type Acceptance } from '../../domain/proof/acceptance.ts'
import { membersOf } from '../../domain/proof/search.ts'
import { readChanges, type Changes, type KeptFile } from '../../judge/changes.ts'
import { baseOf, settleAcceptance } from '../../store/bases.ts'
import { holderOf } from '../../store/holder.ts'
import type { Sql } from '../../store/db/sql.ts'
import { realClock } from '../../system/clock.ts'
import { hashText, readIfThere } from '../../system/files/files.ts'
import { whoAmI } from '../../system/person.ts'
import type { Repo } from '../../workspace/repo/repository-at.ts'
import { diffOf } from '../../workspace/repo/text-diff.ts'
import { witnessFolder } from '../../workspace/witness/folder.ts'
import { differences } from '../../workspace/witness/tree.ts'
import { openWitness, type Witness } from '../../workspace/witness/witness.ts'
import { withFolders, type ProjectFolders } from '../store-at.ts'
import { logFile } from './timeline.ts'

/** Where the user keeps what no repository may bring along. */
export interface AcceptWhose {
  env: Readonly<Record<string, string | undefined>>
  home: string
}

/** `ralph accept --json`, before an answer. */
export interface AskedAbout {
  run: RunId
  /** The work needs all of them; false: one or more. */
  exact: boolean
  /** What the gates say without them. */
  red: Acceptance['red']
  /** Why the gates prove nothing even with them; null: they do. */
  blind: string | null
  files: AskedFile[]
}

export interface AskedFile {
  /** From the top of the working tree. */
  path: string
  kind: 'added' | 'changed' | 'deleted' | 'ignored' | 'whole'
  /** Why it belongs to the judge. */
  why: string
  /** Null: there is no git to compare with, or its bytes are not kept. */
  diff: string | null
}

export function askedAbout(root: string, whose: AcceptWhose): Promise<AskedAbout> {
  return withFolders(root, async ({ sql }, folders) => {
    const { run, acceptance } = await pending(sql, root)
    const witness = witnessOf(folders, whose)
    const changes = changesOf(folders, run, acceptance)
    await checkTree(witness, folders.repo, acceptance)
    const { exact, red, blind = null } = acceptance
    return {
      run,
      exact,
      red,
      blind,
      files: await filesOf({ changes, acceptance, witness, repo: folders.repo }),
    }
  })
}

/** A yes is about all of the files that were asked about; a no names those that were not accepted. */
export type AcceptSaid = { answer: 'yes' } | { answer: 'no'; files: string[] }

/** Asked and answered are two moments: what was shown must still hold. Gives the name of whoever answered. */
export function answer(
  root: string,
  whose: AcceptWhose,
  { asked, said }: { asked: AskedAbout; said: AcceptSaid },
): Promise<string> {
  return withFolders(root, async ({ sql }, folders) => {
    const { run, acceptance } = await pending(sql, root)
    if (run !== asked.run) throw movedOn(`run ${run} has ended meanwhile`)
    changesOf(folders, run, acceptance)
    await checkTree(witnessOf(folders, whose), folders.repo, acceptance)
    const who = whoAmI().user || 'somebody'
    const files = said.answer === 'yes' ? asked.files.map(({ path }) => path) : said.files
    const at = realClock().at()
    await settleAcceptance(sql, { workspace: root, run, at, who, answer: said.answer, files }, acceptance)
    return who
  })
}

async function pending(sql: Sql, root: string): Promise<{ run: RunId; acceptance: Acceptance }> {
  const holder = await holderOf(sql, root)
  if (holder !== null) {
    throw new RalphError('held', `"${holder.command}" (process ${holder.pid}) is working in ${root}`, {
      hint: 'Let it end, or stop it first: ralph stop',
    })
  }
  const kept = await baseOf(sql, root)
  if (kept === null || kept.acceptance === null) {
    throw new RalphError('nothing-asked', 'nothing waits to be accepted here', {
      hint: 'How the last run ended: ralph status. To judge the tree as it is now: ralph verify',
    })
  }
  return { run: kept.run, acceptance: kept.acceptance }
}

function witnessOf({ repo, root }: Pick<ProjectFolders, 'repo' | 'root'>, whose: AcceptWhose): Witness {
  return openWitness(witnessFolder(root, repo, whose))
}

/** Its hash stands in the record: what is shown is what was tried. */
function changesOf({ folder }: ProjectFolders, run: RunId, { file, hash }: Acceptance): Changes {
  const text = readIfThere(logFile({ folder, run, recorded: file }))
  const changes = text !== null && hashText(text) === hash ? readChanges(text) : null
  if (changes !== null) return changes
  throw movedOn(
    `the list of what was changed (${file}) is ${text === null ? 'gone' : 'not what was written there'}`,
  )
}

const NAMED = 8

async function checkTree(witness: Witness, repo: Repo, { final }: Acceptance): Promise<void> {
  const now = await witness.take(repo)
  if (now.id === final) return
  const changed = differences(witness.tree(final), now.tree).map(({ path }) => path)
  const more = changed.length > NAMED ? ` and ${changed.length - NAMED} more` : ''
  throw movedOn(
    `the tree is not the one that was tried any more: ${changed.slice(0, NAMED).join(', ')}${more}`,
  )
}

function movedOn(what: string): RalphError {
  return new RalphError('moved-on', `${what}. So nothing can be accepted`, {
    hint: 'Have the tree judged as it is now: ralph verify',
  })
}

interface Shown {
  changes: Changes
  acceptance: Acceptance
  witness: Witness
  repo: Repo
}

async function filesOf({ changes, acceptance, witness, repo }: Shown): Promise<AskedFile[]> {
  const needed = membersOf(acceptance.changes).flatMap((number) => changes.judge[number] ?? [])
  const files: AskedFile[] = acceptance.unclear
    .filter(({ path }) => path === WHOLE_TREE)
    .map(({ path, why }) => ({ path, kind: 'whole', why, diff: null }))
  for (const { path, kind, why, part, base, final, old } of needed) {
    const before = part === 'file' ? hashOf(base) : old
    files.push({ path, kind, why, diff: await compare(before, hashOf(final)) })
  }
  for (const { path, why, base, final } of changes.unclear) {
    const kind = base === null ? 'added' : final === null ? 'deleted' : 'changed'
    files.push({ path, kind, why, diff: await compare(hashOf(base), hashOf(final)) })
  }
  for (const path of acceptance.ignored)
    files.push({ path, kind: 'ignored', why: 'git ignores it, and the work passes only with it', diff: null })
  return files

  async function compare(old: string | null, now: string | null): Promise<string | null> {
    const sides = { old: bytesOf(witness, old), now: bytesOf(witness, now) }
    return sides.old === 'not kept' || sides.now === 'not kept'
      ? null
      : diffOf(repo, { old: sides.old, now: sides.now })
  }
}

function hashOf(file: KeptFile | null): string | null {
  return file?.hash ?? null
}

/** Large and secret files are only listed by the witness. */
function bytesOf(witness: Witness, hash: string | null): Buffer | null | 'not kept' {
  if (hash === null) return null
  try {
    return witness.bytes(hash)
  } catch (error) {
    if (error instanceof RalphError && error.code === 'witness-lost') return 'not kept'
    throw error
  }
}
