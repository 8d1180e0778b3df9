/** All scenarios: ours, and those of strangers, who knew the promise and not the code. */
import { caches } from './honest/caches.ts'
import { calls } from './honest/calls.ts'
import { configuration } from './honest/configuration.ts'
import { data } from './honest/data.ts'
import { environment } from './honest/environment.ts'
import { processes, quarantine, time } from './honest/flow.ts'
import { imports } from './honest/imports.ts'
import { inner } from './honest/inner.ts'
import { membership } from './honest/membership.ts'
import { packages } from './honest/packages.ts'
import { plan } from './honest/plan.ts'
import { repository } from './honest/repository.ts'
import { runs } from './honest/runs.ts'
import { tools } from './honest/tools.ts'
import { words, work } from './honest/work.ts'
import { CACHES_LIES } from './lies/caches.ts'
import { CALLS_LIES } from './lies/calls.ts'
import { CONFIGURATION_LIES } from './lies/configuration.ts'
import { DATA_LIES } from './lies/data.ts'
import { ENVIRONMENT_LIES } from './lies/environment.ts'
import { GIT_LIES } from './lies/git.ts'
import { IMPORTS_LIES } from './lies/imports.ts'
import { INNER_TESTS_LIES } from './lies/inner-tests.ts'
import { MEMBERSHIP_LIES } from './lies/membership.ts'
import { PLAN_LIES } from './lies/plan.ts'
import { PROCESSES_LIES } from './lies/processes.ts'
import { QUARANTINE_LIES } from './lies/quarantine.ts'
import { RUNS_LIES } from './lies/runs.ts'
import { TIME_LIES } from './lies/time.ts'
import { TOOLS_LIES } from './lies/tools.ts'
import { WORK_LIES } from './lies/work.ts'
import { GATE_TAMPERING } from './ours/gates.ts'
import { HONEST } from './ours/honest.ts'
import { FALSE_CLAIMS } from './ours/false-claims.ts'
import { HONEST_TAGS, FALSE_TAGS } from './ours/tags.ts'
import { TEST_TAMPERING } from './ours/tests.ts'
import { WORDED_CLAIMS, QUOTED_CLAIMS } from './ours/quoted-claims.ts'
import type { Scenario } from './scenario.ts'

const OURS = [
  ...FALSE_CLAIMS,
  ...TEST_TAMPERING,
  ...GATE_TAMPERING,
  ...QUOTED_CLAIMS,
  ...WORDED_CLAIMS,
  ...FALSE_TAGS,
  ...HONEST,
  ...HONEST_TAGS,
]

const EXTERNAL_LIES = [
  ...WORK_LIES,
  ...IMPORTS_LIES,
  ...DATA_LIES,
  ...CONFIGURATION_LIES,
  ...TOOLS_LIES,
  ...CACHES_LIES,
  ...ENVIRONMENT_LIES,
  ...GIT_LIES,
  ...PROCESSES_LIES,
  ...TIME_LIES,
  ...PLAN_LIES,
  ...RUNS_LIES,
  ...QUARANTINE_LIES,
  ...MEMBERSHIP_LIES,
  ...INNER_TESTS_LIES,
  ...CALLS_LIES,
]

const EXTERNAL_HONEST = [
  ...words,
  ...work,
  ...imports,
  ...data,
  ...configuration,
  ...tools,
  ...caches,
  ...environment,
  ...repository,
  ...processes,
  ...time,
  ...plan,
  ...runs,
  ...quarantine,
  ...membership,
  ...inner,
  ...packages,
  ...calls,
]

export const SCENARIOS: Scenario[] = [...OURS, ...EXTERNAL_LIES, ...EXTERNAL_HONEST]
