/** The loop: the prompt, what counts as progress, and who commits. */
import { ruleSetting, defineSetting, SWITCH_KIND, type Setting } from './setting.ts'

export const LOOP_SETTINGS = {
  ...ruleSetting('loop.prompt', { flag: { long: 'prompt', short: 'p', value: 'FILE' }, old: ['PROMPT_FILE'] }),
  ...ruleSetting('loop.plan', { old: ['FIX_PLAN_FILE'] }),
  ...ruleSetting('loop.max_iterations', {
    flag: { long: 'max-iterations', value: 'N' },
    env: ['RALPH_LIMIT'],
    json: ['workers.max_iterations'],
  }),
  ...ruleSetting('loop.pause', { json: ['workers.sleep_seconds'] }),
  ...ruleSetting('loop.commit'),
  ...ruleSetting('commits.require'),
  ...ruleSetting('loop.optional_sections', { old: ['OPTIONAL_SECTIONS'] }),
  'loop.backup': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: 'Also create a git branch before each iteration, in addition to the snapshot',
    flag: { long: 'backup', short: 'b' },
    old: ['ENABLE_BACKUP'],
  }),
  'loop.dry_run': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: 'Show what would happen without starting an agent',
    flag: { long: 'dry-run' },
    old: ['DRY_RUN'],
  }),
} satisfies Record<string, Setting>
