/** Runs the gates now, as a completion would, and says what the verdict would be. Nothing is recorded: there is no run. */
import { join } from 'node:path'
import type { Settings } from '../config/resolve.ts'
import { RalphError } from '../domain/error.ts'
import type { Event } from '../domain/event.ts'
import type { Evidence, Gate, Verdict } from '../domain/proof/evidence.ts'
import { judge } from '../domain/proof/verdict.ts'
import type { Rules } from '../domain/rules.ts'
import { suggest } from '../domain/suggest.ts'
import { useStore } from '../store/use.ts'
import { realClock } from '../system/clock.ts'
import { newAbort } from '../system/errand.ts'
import { onSignals, type StopSignal } from '../system/signals.ts'
import { openRepo } from '../workspace/git.ts'
import { storeFolder } from '../workspace/place.ts'
import { removeIndexes } from '../workspace/private-index.ts'
import { takeSnapshot } from '../workspace/snapshot.ts'
import type { Aborting } from './handler.ts'
import { whileHolding } from './hold.ts'
import { maskFor } from './mask-for.ts'
import { gateHandler } from './perform/gate.ts'
import { repoFor, type World } from './world.ts'

export interface VerifyOptions {
  root: string
  settings: Settings
  rules: Rules
  /** Only this gate; null: all of them. */
  gate: string | null
  command: string
  began(gate: Gate): void
  ended(evidence: Evidence): void
  notice(text: string): void
}

export interface Verified {
  verdict: Verdict
  why: string
  evidence: Evidence[]
}

export async function verify(options: VerifyOptions): Promise<Verified> {
  const { root, settings, rules } = options
  const gates = chosen(rules.gates, options.gate)
  const repo = await openRepo(root)
  const folder = storeFolder(repo, root)
  const notice = (text: string): void => options.notice(text)
  const abort = newAbort()
  let heard: StopSignal | null = null
  const deaf = onSignals((signal) => {
    heard ??= signal
    abort.abort()
  })
  try {
    return await useStore(join(folder, 'ralph.db'), { create: true, notice }, (store) =>
      whileHolding(store, options, async () => {
        const world: World = {
          run: 'verify',
          root,
          repo,
          folder,
          clock: realClock(),
          loop: rules.loop,
          custom: settings.agents,
          programs: settings.programs,
          handover: settings.handover,
          mask: maskFor(settings, root),
          backup: false,
          idleByDefault: true,
          knownEvidence: () => Promise.resolve(null),
        }
        const handler = gateHandler(world)
        const aborting: Aborting = { signal: abort.signal, told: null, onAbort: () => {} }
        const evidence: Evidence[] = []
        for (const [index, gate] of gates.entries()) {
          options.began(gate)
          const id = `v${index}`
          const { tree } = await takeSnapshot(repoFor(world, id, aborting), { ref: null })
          const effect = {
            type: 'run-gate',
            id,
            worker: '1',
            gate,
            iteration: 0,
            tree,
            purpose: 'completion',
            old: null,
            guarded: '',
          } as const
          const result = await new Promise<Evidence>((resolve, reject) => {
            const put = (event: Event): void => {
              if (event.type === 'gate-ended') resolve(event.evidence)
            }
            handler.perform(effect, put, aborting).catch(reject)
          })
          evidence.push(result)
          options.ended(result)
        }
        return { ...judge(gates, evidence, { quarantine: rules.proof.quarantine }), evidence }
      }),
    )
  } catch (error) {
    throw heard === null ? error : interrupted(heard)
  } finally {
    deaf()
    removeIndexes(repo)
  }
}

function interrupted(signal: StopSignal): RalphError {
  const code = signal === 'SIGINT' ? 'interrupted' : 'terminated'
  return new RalphError(code, `the gates were stopped by ${signal}, so nothing is proven`)
}

function chosen(gates: Gate[], name: string | null): Gate[] {
  if (name === null) return gates
  const gate = gates.find((one) => one.name === name)
  if (gate !== undefined) return [gate]
  const names = gates.map((one) => one.name)
  const near = suggest(name, names)
  throw new RalphError('usage', `there is no gate "${name}"`, {
    hint: near === null ? `Gates of this project: ${names.join(', ') || 'none'}` : `Did you mean ${near}?`,
  })
}
