import { testVendor } from './suite.ts'
import { claude } from './vendors.ts'

testVendor(claude, {
  usage: { input: 270, output: 60, cacheRead: 30, cacheWrite: 0, usd: 0.002286 },
  // With the one retry that the stage allows it.
  problems: {
    'a bad key': ['authentication', 'gives up'],
    'a rate limit that says when': ['rate-limit', 'gives up'],
    'a rate limit that does not': ['rate-limit', 'gives up'],
    'a used-up quota': ['balance', 'gives up'],
    'a failing server': ['server', 'gives up'],
    'a cut stream': ['network', 'gives up'],
  },
  denied: {
    request: { tools: ['Read', 'Bash(git status *)'] },
    turn: { text: 'I write.', write: { path: 'a.txt', content: 'one\n' } },
    denials: [{ tool: 'Write' }],
  },
  formats: [
    { format: 'json', named: true },
    { format: 'text', named: false },
  ],
  backDoors: [
    { text: 'I branch off.', call: { name: 'EnterWorktree', args: { name: 'elsewhere' } } },
    {
      text: 'I let others.',
      call: { name: 'Agent', args: { description: 'x', prompt: 'Write.', subagent_type: 'general-purpose' } },
    },
  ],
})
