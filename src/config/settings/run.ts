/** What a run does to its surroundings: terminal, environment, logs, and what it keeps. */
import { defineSetting, SWITCH_KIND, THRESHOLD_KIND, type Setting } from './setting.ts'

const VARIABLES = { pattern: /^(?:[A-Za-z_]\w*\*?|\*)$/, words: 'names of environment variables, which may end in "*"' }

export const RUN_SETTINGS = {
  'run.on_hangup': defineSetting({
    kind: { is: 'choice', of: ['continue', 'stop'] },
    default: 'continue',
    help: 'What a run does when its terminal closes',
  }),

  'env.mode': defineSetting({
    kind: { is: 'choice', of: ['filtered', 'listed'] },
    default: 'filtered',
    help: 'Environment for agents and gates: filtered (no secrets, no code injection), or only a short list of variables',
  }),
  'env.pass': defineSetting({
    kind: { is: 'list', like: VARIABLES },
    default: [],
    help: 'Environment variables to always pass on; may end in `*`. See `ralph doctor --env`',
  }),

  'logs.raw': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: 'Save agent and gate output unmasked; by default Ralph masks keys and tokens',
  }),

  'keep.runs': defineSetting({ kind: THRESHOLD_KIND, default: 50, help: 'Number of finished runs to keep' }),
  'keep.logs_gb': defineSetting({
    kind: { is: 'number', min: 0 },
    default: 2,
    help: 'Gigabytes of logs to keep',
  }),
  'keep.snapshots': defineSetting({ kind: THRESHOLD_KIND, default: 20, help: 'Number of snapshots to keep per run' }),
} satisfies Record<string, Setting>
