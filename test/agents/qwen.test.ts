import { testVendor } from './suite.ts'
import { qwen } from './vendors.ts'

testVendor(qwen, {
  usage: { input: 270, output: 60, cacheRead: 30, reasoning: 15 },
  problems: {
    'a bad key': ['authentication', 'gives up'],
    'a rate limit that says when': ['rate-limit', 'gives up'],
    'a cut stream': ['network', 'gives up'],
  },
  denied: {
    request: { tools: ['Read'] },
    turn: { text: 'I write.', write: { path: 'a.txt', content: 'one\n' } },
    denials: [{ tool: 'write_file' }],
  },
  stopsAtDenial: true,
  backDoors: [
    {
      text: 'I let others.',
      call: { name: 'agent', args: { description: 'x', prompt: 'Write.', subagent_type: 'general-purpose' } },
    },
    { text: 'I plan.', call: { name: 'enter_plan_mode', args: {} } },
  ],
})
