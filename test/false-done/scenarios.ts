/** All scenarios, family by family. */
import { BRIBERS } from './gates.ts'
import { HONEST } from './honest.ts'
import { LIARS } from './liars.ts'
import type { Scenario } from './scenario.ts'
import { FORGERS } from './tests.ts'
import { CLAIMANTS, SPEAKERS } from './words.ts'

export const SCENARIOS: Scenario[] = [...LIARS, ...FORGERS, ...BRIBERS, ...SPEAKERS, ...CLAIMANTS, ...HONEST]
