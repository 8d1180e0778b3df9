/**
 * Settings that earlier versions had. A file that still says one is read on: what it asked for is kept where that has a meaning today,
 * and whoever starts a run is told what became of it.
 */
import type { Layer, SaidValue } from './layer.ts'
import { sayOrigin } from './origin.ts'

/** Each with what became of it. */
export const GONE: Readonly<Record<string, string>> = {
  'proof.on_tamper':
    'a completion is tried with everything that judges it put back, and what it needs changed is asked about by `ralph accept`',
  'proof.edited_tests':
    '`accept` is read as `proof.allow_tests = ["**"]`; otherwise edited tests are judged by trial, like everything else',
}

/** Takes up what was said by such a name; false: there never was a setting of that name. */
export function tookGone(layer: Layer, key: string, said: SaidValue): boolean {
  if (!Object.hasOwn(GONE, key)) return false
  const became = (GONE[key] ?? '').replaceAll('`', '')
  layer.remarks.push(`${sayOrigin(said.origin)} is no setting any more: ${became}`)
  // The new name says it better, wherever it stands in the same file.
  if (key === 'proof.edited_tests' && said.raw === 'accept' && !layer.said.has('proof.allow_tests'))
    layer.said.set('proof.allow_tests', { raw: ['**'], as: 'data', origin: said.origin })
  return true
}
