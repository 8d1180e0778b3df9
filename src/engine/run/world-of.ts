/** The world of a run, put together from what is held and what it began with. */
import { maskFor } from '../../config/mask-for.ts'
import type { Agents } from '../../config/resolve.ts'
import type { RunId } from '../../domain/ids.ts'
import type { Rules } from '../../domain/state/rules.ts'
import { findEvidence } from '../../store/evidence.ts'
import { taskTexts } from '../../store/task/texts.ts'
import type { Clock } from '../../system/clock.ts'
import { readPaper } from '../../workspace/prompt-files.ts'
import { openFlights } from '../perform/flights.ts'
import { judgingFor } from '../perform/judging.ts'
import { personOf } from '../person.ts'
import type { Place, World } from '../world.ts'
import type { HeldTree } from './held-tree.ts'

export function worldOf(
  held: HeldTree,
  run: { run: RunId; clock: Clock; rules: Rules; agents: Agents },
): World {
  const { root, repo, folder, settings } = held
  const { handover } = settings
  // All work in the user's checkout, which is the place of a plain loop.
  const place: Place = {
    root,
    repo,
    judging: judgingFor({ repo, root, sql: held.store.sql, handover }, run.rules),
  }
  const mask = maskFor(settings, root)
  return {
    run: run.run,
    project: { root, repo },
    at: () => place,
    places: () => [place],
    swept: new Set(),
    folder,
    clock: run.clock,
    loop: run.rules.loop,
    custom: run.agents.agents,
    programs: run.agents.programs,
    handover,
    baselines: openFlights(),
    mask,
    backup: settings.values['loop.backup'],
    snapshotsKept: settings.values['keep.snapshots'],
    mcp: settings.values['agent.mcp'] === 'auto',
    idleByDefault: settings.origin('agent.idle').from === 'default',
    terminal: settings.values['agent.terminal'],
    ...(held.askPerson === undefined ? {} : { askPerson: personOf(held.askPerson) }),
    taskTexts: (task) => taskTexts(held.store.sql, task, { paper: (path) => readPaper(root, path), mask }),
    knownEvidence: async ({ gate, tree }) => {
      if (tree === null) return null
      const found = await findEvidence(held.store.sql, {
        gate: gate.name,
        command: gate.run,
        tree,
        guarded: '',
      })
      return found === null || found.evidence.timedOut || found.evidence.missing ? null : found.evidence
    },
  }
}
