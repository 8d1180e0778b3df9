import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { playRun } from '../../test/kit/core.ts'
import { makeTempFolder, removeFolder } from '../system/files/files.ts'
import { openNotifier, type NotifierOptions } from './notify.ts'

const ROWS = playRun([{ done: true, checkboxes: { open: 0, done: 1 }, green: true }])

interface Heard {
  url: string
  headers: Record<string, unknown>
  body: string
}

interface Receiver {
  url: string
  heard: Heard[]
  /** Whoever asked first has gone, with or without an answer. */
  gone: Promise<void>
}

/** A receiver on this machine that answers with these codes in turn, the last one for ever; `null`: not at all. */
async function receiver(...codes: (number | null)[]): Promise<Receiver> {
  const heard: Heard[] = []
  let left: () => void = () => {}
  const gone = new Promise<void>((resolve) => (left = resolve))
  const server: Server = createServer((request, response) => {
    let body = ''
    response.once('close', left)
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      heard.push({ url: request.url ?? '', headers: request.headers, body })
      const code = codes[Math.min(heard.length, codes.length) - 1]
      if (code !== null) response.writeHead(code ?? 200).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/s3cret`, heard, gone }
}

interface Given {
  values?: Partial<NotifierOptions['values']>
  env?: Record<string, string>
}

function notifying({ values = {}, env = {} }: Given): {
  options: NotifierOptions
  notices: string[]
  bells: () => number
} {
  const notices: string[] = []
  let bells = 0
  const options: NotifierOptions = {
    root: '/home/ann/shop',
    values: {
      'ui.notify': false,
      'notify.desktop': false,
      'notify.bell': false,
      'notify.webhook': true,
      'notify.webhook_env': 'RALPH_WEBHOOK_URL',
      'notify.format': 'json',
      'notify.on': ['ended'],
      ...values,
    },
    env,
    bell: () => void (bells += 1),
    notice: (text) => void notices.push(text),
    view: null,
  }
  return { options, notices, bells: () => bells }
}

async function tell(given: Given, stopped = false): Promise<{ notices: string[]; bells: number }> {
  const { options, notices, bells } = notifying(given)
  const notifier = openNotifier(options)
  notifier?.rows(ROWS)
  await notifier?.close({ stopped })
  return { notices, bells: bells() }
}

describe('a webhook', () => {
  test('that does not answer is given up when a stopped run ends', async () => {
    const { url, gone } = await receiver(null)
    await tell({ env: { RALPH_WEBHOOK_URL: url } }, true)
    await gone
  })

  test('is told what was asked for, in its format', async () => {
    const { url, heard } = await receiver(200)
    expect(await tell({ env: { RALPH_WEBHOOK_URL: url } })).toEqual({ notices: [], bells: 0 })
    expect(heard.map(({ body }) => JSON.parse(body) as { event: string }).map(({ event }) => event)).toEqual(['ended'])
    await tell({
      env: { MINE: url },
      values: { 'notify.webhook_env': 'MINE', 'notify.format': 'ntfy', 'notify.on': ['iteration', 'ended'] },
    })
    expect(heard.slice(1).map(({ headers }) => headers['title'])).toEqual([
      'Iteration finished: shop',
      'Proven done: shop',
    ])
  })

  test('that fails once is tried again; one that goes on failing is told once, without its address', async () => {
    const shaky = await receiver(500, 200)
    expect(await tell({ env: { RALPH_WEBHOOK_URL: shaky.url } })).toEqual({ notices: [], bells: 0 })
    expect(shaky.heard).toHaveLength(2)
    const broken = await receiver(500)
    const { notices } = await tell({
      env: { RALPH_WEBHOOK_URL: broken.url },
      values: { 'notify.on': ['iteration', 'ended'] },
    })
    expect(notices).toEqual(['Could not send a notification via the webhook: it answered with HTTP status 500.'])
  })

  test('that is not there spoils nothing', async () => {
    const { notices } = await tell({ env: { RALPH_WEBHOOK_URL: 'http://127.0.0.1:9/s3cret' } })
    expect(notices.join()).toMatch(/^Could not send a notification via the webhook: it could not be reached/)
    expect(notices.join()).not.toContain('s3cret')
  })

  test('whose address is none is told without it', async () => {
    const { notices } = await tell({ env: { RALPH_WEBHOOK_URL: 'file:///etc/s3cret' } })
    expect(notices).toEqual([
      'Ralph cannot use the webhook: the value of RALPH_WEBHOOK_URL is not an http or https URL.',
    ])
  })

  test('that does not answer does not hold up the run', async () => {
    const { url, heard } = await receiver(null)
    const { options } = notifying({
      env: { RALPH_WEBHOOK_URL: url },
      values: { 'notify.on': ['iteration', 'ended'] },
    })
    const notifier = openNotifier(options)
    notifier?.rows(ROWS)
    // `rows` has returned while the receiver keeps silent.
    await expect.poll(() => heard.length).toBe(1)
  })

  test('can be switched off', () => {
    const { options } = notifying({
      env: { RALPH_WEBHOOK_URL: 'http://127.0.0.1:9/' },
      values: { 'notify.webhook': false },
    })
    expect(openNotifier(options)).toBeNull()
  })
})

test('the bell rings when it is wanted, and instead of a desktop that is not there', async () => {
  expect(await tell({ values: { 'notify.bell': true } })).toEqual({ notices: [], bells: 1 })
  expect(await tell({ values: { 'ui.notify': true } })).toEqual({ notices: [], bells: 1 })
  expect(openNotifier(notifying({}).options)).toBeNull()
})

test('the desktop is told by the program that is there, with texts as plain arguments', async () => {
  const folder = makeTempFolder('ralph-notify-')
  onTestFinished(() => removeFolder(folder))
  const program = join(folder, 'notify-send')
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/said'\n`)
  chmodSync(program, 0o755)
  const told = await tell({ values: { 'notify.desktop': true }, env: { PATH: folder, DISPLAY: ':0' } })
  expect(told).toEqual({ notices: [], bells: 0 })
  expect(readFileSync(join(folder, 'said'), 'utf8')).toBe(
    '--app-name=Ralph\n--\nRalph: Proven done (shop)\nnpm run test passes, here and in the clean room (5 steps)\n',
  )
})

test('a misspelt event is told, or its silence would be taken for good news', async () => {
  const { notices } = await tell({ values: { 'notify.bell': true, 'notify.on': ['endd'] } })
  expect(notices).toEqual(['notify.on: there is no event "endd". Did you mean "ended"?'])
})
