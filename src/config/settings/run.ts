/** What a run does to its surroundings: terminal, environment, logs, and what it keeps. */
import { defineSetting, SWITCH_KIND, THRESHOLD_KIND, type Setting } from './setting.ts'

const VARIABLES = { pattern: /^(?:[A-Za-z_]\w*\*?|\*)$/, words: 'names of environment variables, which may end in "*"' }

export const RUN_SETTINGS = {
  'run.on_hangup': defineSetting({
    kind: { is: 'choice', of: ['continue', 'stop'] },
    default: 'continue',
    help: 'What a run does when its terminal is closed',
  }),

  'env.mode': defineSetting({
    kind: { is: 'choice', of: ['filtered', 'listed'] },
    default: 'filtered',
    help: 'What agents and gates get of your environment: all but secrets and what injects code, or only a short list of names',
  }),
  'env.pass': defineSetting({
    kind: { is: 'list', like: VARIABLES },
    default: [],
    help: 'Environment variables handed on in any case; a name may end in `*`. `ralph doctor --env` lists what is withheld',
  }),

  'logs.raw': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: 'Keep what agents and gates print as received; otherwise keys and tokens in it are masked at the same length',
  }),

  'keep.runs': defineSetting({ kind: THRESHOLD_KIND, default: 50, help: 'Finished runs whose record is kept' }),
  'keep.logs_gb': defineSetting({
    kind: { is: 'number', min: 0 },
    default: 2,
    help: 'Gigabytes of logs that are kept',
  }),
  'keep.snapshots': defineSetting({ kind: THRESHOLD_KIND, default: 20, help: 'Snapshots kept per run' }),
} satisfies Record<string, Setting>
