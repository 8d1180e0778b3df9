/** Opens a file in a real Chromium with an empty profile, and notes whatever the page complains about or asks the network for. */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'

export interface OpenPageOptions {
  scheme: 'light' | 'dark'
  width: number
}

export interface OpenPage {
  /** Runs an expression in the page. */
  evaluate(script: string): Promise<unknown>
  screenshot(options: { path: string }): Promise<unknown>
  /** Errors and warnings in its console. */
  complaints: string[]
  /** Addresses it asked for, besides its own. */
  requests: string[]
}

/** As much of Playwright as is used here. Its types are not there before `npm run test:browser` installed it. */
interface Playwright {
  chromium: { launchPersistentContext(profile: string, options: object): Promise<BrowserContext> }
}
interface BrowserContext {
  pages(): BrowserPage[]
  close(): Promise<void>
}
interface BrowserPage extends Omit<OpenPage, 'complaints' | 'requests'> {
  goto(address: string): Promise<unknown>
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void
  on(event: 'pageerror', listener: (error: Error) => void): void
  on(event: 'request', listener: (request: { url(): string }) => void): void
}

/** No graphics card, no first questions, nothing of its own on the network; a container lets nobody make a sandbox. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export async function openPage(file: string, { scheme, width }: OpenPageOptions): Promise<OpenPage> {
  const { chromium } = createRequire(import.meta.url)('playwright-core') as Playwright
  const profile = mkdtempSync(join(tmpdir(), 'ralph-browser-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env['RALPH_CHROMIUM'] ?? '/usr/bin/chromium',
    args: FLAGS,
    colorScheme: scheme,
    // As much as a screenshot shows: Chromium fails to draw the whole of a very long page.
    viewport: { width, height: 3000 },
  })
  onTestFinished(async () => {
    await context.close()
    await rm(profile, { recursive: true, force: true })
  })
  const page = context.pages()[0]
  if (page === undefined) throw new Error('Chromium opened no page')
  const complaints: string[] = []
  const requests: string[] = []
  const address = pathToFileURL(file).href
  page.on('console', (message) => void complaints.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => void complaints.push(error.message))
  page.on('request', (request) => {
    if (request.url() !== address) requests.push(request.url())
  })
  await page.goto(address)
  return {
    evaluate: (script) => page.evaluate(script),
    screenshot: (options) => page.screenshot(options),
    complaints,
    requests,
  }
}
