import { testVendor } from './suite.ts'
import { opencode } from './vendors.ts'

testVendor(opencode, {
  usage: { input: 270, output: 60, cacheRead: 30, cacheWrite: 0, reasoning: 15, usd: 0.000393 },
  problems: {
    'a bad key': ['authentication', 'gives up'],
    'a rate limit that says when': ['rate-limit', 'tries again'],
    'a rate limit that does not': ['rate-limit', 'tries again'],
    'a used-up quota': ['balance', 'tries again'],
    'a failing server': ['server', 'tries again'],
    'a cut stream': ['network', 'tries again'],
  },
  // By a rule of its own settings, see vendors.ts.
  denied: {
    request: {},
    turn: { text: 'I try.', shell: 'forbidden fruit' },
    denials: [{ tool: 'bash', command: 'forbidden fruit' }],
  },
  // Its own number for the repository.
  marks: ['.git/opencode'],
  backDoors: [
    {
      text: 'I let others.',
      call: { name: 'task', args: { description: 'x', prompt: 'Write.', subagent_type: 'general' } },
    },
    { text: 'I write for it.', write: { path: 'c.txt', content: 'one\n' }, insist: true },
    { text: 'It is written.' },
  ],
})
