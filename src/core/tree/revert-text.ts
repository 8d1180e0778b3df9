/** Which unrelated changes were reverted, and how to restore them: for a person who edited one of these files meanwhile. */
import type { EventOf } from '../state/event.ts'
import { plural } from '../text/format-amounts.ts'

type Back = Extract<EventOf<'reverted'>, { is: 'back' }>

/** A sentence names at most this many. */
const NAMED_MAX = 6

export function describeReverted({ files, commits, paths }: Pick<Back, 'files' | 'commits' | 'paths'>): string {
  return [
    ...(files > 0 || commits === 0 ? [`${plural(files, 'file')}${formatFileNames(paths, files)}`] : []),
    ...(commits > 0 ? [plural(commits, 'commit')] : []),
  ].join(' and ')
}

/** In brackets, the first of them; nothing where no name is known. */
export function formatFileNames(paths: string[], files: number): string {
  const named = paths.slice(0, NAMED_MAX).join(', ')
  return named === '' ? '' : ` (${named}${files > NAMED_MAX ? ', …' : ''})`
}

export function describeNotReverted({ left }: Pick<Back, 'left'>): string {
  return left.length === 0 ? '' : `; unchanged: ${left.slice(0, NAMED_MAX).join(', ')}`
}

export function howToRestore({ kept }: Pick<Back, 'kept'>): string {
  return `git show ${kept}. Restore them: git show --binary ${kept} | git apply`
}
