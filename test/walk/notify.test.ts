/** Notifications of a real run: a webhook on loopback, whose address is in the environment and nowhere else. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { runCommand, makeSampleProject } from './sample-run.ts'

async function receiver(): Promise<{ url: string; heard: { event: string; title: string }[] }> {
  const heard: { event: string; title: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      heard.push(JSON.parse(body) as { event: string; title: string })
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/s3cret-path`, heard }
}

test('a run tells the webhook what was asked for, and its address is kept nowhere', async () => {
  const { url, heard } = await receiver()
  const made = await makeSampleProject({ env: { RALPH_WEBHOOK_URL: url, RALPH_NOTIFY_ON: 'refused,ended' } })
  const { code, stdout, stderr } = await made.ralph(['loop', '--verbose'])
  expect(code).toBe(0)
  expect(heard.map(({ event, title }) => [event, title])).toEqual([
    ['refused', 'A completion was rejected'],
    ['ended', 'Gates passed'],
  ])
  const kept = `${stdout}${stderr}${(await runCommand(made, 'replay', '--json')).out}${(await runCommand(made, 'logs', '--json')).out}`
  expect(kept).not.toContain('s3cret-path')
})

test('a webhook that cannot be reached changes nothing but one line on stderr', async () => {
  const made = await makeSampleProject({ env: { RALPH_WEBHOOK_URL: 'http://127.0.0.1:9/s3cret-path' } })
  const { code, stderr } = await made.ralph(['loop', '--quiet'])
  expect([
    code,
    stderr.match(/Could not send a notification via the webhook/g)?.length,
    stderr.includes('s3cret'),
  ]).toEqual([0, 1, false])
})
