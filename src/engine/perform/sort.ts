/** Sorts what a completion changed since the base, and writes the lists beside the logs: the record holds their hash and the counts. */
import { join, posix } from 'node:path'
import { lostBoxes } from '../../domain/plan/plan-base.ts'
import type { EffectOf } from '../../domain/state/effect.ts'
import { bothLeaves, leaveIn, type Leave } from '../../domain/proof/leave.ts'
import type { Sorting } from '../../domain/proof/trial.ts'
import { isBreakable, writeChanges } from '../../judge/changes.ts'
import { ensureFolder, hashText, writeLoose } from '../../system/files/files.ts'
import { pathsBetween } from '../../workspace/snapshot/measure.ts'
import { prefixOf } from '../../workspace/repo/repository-at.ts'
import { refsHash } from '../../workspace/repo/ref-hash.ts'
import { takeSnapshot } from '../../workspace/snapshot/snapshot.ts'
import { sortCompletion } from '../../workspace/sort-completion.ts'
import type { Handler } from '../circle/handler.ts'
import { nothingTried } from './room-trouble.ts'
import { iterationFolder } from '../../workspace/log-folders.ts'
import { endLeft, repoFor, type Here } from '../world.ts'
import { keepPlan } from './survey.ts'

/** Names that the state can carry, and a person reads. */
const WORK_NAMED = 10
const JUDGE_NAMED = 40
const LISTED = 20

export function sortHandler(world: Here): Handler<EffectOf<'sort-changes'>> {
  const { witness, proof } = world.judging

  return {
    async perform(effect, put, aborting) {
      const answer = { worker: effect.worker, effect: effect.id }
      const repo = repoFor(world, effect.id, aborting)
      const { id: final } = await witness.take(repo)
      const { tree } = await takeSnapshot(repo, { ref: null })
      if (tree !== effect.tree) {
        const changed = (await pathsBetween(repo, effect.tree, tree)) ?? []
        return put({ type: 'looked-again', ...answer, changed: changed.slice(0, LISTED) })
      }
      try {
        put({
          type: 'changes-sorted',
          ...answer,
          sorting: sort(effect, { final, refs: await refsHash(repo) }),
        })
      } catch (thrown) {
        put({ type: 'room-tried', ...answer, trial: nothingTried(thrown) })
      }
    },
    // Looking changes nothing, so it is simply done again.
    async inquire(effect) {
      await endLeft(world, effect)
      return { is: 'not-begun' }
    },
  }

  function sort(
    effect: EffectOf<'sort-changes'>,
    { final, refs }: { final: string; refs: string | null },
  ): Sorting {
    const { base } = effect
    const prefix = prefixOf(world.repo, world.root)
    const inTop = (glob: string): string => posix.join(prefix, glob)
    const planThen = textOf(base.plan)
    const plan = keepPlan(world)
    const { changes, wrongable, notes } = sortCompletion({
      witness,
      base: base.tree,
      final,
      gates: effect.gates.map(({ name, run, cwd }) => ({ name, run, cwd: posix.join(prefix, cwd) })),
      work: proof.work.map(inTop),
      protect: proof.protect.map(inTop),
      quarantine: proof.quarantine,
      gitMoved: base.refs !== null && base.refs !== refs,
      leave: inFolder(leaveOf(effect, planThen), inTop),
    })
    const text = writeChanges(changes)
    const folder = iterationFolder(world, effect.worker, effect.iteration)
    ensureFolder(folder)
    const file = join(folder, 'changes.json')
    writeLoose(file, text)
    return {
      file,
      hash: hashText(text),
      final,
      plan,
      refs,
      work: changes.work.length,
      documents: changes.work.filter(({ isDocument }) => isDocument).length,
      breakable: changes.work.filter(isBreakable).length,
      wrongable,
      testable: changes.tests.length,
      judge: changes.judge.length,
      judgeAdded: changes.judge.filter(({ kind }) => kind === 'added').length,
      permitted: changes.judge.filter(({ allowed }) => allowed).length,
      unclear: changes.unclear.slice(0, LISTED).map(({ path, why }) => ({ path, why })),
      lostBoxes: lostBoxes(planThen, textOf(plan), world.loop.optionalSections).slice(0, LISTED),
      names: {
        work: changes.work.slice(0, WORK_NAMED).map(({ path }) => path),
        judge: changes.judge.slice(0, JUDGE_NAMED).map(({ path }) => path),
      },
      notes,
    }
  }

  /** What the plan allowed at the base, the settings, and the task as it was when it was taken. */
  function leaveOf({ tests = [] }: EffectOf<'sort-changes'>, planThen: string): Leave {
    return bothLeaves(bothLeaves(leaveIn(planThen), proof.mayChange), { tests, judge: [] })
  }

  function textOf(hash: string | null): string {
    return hash === null ? '' : witness.bytes(hash).toString('utf8')
  }
}

function inFolder(
  leave: { tests: string[]; judge: string[] },
  inTop: (glob: string) => string,
): { tests: string[]; judge: string[] } {
  return { tests: leave.tests.map(inTop), judge: leave.judge.map(inTop) }
}
