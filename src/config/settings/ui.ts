/** What is shown, and who is notified. */
import { NOTIFICATION_KINDS, WEBHOOK_FORMATS } from '../../core/presentation/notification.ts'
import { defineSetting, SWITCH_KIND, type Setting } from './setting.ts'

const VARIABLE = { pattern: /^[A-Za-z_]\w*$/, words: 'the name of an environment variable' }

export const UI_SETTINGS = {
  'ui.live': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: "Show the agent's words as they come",
    flag: { long: 'live', short: 'l' },
  }),
  'ui.monitor': defineSetting({
    kind: { is: 'choice', of: ['dashboard', 'tmux'] },
    default: 'dashboard',
    help: 'What --monitor opens: the dashboard, or a tmux session of three panes',
  }),
  'ui.tool_args': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: 'Show what tools are called with in the live output',
    flag: { long: 'show-tool-args' },
    old: ['LIVE_SHOW_TOOL_ARGS'],
  }),
  'ui.verbose': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: 'Say more about what is done and why',
    flag: { long: 'verbose', short: 'v' },
    old: ['RALPH_VERBOSE', 'VERBOSE_PROGRESS'],
  }),
  'ui.notify': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: 'Tell when a run ends or waits: on the desktop, or by the bell where there is none',
    flag: { long: 'notify', short: 'n' },
    old: ['ENABLE_NOTIFICATIONS'],
  }),
  'ui.projections': defineSetting({
    kind: { ...SWITCH_KIND, or: 'auto' },
    default: null,
    help: "Keep the bash tool's state files in .ralph current for its monitors; auto: where its files are, or no .ralph.toml",
  }),

  'notify.desktop': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: 'Tell on the desktop what `notify.on` names; `ui.notify` is the same with the bell where there is no desktop',
  }),
  'notify.bell': defineSetting({
    kind: SWITCH_KIND,
    default: false,
    help: "Ring the terminal's bell for what `notify.on` names",
  }),
  'notify.webhook': defineSetting({
    kind: SWITCH_KIND,
    default: true,
    help: 'Post what `notify.on` names to a webhook, where the environment holds its address',
  }),
  'notify.webhook_env': defineSetting({
    kind: { is: 'text', like: VARIABLE },
    default: 'RALPH_WEBHOOK_URL',
    help: "The environment variable that holds the webhook's address, which is a secret and stands in no file",
  }),
  'notify.format': defineSetting({
    kind: { is: 'choice', of: WEBHOOK_FORMATS },
    default: 'json',
    help: 'How the webhook wants to be told',
  }),
  'notify.on': defineSetting({
    kind: { is: 'list', of: NOTIFICATION_KINDS },
    default: ['ended', 'waiting', 'paused', 'breaker', 'question'],
    help: `What is told: any of ${NOTIFICATION_KINDS.join(', ')}`,
  }),
} satisfies Record<string, Setting>
