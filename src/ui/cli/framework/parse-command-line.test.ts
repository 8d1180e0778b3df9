import { expect, test } from 'vitest'
import { RalphError } from '../../../core/error.ts'
import { findCommand, findLeafCommand } from './find-command.ts'
import { parseCommandLine } from './parse-command-line.ts'
import type { RUNS } from '../command-table/quick-commands.ts'
import type { CommandInput, ParsedLine } from './command.ts'

/** As typed behind `ralph`. */
function read(line: string): ParsedLine {
  const [name = '', ...words] = line.split(' ')
  return parseCommandLine(findLeafCommand(findCommand(name, words)))
}

test.each<[string, string, ParsedLine['flags'], ParsedLine['args']]>([
  ['no flag', 'accept', { json: false, yes: null, no: false }, { files: [] }],
  ['alone', 'accept --yes', { json: false, yes: [], no: false }, { files: [] }],
  ['with a file', 'accept --yes a', { json: false, yes: ['a'], no: false }, { files: [] }],
  ['again and again', 'accept --yes a -y b --yes=c', { json: false, yes: ['a', 'b', 'c'], no: false }, { files: [] }],
  ['with files that follow', 'accept --yes a b', { json: false, yes: ['a'], no: false }, { files: ['b'] }],
  ['before another flag', 'accept --yes --no', { json: false, yes: [], no: true }, { files: [] }],
  ['a number', 'runs --limit 3', { limit: 3, all: false, json: false }, {}],
  ['a word of a few', 'stats --by day', { by: 'day', csv: false, json: false }, {}],
  ['a name of two words', 'prune --dry-run', { dryRun: true, json: false }, {}],
  [
    'arguments by name',
    'show k7f3qa',
    { prompt: false, reply: false, patch: false, json: false },
    { run: 'k7f3qa', iteration: null },
  ],
])('what a command gets: %s', (_, line, flags, args) => {
  const input = read(line)
  expect([input.flags, input.args]).toEqual([flags, args])
})

test('a text that begins as a list is no flag, as a word and as a value', () => {
  const words = ['add', '- a title', '--tag', 'x', '--body', '- one\n- two']
  const { args, flags } = parseCommandLine(findLeafCommand(findCommand('knowledge', words)))
  expect([args, flags]).toMatchObject([{ title: ['- a title'] }, { body: '- one\n- two' }])
  expect(() => parseCommandLine(findLeafCommand(findCommand('journal', ['search', '--flag'])))).toThrow(
    expect.objectContaining({
      hint: 'See: ralph journal search --help. For text that starts with a dash: ralph journal search -- --flag',
    }),
  )
})

test('a flag that the row does not have does not compile', () => {
  const { flags } = read('runs --limit 3') as unknown as CommandInput<typeof RUNS>
  const limit: number | null = flags.limit
  // @ts-expect-error: a slip of the pen
  const slip: unknown = flags.limt
  expect([limit, slip]).toEqual([3, undefined])
})

test.each<[string, string, ParsedLine['args'], string[]]>([
  ['circuit', 'circuit', {}, []],
  ['circuit reset', 'circuit reset', {}, []],
  ['circuit --json reset', 'circuit reset', {}, []],
  ['config get budget.usd', 'config get', { key: 'budget.usd' }, ['budget.usd']],
  ['config --agent codex get budget.usd', 'config get', { key: 'budget.usd' }, ['budget.usd']],
  ['config get -- --json', 'config get', { key: '--json' }, ['--json']],
  ['session history', 'session history', {}, []],
])('a command below another: ralph %s', (line, command, args, words) => {
  const input = read(line)
  expect([input.command, input.args, input.words]).toEqual([command, args, words])
})

test.each([
  ['circuit rest', 'there is no command "ralph circuit rest"', 'Did you mean: ralph circuit reset?'],
  ['circuit xylophone', 'there is no command "ralph circuit xylophone"', 'Verbs: status, reset, history'],
  ['inspect', 'ralph inspect needs WHAT [FILE …]', 'See: ralph inspect --help'],
  ['config get', 'ralph config get needs KEY', 'Usage: ralph config get KEY'],
  ['runs --limit 0', '--limit must be a whole number, 1 or more, not "0"', undefined],
  ['stats --by dya', '--by must be one of run, day, agent, model, task, feature, not "dya"', 'Did you mean day?'],
])('a line that is none: ralph %s', (line, message, hint) => {
  expect(refusal(line)).toMatchObject({ code: 'usage', message, hint })
})

test.each([
  ['a slip', 'runs --jsno', 'Did you mean --json?'],
  ['a slip with its value behind it', 'loop --max-iteration=3', 'Did you mean --max-iterations?'],
  ['a beginning', 'runs --lim 3', 'Did you mean --limit?'],
  ['nearly a beginning', 'loop --max-iters 3', 'Did you mean --max-iterations?'],
  ['a long flag behind one dash', 'runs -json', 'Did you mean --json?'],
  ['a switch that is on', 'loop --continue', "That's the default; use --no-continue to turn it off."],
  ['a switch that is off', 'loop --no-quiet', "That's the default; --quiet turns it on."],
  [
    "another command's",
    'status --grep x',
    'Did you mean: ralph logs --grep? The flags of this command: ralph status --help',
  ],
  ["nobody's", 'status --xylophone', 'See: ralph status --help'],
])('a flag that is none: %s', (_, line, hint) => {
  expect(refusal(line)).toMatchObject({ code: 'usage', hint })
})

function refusal(line: string): RalphError {
  try {
    read(line)
  } catch (error) {
    if (error instanceof RalphError) return error
    throw error
  }
  throw new Error('it was taken')
}
