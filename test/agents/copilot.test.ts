import { testVendor } from './suite.ts'
import { copilot } from './vendors.ts'

testVendor(copilot, {
  usage: { input: 270, output: 60, cacheRead: 30, cacheWrite: 0, reasoning: 15 },
  problems: {
    'a bad key': ['authentication', 'gives up'],
    // It gives up after six tries, which resume to a minute.
    'a rate limit that says when': ['rate-limit', 'tries again'],
    'a rate limit that does not': ['rate-limit', 'tries again'],
    'a used-up quota': ['balance', 'tries again'],
    'a failing server': ['server', 'tries again'],
    'a cut stream': ['network', 'tries again'],
  },
  denied: null,
  backDoors: [],
})
