import { testVendor } from './suite.ts'
import { claudeAcp } from './vendors.ts'

testVendor(claudeAcp, {
  usage: { input: 270, output: 60, cacheRead: 30, cacheWrite: 0, usd: 0.002286 },
  // Its program is the one of claude.test.ts: here only what the adapter makes of it.
  problems: {
    'a bad key': ['authentication', 'gives up'],
    'a rate limit that says when': ['rate-limit', 'gives up'],
    'a used-up quota': ['balance', 'gives up'],
    // The adapter calls it a server error.
    'a cut stream': ['server', 'gives up'],
  },
  denied: {
    request: { tools: ['Read'] },
    turn: { text: 'I write.', write: { path: 'a.txt', content: 'one\n' } },
    denials: [{ tool: 'Write' }],
  },
  backDoors: [{ text: 'I branch off.', call: { name: 'EnterWorktree', args: { name: 'elsewhere' } } }],
})
