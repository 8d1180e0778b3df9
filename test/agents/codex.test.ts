import { testVendor } from './suite.ts'
import { codex } from './vendors.ts'

testVendor(codex, {
  usage: { input: 270, output: 60, cacheRead: 30, cacheWrite: 0, reasoning: 15 },
  problems: {
    'a bad key': ['authentication', 'gives up'],
    'a rate limit that says when': ['rate-limit', 'gives up'],
    'a rate limit that does not': ['rate-limit', 'gives up'],
    'a used-up quota': ['balance', 'gives up'],
    'a failing server': ['server', 'gives up'],
    'a cut stream': ['network', 'gives up'],
  },
  denied: {
    request: { permission: 'read-only' },
    turn: { text: 'I write.', shell: 'date > b.txt' },
    denials: [],
  },
  backDoors: [
    {
      text: 'I ask for more.',
      call: {
        name: 'exec_command',
        args: { cmd: 'date > c.txt', sandbox_permissions: 'require_escalated', justification: 'Please.' },
      },
    },
  ],
})
