import { testVendor } from './suite.ts'
import { codexAcp } from './vendors.ts'

const ESCALATED = { sandbox_permissions: 'require_escalated', justification: 'Please.' }

testVendor(codexAcp, {
  usage: { input: 270, output: 60, cacheRead: 30, cacheWrite: 0, reasoning: 15 },
  // Its program is the one of codex.test.ts: here only what the adapter makes of it, which calls a failed turn a good one.
  problems: {
    'a bad key': ['authentication', 'gives up'],
    'a rate limit that says when': ['rate-limit', 'gives up'],
    'a used-up quota': ['balance', 'gives up'],
    'a failing server': ['server', 'gives up'],
    'a cut stream': ['network', 'gives up'],
  },
  // What its sandbox allows it does not ask for.
  denied: {
    request: { tools: ['Read'] },
    turn: { text: 'I leave.', call: { name: 'exec_command', args: { cmd: 'date > b.txt', ...ESCALATED } } },
    denials: [{ tool: 'execute', command: 'date > b.txt' }],
  },
  stopsAtDenial: true,
  backDoors: [{ text: 'I leave.', call: { name: 'exec_command', args: { cmd: 'date > c.txt', ...ESCALATED } } }],
})
