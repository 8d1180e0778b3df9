import { describe, expect, test } from 'vitest'
import { CHECKBOX_PLACEHOLDER, isUntouchedTemplate, PROMPT_PLACEHOLDER } from './untouched-template.ts'

const PROMPT = `# What to build: shop\n\n${PROMPT_PLACEHOLDER}\n\n# How to work\n\n1. Read the plan.\n`
const PLAN = `# Plan\n\n## To do\n\n- [ ] ${CHECKBOX_PLACEHOLDER}\n\n## Optional\n\nBoxes below do not count.\n`
const SETUP_PLAN =
  '# Ralph Fix Plan\n\n## High Priority\n- [ ] Set up basic project structure and build system\n- [ ] Define core data structures and types\n\n## Optional\n- [ ] Anything\n\n## Completed\n- [x] Project initialization\n'
const ENABLE_PLAN =
  '# Ralph Fix Plan\n\n## High Priority\n- [ ] Review codebase and understand architecture\n\n## Completed\n- [x] Project enabled for Ralph\n\n## Notes\n- Focus on MVP functionality first\n'
const SETUP_PROMPT =
  '# Ralph Development Instructions\n\n## Context\nYou are Ralph, an autonomous AI development agent working on a [YOUR PROJECT NAME] project.\n'

describe('an untouched template', () => {
  test.each([
    ['our prompt', PROMPT],
    ['our plan', PLAN],
    ["ralph-setup's prompt", SETUP_PROMPT],
    ["ralph-setup's plan", SETUP_PLAN],
    ["ralph-enable's plan", ENABLE_PLAN],
  ])('%s, with whatever spaces and line ends', (_what, text) => {
    expect(isUntouchedTemplate(text)).toBe(true)
    expect(isUntouchedTemplate(text.replaceAll('\n', '\r\n'))).toBe(true)
    expect(isUntouchedTemplate(`\n\n${text.replaceAll('\n', ' \n\n')}`)).toBe(true)
  })
})

describe('no untouched template', () => {
  test.each([
    ['nothing', ''],
    ['a prompt with words in place of the placeholder', PROMPT.replace(PROMPT_PLACEHOLDER, 'A shop for hats.')],
    ['a prompt with words below the placeholder', PROMPT.replace('# How', 'A shop for hats.\n\n# How')],
    ['a prompt with a section of its own', `${PROMPT}\n# Rules\n\nNo dependencies.\n`],
    ['a plan with a box of its own', `${PLAN}\n## More\n- [ ] Sell hats\n`],
    ['a plan that was worked on', PLAN.replace('[ ]', '[x]')],
    ['a stock plan that was worked on', SETUP_PLAN.replace('- [ ] Set', '- [x] Set')],
    ['a prompt with the name written in', SETUP_PROMPT.replace('a [YOUR PROJECT NAME]', 'the **hats**')],
    ['a prompt that speaks of the plan', '# Work\n\nDo what the plan says.\n'],
    ['a plan without an open box', '# Plan\n- [x] Project initialization\n'],
  ])('%s', (_what, text) => {
    expect(isUntouchedTemplate(text)).toBe(false)
  })
})
