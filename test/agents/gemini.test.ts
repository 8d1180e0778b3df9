import { testVendor } from './suite.ts'
import { gemini } from './vendors.ts'

testVendor(gemini, {
  usage: { input: 270, output: 60, cacheRead: 30 },
  problems: {
    'a bad key': ['authentication', 'gives up'],
    'a rate limit that says when': ['rate-limit', 'tries again'],
    'a rate limit that does not': ['rate-limit', 'tries again'],
    'a used-up quota': ['balance', 'tries again'],
    'a failing server': ['server', 'tries again'],
    'a cut stream': ['network', 'gives up'],
  },
  denied: {
    request: { permission: 'default' },
    turn: { text: 'I try.', shell: 'date > b.txt', insist: true },
    denials: [],
  },
  backDoors: [
    { text: 'I plan.', call: { name: 'enter_plan_mode', args: { reason: 'to leave it' } } },
    { text: 'I go.', call: { name: 'exit_plan_mode', args: { plan_filename: 'plan.md' } } },
  ],
})
