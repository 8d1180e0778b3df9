import { describe, expect, test } from 'vitest'
import { SETTING_KEYS } from '../../../config/settings.ts'
import { isChangeableRule } from '../../../core/settings/change-rules.ts'
import { KNOWN_AGENTS } from '../../../core/calls/known-agents.ts'
import { COMMANDS } from '../command-table/commands.ts'
import { completionsFor } from './completions.ts'
import { knownFlags } from './known-flags.ts'

function wordsAt(line: string[]): string[] {
  const offered = completionsFor(['ralph', ...line])
  return offered.is === 'words' ? offered.words.map(({ value }) => value) : [offered.is]
}

function flagsOf(name: string): string[] {
  const command = COMMANDS.find((each) => each.name === name)
  return command === undefined ? [] : knownFlags(command).map(({ long }) => `--${long}`)
}

describe('commands', () => {
  test('the first word is a command, and hidden ones are not offered', () => {
    const visible = COMMANDS.filter(({ hidden }) => hidden !== true).map((command) => command.name)
    expect(wordsAt([''])).toEqual([...visible, 'help'])
  })

  test('only what begins as typed is offered', () => {
    expect(wordsAt(['co'])).toEqual(['conversation', 'config', 'completion'])
  })

  test('help takes a command, or a page of the guide', () => {
    expect(wordsAt(['help', 'exit'])).toEqual(['exit-codes'])
    expect(wordsAt(['help', 'doc'])).toEqual(['doctor'])
    expect(wordsAt(['help', 'doctor', ''])).toEqual([])
  })

  test('after a word that is no command nothing is offered', () => {
    expect(wordsAt(['nonsense', ''])).toEqual([])
  })
})

describe('flags', () => {
  test.each(COMMANDS.map((command) => command.name))('%s offers all its flags, those of settings as well', (name) => {
    expect(wordsAt([name, '-'])).toEqual(flagsOf(name))
  })

  test('without a command they are those of the loop', () => {
    expect(wordsAt(['--'])).toEqual([...flagsOf('loop'), '--version'])
  })

  test('a flag that waits for a value gets its choices', () => {
    expect(wordsAt(['loop', '--output-format', ''])).toEqual(['stream-json', 'json', 'text'])
    expect(wordsAt(['loop', '--agent', 'c'])).toEqual(KNOWN_AGENTS.filter((name) => name.startsWith('c')))
    expect(wordsAt(['--output-format', 't'])).toEqual(['text'])
  })

  test('a value after = is offered whole where the shell does not split there, and bare where it does', () => {
    expect(wordsAt(['loop', '--output-format=t'])).toEqual(['--output-format=text'])
    expect(wordsAt(['loop', '--output-format', '=', 't'])).toEqual(['text'])
    expect(wordsAt(['loop', '--output-format', '='])).toEqual(['stream-json', 'json', 'text'])
  })

  test('a flag for a file offers files', () => {
    expect(wordsAt(['loop', '--prompt', ''])).toEqual(['files'])
    expect(wordsAt(['loop', '-p', ''])).toEqual(['files'])
  })

  test('a number is nothing to guess', () => {
    expect(wordsAt(['loop', '--calls', ''])).toEqual([])
  })
})

describe('arguments', () => {
  test('config: a word, then a key of the settings', () => {
    expect(wordsAt(['config', ''])).toEqual(['list', 'get', 'set', 'unset', 'edit', 'schema'])
    expect(wordsAt(['config', 'get', ''])).toEqual(SETTING_KEYS)
    expect(wordsAt(['config', 'get', 'budget.usd', ''])).toEqual([])
    expect(wordsAt(['config', 'list', ''])).toEqual([])
  })

  test('flags and their values do not count as arguments', () => {
    expect(wordsAt(['config', '--json', '--agent', 'codex', 'sc'])).toEqual(['schema'])
  })

  test('set: only what may change while a run goes on, and nothing once = is typed', () => {
    expect(wordsAt(['set', ''])).toEqual(SETTING_KEYS.filter(isChangeableRule).map((key) => `${key}=`))
    expect(wordsAt(['set', 'budget.usd', '='])).toEqual([])
  })

  test.each([
    [['resume', ''], ['runs']],
    [['replay', ''], ['runs']],
    [['replay', 'k7f3qa', ''], []],
    [['undo', ''], ['runs']],
    [['run', ''], ['work']],
    [['task', 'show', ''], ['tasks']],
    [['task', 'done', ''], ['open-tasks']],
    [['journal', 'list', '--task', ''], ['tasks']],
    [['journal', 'list', '--run', ''], ['runs']],
    [['show', 'k7f3qa', ''], []],
    [
      ['circuit', ''],
      ['status', 'reset', 'history'],
    ],
    [['circuit', 'reset', ''], []],
    [
      ['circuit', 'reset', '-'],
      ['--json', '--help'],
    ],
    [['inspect', 'evidence', ''], ['runs']],
    [['inspect', 'reply', ''], ['files']],
    [['inspect', 'reply', 'a.log', ''], []],
    [['inspect', 'signals', 'a.log', ''], ['files']],
    [
      ['inspect', 'p'],
      ['plan', 'prompt'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['status', ''], []],
  ])('%j offers %j', (line, expected) => {
    expect(wordsAt(line)).toEqual(expected)
  })
})
