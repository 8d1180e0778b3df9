/**
 * `ralph complete`: what the completion scripts ask. Each word comes with a `+` in front, so that none is taken for a flag of ours.
 * Answers one candidate per line, `value<tab>description`; `:files` means: complete a file name.
 */
import { findProject } from '../../../../config/paths.ts'
import { EXIT } from '../../../../domain/error.ts'
import { oneLine } from '../../../../domain/text/text.ts'
import type { Code } from '../../frame/command.ts'
import type { COMPLETE } from '../../table/set-up.ts'
import { offer, type Candidate } from '../../frame/complete.ts'
import { homeOf } from '../../frame/project.ts'

const ABOUT_MAX = 80

export const run: Code<typeof COMPLETE> = async (input, io) => {
  const words = input.args.words.map((word) => word.replace(/^\+/, ''))
  const offered = offer(words)
  if (offered.is === 'files') {
    io.out(':files\n')
    return EXIT.done
  }
  const candidates =
    offered.is === 'words' ? offered.words : await runsFrom(words.at(-1) ?? '', io.cwd, homeOf(io))
  io.out(candidates.map(({ value, about }) => `${value}\t${oneLine(about, ABOUT_MAX)}\n`).join(''))
  return EXIT.done
}

async function runsFrom(typed: string, cwd: string, home: string): Promise<Candidate[]> {
  const { root, kind } = findProject(cwd, { home })
  if (kind === 'none' || kind === 'flat') return []
  const { recentRuns } = await import('../../../../desk/run/recent-runs.ts')
  const runs = await recentRuns(root)
  return runs.filter(({ id }) => id.startsWith(typed)).map(({ id, about }) => ({ value: id, about }))
}
