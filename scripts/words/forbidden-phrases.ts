/** Phrases that make a reader stop, each with what to write instead. At most twenty: this is a safety net, not a grammar. */
import type { ReadableText } from './readable-text.ts'

interface ForbiddenPhrase {
  phrase: string
  pattern: RegExp
  instead: string
}

export const FORBIDDEN_PHRASES: ForbiddenPhrase[] = [
  {
    phrase: 'What/Who/Where … is',
    pattern:
      /(?:^|[.:;] |\n)(?:What|Who|Where|Whoever|Whatever) (?!now\b)[^?.\n]{2,80} (?:is|are|was|were|stands?|holds?)\b[^?]*$/,
    instead: 'start with who does it: "Ralph reverts …", "The agent gets …"',
  },
  { phrase: 'put back', pattern: /\bput(?:s|ting)? (?:\w+ )?back\b/i, instead: 'revert, restore' },
  { phrase: 'taken up', pattern: /\b(?:take[sn]?|took|taking) (?:it )?up(?: again)?\b/i, instead: 'resume, continue' },
  {
    phrase: 'taken back',
    pattern: /\b(?:take[sn]?|took|taking) (?:it |them |the run )?back\b/i,
    instead: 'undo, revert',
  },
  { phrase: 'have it back', pattern: /\b(?:have|has|had|get) (?:it|them) back\b/i, instead: 'restore it' },
  { phrase: 'mended', pattern: /\bmend(?:ed|s|ing)?\b/i, instead: 'fix' },
  { phrase: 'rung', pattern: /\brungs?\b|\bladder\b/i, instead: 'proof step' },
  { phrase: 'the judge', pattern: /\b(?:the|its|old|new) judges?\b/i, instead: 'tests and config; protected files' },
  { phrase: 'judged', pattern: /\bjudg(?:ed|es|ing)\b/i, instead: 'check, verify' },
  { phrase: 'made wrong', pattern: /\bmade (?:wrong|to fail)\b/i, instead: 'broken on purpose; mutated' },
  { phrase: 'is gone on with', pattern: /\bg(?:o|oes|one|oing) on\b/i, instead: 'continue, resume, run' },
  { phrase: 'is told', pattern: /\b(?:is|are|was|were|be) told\b/i, instead: 'gets; Ralph tells …; Ralph reports …' },
  { phrase: 'stands in', pattern: /\bstands? (?:in|at|on|there|beside|above|below)\b/i, instead: 'is in' },
  { phrase: 'lies in', pattern: /\blies? (?:in|at|beside|there|outside|below)\b/i, instead: 'is in' },
  { phrase: 'for ever', pattern: /\bfor ever\b/i, instead: 'forever; never ends' },
  { phrase: 'cut off', pattern: /\bcut off\b/i, instead: 'interrupted' },
  { phrase: 'boxes', pattern: /\b(?<!check)box(?:es)?\b/i, instead: 'items (of the plan); checkbox for the Markdown' },
  { phrase: 'visit', pattern: /\bvisits?\b/i, instead: 'attempt' },
  {
    phrase: 'the bash tool',
    pattern: /\b(?:bash|Rust) tool\b/i,
    instead: 'the name of the tool: bash Ralph, Rust Ralph',
  },
  { phrase: 'not whole', pattern: /\b(?:not|is|are|became?) whole\b/i, instead: 'complete, valid' },
]

/** Text in backticks is code, and `{task.visit}` is the name of a value. */
export function forbiddenIn({ text }: ReadableText): ForbiddenPhrase[] {
  const prose = text.replaceAll(/`[^`]*`/g, '`…`').replaceAll(/\{[\w.]+\}/g, '{…}')
  return FORBIDDEN_PHRASES.filter(({ pattern }) => pattern.test(prose))
}
