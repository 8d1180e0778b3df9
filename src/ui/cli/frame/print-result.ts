/** One answer in two forms: JSON for programs, a screen for people. */
import { EXIT } from '../../../core/error.ts'
import type { Io } from './io.ts'

export function answer(facts: object, screen: () => string, { json, io }: { json: boolean; io: Io }): number {
  io.out(json ? `${JSON.stringify(facts)}\n` : screen())
  return EXIT.done
}
