/** Classifies the changes of a completion since the base, and writes the lists beside the logs: the record has their hash and counts. */
import { join, posix } from 'node:path'
import { droppedCheckboxes } from '../../core/plan/base-plan.ts'
import type { EffectOf } from '../../core/state/effect.ts'
import { mergeAllowedChanges, parseAllowedChanges, type AllowedChanges } from '../../core/proof/allowed-changes.ts'
import { toRanges } from '../../core/proof/needed-changes-search.ts'
import type { ClassifiedChangesSummary } from '../../core/proof/trial.ts'
import { isBreakableSource, serializeChanges } from '../../protection/classified-changes.ts'
import { isTestPath } from '../../protection/file-kinds.ts'
import { ensureFolder, hashText, writeWithoutSync } from '../../system/files/files.ts'
import { changedPathsBetween } from '../../workspace/snapshot/compare-snapshots.ts'
import { projectPrefix } from '../../workspace/repo/find-repo.ts'
import { hashRefs } from '../../workspace/repo/ref-hash.ts'
import { takeSnapshot } from '../../workspace/snapshot/snapshot.ts'
import { classifyCompletion } from '../../workspace/classify-completion.ts'
import { answerTo, type Handler } from '../runtime/handler.ts'
import { trialResultOfError } from './clean-room-failure.ts'
import { iterationLogFolder } from '../../workspace/log-folders.ts'
import { recoverByRepeating, repoOfEffect, type WorkerContext } from '../handler-context.ts'
import { archivePlan } from './take-snapshot.ts'

/** Limits of names in the state: a person reads no more. */
const WORK_NAMED = 10
const PROTECTED_NAMED = 40
const LISTED = 20

export function classifyChangesHandler(world: WorkerContext): Handler<EffectOf<'classify-changes'>> {
  const { archive, proof } = world.proofContext

  return {
    async perform(effect, put, aborting) {
      const repo = repoOfEffect(world, effect.id, aborting)
      const { id: final } = await archive.take(repo)
      const { tree } = await takeSnapshot(repo, { ref: null })
      if (tree !== effect.tree) {
        const changed = (await changedPathsBetween(repo, effect.tree, tree)) ?? []
        return put({ type: 'final-tree-checked', ...answerTo(effect), changed: changed.slice(0, LISTED) })
      }
      try {
        put({
          type: 'changes-classified',
          ...answerTo(effect),
          classification: sort(effect, { final, refs: await hashRefs(repo) }),
        })
      } catch (thrown) {
        put({ type: 'trial-ended', ...answerTo(effect), trial: trialResultOfError(thrown) })
      }
    },
    // Reading changes nothing, so the effect is repeated.
    recoverAnswer: recoverByRepeating(world),
  }

  function sort(
    effect: EffectOf<'classify-changes'>,
    { final, refs }: { final: string; refs: string | null },
  ): ClassifiedChangesSummary {
    const { base } = effect
    const prefix = projectPrefix(world.repo, world.root)
    const inTop = (glob: string): string => posix.join(prefix, glob)
    const planThen = textOf(base.plan)
    const plan = archivePlan(world)
    const { tests, protectedFiles } = allowanceOf(effect, planThen)
    const { changes, isMutable, notes } = classifyCompletion({
      archive,
      base: base.tree,
      final,
      gates: effect.gates.map(({ name, run, cwd }) => ({ name, run, cwd: posix.join(prefix, cwd) })),
      work: proof.source.map(inTop),
      protect: proof.protect.map(inTop),
      quarantine: proof.quarantine,
      gitRefsChanged: base.refs !== null && base.refs !== refs,
      allowance: { tests: tests.map(inTop), protectedFiles: protectedFiles.map(inTop) },
    })
    const text = serializeChanges(changes)
    const folder = iterationLogFolder(world, effect.worker, effect.iteration)
    ensureFolder(folder)
    const file = join(folder, 'changes.json')
    writeWithoutSync(file, text)
    return {
      file,
      hash: hashText(text),
      final,
      plan,
      refs,
      work: changes.work.length,
      documents: changes.work.filter(({ isDocument }) => isDocument).length,
      breakableCount: changes.work.filter(isBreakableSource).length,
      isMutable,
      mutableTests: changes.tests.length,
      protectedFiles: changes.protectedFiles.length,
      protectedAdded: changes.protectedFiles.filter(({ kind }) => kind === 'added').length,
      allowedCount: changes.protectedFiles.filter(({ allowed }) => allowed).length,
      testFiles: toRanges(changes.protectedFiles.flatMap(({ path }, at) => (isTestPath(path) ? [at] : []))),
      unclear: changes.unclear.slice(0, LISTED).map(({ path, why }) => ({ path, why })),
      droppedCheckboxes: droppedCheckboxes(planThen, textOf(plan), world.loop.optionalSections).slice(0, LISTED),
      names: {
        work: changes.work.slice(0, WORK_NAMED).map(({ path }) => path),
        protectedFiles: changes.protectedFiles.slice(0, PROTECTED_NAMED).map(({ path }) => path),
      },
      notes,
    }
  }

  /** Merges the allowances of the base's plan, of the settings, and of the task when it was claimed. */
  function allowanceOf({ tests = [] }: EffectOf<'classify-changes'>, planThen: string): AllowedChanges {
    return mergeAllowedChanges(mergeAllowedChanges(parseAllowedChanges(planThen), proof.mayChange), {
      tests,
      protectedFiles: [],
    })
  }

  function textOf(hash: string | null): string {
    return hash === null ? '' : archive.bytes(hash).toString('utf8')
  }
}
