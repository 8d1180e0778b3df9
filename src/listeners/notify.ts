/**
 * Sends notifications: to the desktop, the terminal's bell, a webhook. It never delays the run: everything is sent in the background,
 * some of it may be lost, and only the first failure of each channel is reported.
 */
import { basename } from 'node:path'
import type { SettingValues } from '../config/settings.ts'
import { messageOf } from '../core/error.ts'
import type { Millis } from '../core/ids.ts'
import {
  NOTIFICATION_KINDS,
  notificationsFor,
  webhookRequestFor,
  type Notification,
  type NotificationKind,
  type WebhookFormat,
} from '../core/presentation/notification.ts'
import { foldViewTolerantly, type RunView } from '../core/presentation/run-view.ts'
import { suggest } from '../core/text/suggest.ts'
import { systemClock, type Timer, randomId } from '../system/clock.ts'
import { newAbortController } from '../system/process/git-context.ts'
import { formatLocalDateTime } from '../system/time-formats.ts'
import { checkUrl, postHttp, type PostResult } from '../system/http.ts'
import { buildHelperEnv } from '../system/environment.ts'
import { IS_MAC } from '../system/platform.ts'
import { runProgram, findProgram } from '../system/process/process.ts'
import type { Listener } from './event-bus.ts'

export interface NotifierOptions {
  root: string
  values: Pick<SettingValues, NotifySetting>
  env: Record<string, string | undefined>
  bell: () => void
  notice: (text: string) => void
  /** The view of the run so far; null: there is no row yet. */
  view: RunView | null
}

type NotifySetting =
  | 'ui.notify'
  | 'notify.desktop'
  | 'notify.bell'
  | 'notify.webhook'
  | 'notify.webhook_env'
  | 'notify.format'
  | 'notify.on'

export interface Notifier extends Required<Pick<Listener, 'rows'>> {
  /** Waits a moment for pending notifications, less if a person stopped the run, and drops the rest. */
  close(how: { stopped: boolean }): Promise<void>
}

/** Notifications must not pile up behind a server that does not answer. */
const WAITING_MAX = 20
const SEND_MS: Millis = 5_000
/** The end of a run waits this long at most for its own notification. */
const CLOSE_MS: Millis = 6_000
const STOPPED_MS: Millis = 2_000

/** Null: no notifications are wanted. */
export function openNotifier(options: NotifierOptions): Notifier | null {
  const giveUp = newAbortController()
  const ways = transportsOf(options, giveUp.signal)
  if (ways.length === 0) return null
  const telling = { project: basename(options.root), on: wanted(options), local: formatLocalDateTime }
  const complain = tellOnce(options.notice)
  let { view } = options
  let waiting = 0
  let sending: Promise<void> = Promise.resolve()

  function send(notice: Notification): void {
    if (waiting >= WAITING_MAX) return
    waiting += 1
    sending = sending.then(async () => {
      await Promise.all(ways.map(async (way) => complain(way, await way.send(notice))))
      waiting -= 1
    })
  }

  return {
    rows(rows) {
      for (const row of rows) {
        ;({ view } = foldViewTolerantly(view, row))
        if (view !== null) notificationsFor(row, view, telling).forEach(send)
      }
    },
    async close({ stopped }) {
      const late = cancellableDelay(stopped ? STOPPED_MS : CLOSE_MS)
      await Promise.race([sending, late.over])
      late.cancel()
      giveUp.abort()
    },
  }
}

/** Reports a misspelt kind: otherwise its silence would look like good news. */
function wanted({ values, notice }: NotifierOptions): NotificationKind[] {
  return values['notify.on'].filter((word): word is NotificationKind => {
    const known = NOTIFICATION_KINDS.some((kind) => kind === word)
    const near = suggest(word, NOTIFICATION_KINDS)
    if (!known) notice(`notify.on: there is no event "${word}".${near === null ? '' : ` Did you mean "${near}"?`}`)
    return known
  })
}

interface NotifyTransport {
  name: string
  /** Null: it was sent. Otherwise the problem. Never throws. */
  send(notice: Notification): Promise<string | null>
}

function transportsOf({ values, env, bell, notice }: NotifierOptions, signal: AbortSignal): NotifyTransport[] {
  const desktop = desktopTransport(env, signal)
  const ways: NotifyTransport[] = []
  const wantsDesktop = values['ui.notify'] || values['notify.desktop']
  if (wantsDesktop && desktop !== null) ways.push(desktop)
  if (values['notify.bell'] || (wantsDesktop && desktop === null)) ways.push(bellTransport(bell))
  const url = env[values['notify.webhook_env']] ?? ''
  if (values['notify.webhook'] && url !== '') {
    try {
      checkUrl(url, values['notify.webhook_env'])
      ways.push(webhookTransport(url, { format: values['notify.format'], signal }))
    } catch (error) {
      notice(`Ralph cannot use the webhook: ${messageOf(error)}.`)
    }
  }
  return ways
}

function bellTransport(bell: () => void): NotifyTransport {
  return {
    name: 'the bell',
    async send() {
      bell()
      return null
    },
  }
}

function webhookTransport(
  url: string,
  { format, signal }: { format: WebhookFormat; signal: AbortSignal },
): NotifyTransport {
  return {
    name: 'the webhook',
    async send(notice) {
      const message = { ...webhookRequestFor(notice, format), timeoutMs: SEND_MS, signal }
      let sent: PostResult = await postHttp(url, message)
      if (!sent.ok && sent.canRetry) sent = await postHttp(url, message)
      return sent.ok ? null : sent.detail
    },
  }
}

/** Variables with which a desktop program finds the desktop. */
const SESSION = ['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'DBUS_SESSION_BUS_ADDRESS']

/** Null: there is no desktop here. */
function desktopTransport(env: Record<string, string | undefined>, signal: AbortSignal): NotifyTransport | null {
  const argv = desktopCommand(env)
  if (argv === null) return null
  return {
    name: 'the desktop',
    async send({ title, text, project }) {
      const options = {
        cwd: '/',
        env: buildHelperEnv({ pass: SESSION, add: {} }),
        timeoutMs: SEND_MS,
        gitContext: { mark: `notify.${randomId(8)}`, signal },
      }
      const { code, stderr } = await runProgram([...argv, `Ralph: ${title} (${project})`, text], options)
      return code === 0
        ? null
        : messageOf(stderr) || `the notification program ended with exit code ${code ?? 'unknown'}`
    },
  }
}

/** The command takes the title and the text as its last two arguments; both are data, never a script. */
function desktopCommand(env: Record<string, string | undefined>): string[] | null {
  const mac = IS_MAC ? findProgram('osascript', { PATH: '/usr/bin' }) : null
  if (mac !== null) {
    const script = ['on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run']
    return [mac, ...script.flatMap((line) => ['-e', line])]
  }
  const linux = findProgram('notify-send', env)
  const desktop = SESSION.some((name) => (env[name] ?? '') !== '')
  return linux === null || !desktop ? null : [linux, '--app-name=Ralph', '--']
}

function tellOnce(notice: (text: string) => void): (way: NotifyTransport, problem: string | null) => void {
  const told = new Set<string>()
  return (way, problem) => {
    if (problem === null || told.has(way.name)) return
    told.add(way.name)
    notice(`Could not send a notification via ${way.name}: ${problem}.`)
  }
}

/** The timer can be cancelled, so that it does not keep the process alive. */
function cancellableDelay(ms: Millis): Timer & { over: Promise<void> } {
  let fire: () => void = () => {}
  const over = new Promise<void>((resolve) => (fire = resolve))
  return { over, ...systemClock().after(ms, fire) }
}
