/** What is shown, and who is notified. */
import { NOTIFICATION_KINDS, WEBHOOK_FORMATS } from '../../core/presentation/notification.ts'
import { defineSetting, SWITCH_KIND, type Setting } from './setting.ts'

const VARIABLE = { pattern: /^[A-Za-z_]\w*$/, words: 'the name of an environment variable' }

export const UI_SETTINGS = {
  'ui.live': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: "Show the agent's output as it arrives",
    flag: { long: 'live', short: 'l' },
  }),
  'ui.monitor': defineSetting({
    kind: { is: 'choice', of: ['dashboard', 'tmux'] },
    default: 'dashboard',
    help: 'What --monitor opens: the dashboard, or a tmux session with three panes',
  }),
  'ui.tool_args': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: 'Show tool arguments in the live output',
    flag: { long: 'show-tool-args' },
    old: ['LIVE_SHOW_TOOL_ARGS'],
  }),
  'ui.verbose': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: 'Print more detail',
    flag: { long: 'verbose', short: 'v' },
    old: ['RALPH_VERBOSE', 'VERBOSE_PROGRESS'],
  }),
  'ui.notify': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: 'Notify when a run finishes or waits (desktop, or terminal bell)',
    flag: { long: 'notify', short: 'n' },
    old: ['ENABLE_NOTIFICATIONS'],
  }),
  'ui.projections': defineSetting({
    kind: { ...SWITCH_KIND, or: 'auto' },
    default: null,
    help: 'Also write the state files that monitors of bash Ralph read; auto: if such files exist or there is no .ralph.toml',
  }),

  'notify.desktop': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: "Show desktop notifications for the events in `notify.on` (`ui.notify`: or the bell if there's no desktop)",
  }),
  'notify.bell': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: 'Ring the terminal bell for the events in `notify.on`',
  }),
  'notify.webhook': defineSetting({
    kind: SWITCH_KIND,
    default: true,
    help: 'Post the events in `notify.on` to the webhook whose URL is in the environment',
  }),
  'notify.webhook_env': defineSetting({
    kind: { is: 'text', like: VARIABLE },
    default: 'RALPH_WEBHOOK_URL',
    help: "Environment variable with the webhook URL (a secret, so it isn't stored in a file)",
  }),
  'notify.format': defineSetting({
    kind: { is: 'choice', of: WEBHOOK_FORMATS },
    default: 'json',
    help: "Format of the webhook's messages",
  }),
  'notify.on': defineSetting({
    kind: { is: 'list', of: NOTIFICATION_KINDS },
    default: ['ended', 'waiting', 'paused', 'breaker', 'question'],
    help: `Events to report: any of ${NOTIFICATION_KINDS.join(', ')}`,
  }),
} satisfies Record<string, Setting>
