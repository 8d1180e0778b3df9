import { expect, test } from 'vitest'
import { onStopSignals } from './signals.ts'

test('every signal is told with how often Ralph was asked so far', () => {
  const { heard, wait, stop } = listen()
  process.emit('SIGINT', 'SIGINT')
  wait(100)
  process.emit('SIGINT', 'SIGINT')
  process.emit('SIGTERM', 'SIGTERM')
  process.emit('SIGHUP', 'SIGHUP')
  stop()
  expect(heard).toEqual(['SIGINT 1', 'SIGINT 2', 'SIGTERM 3', 'SIGHUP 4'])
})

test('one Ctrl+C that the terminal and npm both pass on counts once', () => {
  const { heard, wait, stop } = listen()
  process.emit('SIGINT', 'SIGINT')
  wait(5)
  process.emit('SIGINT', 'SIGINT')
  stop()
  expect(heard).toEqual(['SIGINT 1'])
})

test('after it was taken back, nothing is heard and no listener is left', () => {
  const before = process.listenerCount('SIGTERM')
  const { heard, stop } = listen()
  stop()
  process.emit('SIGTERM', 'SIGTERM')
  expect({ heard, listeners: process.listenerCount('SIGTERM') }).toEqual({ heard: [], listeners: before })
})

function listen() {
  const heard: string[] = []
  let up = 0
  const stop = onStopSignals((signal, count) => heard.push(`${signal} ${count}`), { up: () => up })
  return { heard, stop, wait: (ms: number) => (up += ms) }
}
