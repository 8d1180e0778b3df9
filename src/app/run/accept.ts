/**
 * The question a run asks a person at its end: changes of protected files that the work needs and no rule allows. Shown file by file,
 * from the tree archive; answered once, and only for the tree that was tried.
 */
import { RalphError } from '../../core/error.ts'
import type { RunId } from '../../core/ids.ts'
import { ENTIRE_TREE, type AcceptanceRequest } from '../../core/proof/acceptance.ts'
import { rangeMembers } from '../../core/proof/needed-changes-search.ts'
import { parseChanges, type ClassifiedChanges, type TreeArchiveEntry } from '../../protection/classified-changes.ts'
import { loadBase, saveAcceptanceAnswer } from '../../store/bases.ts'
import { lockOwnerOf } from '../../store/lock.ts'
import type { Sql } from '../../store/db/sql.ts'
import { systemClock } from '../../system/clock.ts'
import { hashText, readIfExists } from '../../system/files/files.ts'
import { personName } from '../person-name.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { textDiff } from '../../workspace/repo/text-diff.ts'
import { diffTrees } from '../../workspace/archive/tree-listing.ts'
import type { TreeArchive } from '../../workspace/archive/tree-archive.ts'
import { withStoreAndFolders, type ProjectFolders } from '../open-store.ts'
import { archiveOf } from '../undo/mark-tree-seen.ts'
import { logPathOf } from './timeline.ts'

/** Where the user keeps files that no repository may provide. */
export interface AcceptContext {
  env: Readonly<Record<string, string | undefined>>
  home: string
}

/** `ralph accept --json`, before an answer. */
export interface PendingAcceptance {
  run: RunId
  /** The work needs all of them; false: one or more. */
  exact: boolean
  /** Which gates fail without them. */
  red: AcceptanceRequest['red']
  /** Why the gates prove nothing even with them; null: they do. */
  proofGap: string | null
  files: PendingFile[]
}

export interface PendingFile {
  /** From the root of the working tree. */
  path: string
  kind: 'added' | 'changed' | 'deleted' | 'ignored' | 'whole'
  /** Why the file is protected. */
  why: string
  /** Null: there is no git to compare with, or its bytes are not stored. */
  diff: string | null
}

export function loadPendingAcceptance(root: string, whose: AcceptContext): Promise<PendingAcceptance> {
  return withStoreAndFolders(root, async ({ sql }, folders) => {
    const { run, acceptance } = await pending(sql, root)
    const archive = archiveOf({ ...folders, ...whose })
    const changes = changesOf(folders, run, acceptance)
    await checkTree(archive, folders.repo, acceptance)
    const { exact, red, proofGap = null } = acceptance
    return { run, exact, red, proofGap, files: await filesOf({ changes, acceptance, archive, repo: folders.repo }) }
  })
}

/** A yes accepts all files of the question; a no lists those that were not accepted. */
export type AcceptDecision = { answer: 'yes' } | { answer: 'no'; files: string[] }

/** Checks that the files that were shown are still the current ones. Returns the name of the person who answered. */
export function answerAcceptance(
  root: string,
  whose: AcceptContext,
  { asked, said }: { asked: PendingAcceptance; said: AcceptDecision },
): Promise<string> {
  return withStoreAndFolders(root, async ({ sql }, folders) => {
    const { run, acceptance } = await pending(sql, root)
    if (run !== asked.run) throw movedOn(`run ${run} ended after this list was shown`)
    changesOf(folders, run, acceptance)
    await checkTree(archiveOf({ ...folders, ...whose }), folders.repo, acceptance)
    const who = await personName(root)
    const files = said.answer === 'yes' ? asked.files.map(({ path }) => path) : said.files
    const at = systemClock().at()
    await saveAcceptanceAnswer(sql, { workspace: root, run, at, who, answer: said.answer, files }, acceptance)
    return who
  })
}

async function pending(sql: Sql, root: string): Promise<{ run: RunId; acceptance: AcceptanceRequest }> {
  const lockOwner = await lockOwnerOf(sql, root)
  if (lockOwner !== null) {
    throw new RalphError('held', `"${lockOwner.command}" (process ${lockOwner.pid}) is running in ${root}`, {
      hint: 'Stop it first, or wait until it ends: ralph stop',
    })
  }
  const kept = await loadBase(sql, root)
  if (kept === null || kept.acceptance === null) {
    throw new RalphError('nothing-asked', 'nothing needs review here', {
      hint: 'See how the last run ended: ralph status. Check the working tree now: ralph verify',
    })
  }
  return { run: kept.run, acceptance: kept.acceptance }
}

/** The record has the hash of the list, so the changes shown are the ones that were tried. */
function changesOf({ folder }: ProjectFolders, run: RunId, { file, hash }: AcceptanceRequest): ClassifiedChanges {
  const text = readIfExists(logPathOf({ folder, run, recorded: file }))
  const changes = text !== null && hashText(text) === hash ? parseChanges(text) : null
  if (changes !== null) return changes
  throw movedOn(`the list of changed files (${file}) was ${text === null ? 'deleted' : 'changed'}`)
}

const NAMED = 8

async function checkTree(archive: TreeArchive, repo: Repo, { final }: AcceptanceRequest): Promise<void> {
  const now = await archive.take(repo)
  if (now.id === final) return
  const changed = diffTrees(archive.tree(final), now.tree).map(({ path }) => path)
  const more = changed.length > NAMED ? ` and ${changed.length - NAMED} more` : ''
  throw movedOn(`files changed since the proof: ${changed.slice(0, NAMED).join(', ')}${more}`)
}

function movedOn(what: string): RalphError {
  return new RalphError('moved-on', `${what}; nothing was accepted`, {
    hint: 'Check the working tree as it is now: ralph verify',
  })
}

interface Shown {
  changes: ClassifiedChanges
  acceptance: AcceptanceRequest
  archive: TreeArchive
  repo: Repo
}

async function filesOf({ changes, acceptance, archive, repo }: Shown): Promise<PendingFile[]> {
  const needed = rangeMembers(acceptance.changes).flatMap((number) => changes.protectedFiles[number] ?? [])
  const files: PendingFile[] = acceptance.unclear
    .filter(({ path }) => path === ENTIRE_TREE)
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
    files.push({ path, kind: 'ignored', why: 'git ignores this file, and the gates pass only with it', diff: null })
  return files

  async function compare(old: string | null, now: string | null): Promise<string | null> {
    const sides = { old: bytesOf(archive, old), now: bytesOf(archive, now) }
    return sides.old === 'not kept' || sides.now === 'not kept'
      ? null
      : textDiff(repo, { old: sides.old, now: sides.now })
  }
}

function hashOf(file: TreeArchiveEntry | null): string | null {
  return file?.hash ?? null
}

/** The tree archive lists large and secret files without their bytes. */
function bytesOf(archive: TreeArchive, hash: string | null): Buffer | null | 'not kept' {
  if (hash === null) return null
  try {
    return archive.bytes(hash)
  } catch (error) {
    if (error instanceof RalphError && error.code === 'witness-lost') return 'not kept'
    throw error
  }
}
