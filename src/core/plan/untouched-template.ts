/**
 * Whether a prompt or a plan is still the template of `ralph init` or of the bash tool: it does not say what is wanted, and an
 * agent would invent something.
 */
import { parseCheckboxes } from './fix-plan.ts'

/** The placeholders in Ralph's templates. Older wordings stay recognised, because projects contain them. */
export const PROMPT_PLACEHOLDER =
  'Describe here what you want, in a few sentences: the goal, the constraints, what good looks like.'
export const CHECKBOX_PLACEHOLDER = 'Replace this line by the first thing to do'

/** For the bash tool, which asks for the status block only in the prompt. The text is Ralph's, not the user's. */
export const STATUS_BLOCK_HEADING = '# How a reply ends'

/** True for an unchanged prompt or plan. Spaces, line ends and empty lines do not matter. */
export function isUntouchedTemplate(text: string): boolean {
  return isOurPrompt(text) || isBashPrompt(text) || isStockPlan(text)
}

/** Nothing but the placeholder below the first heading, and no heading of the user's own. */
function isOurPrompt(text: string): boolean {
  const lines = text.split(/\r?\n/).map(squeeze)
  const [title = '', wanted, ...rest] = lines.filter((line) => line !== '')
  const headings = rest.filter((line) => line.startsWith('#') && line !== STATUS_BLOCK_HEADING)
  return (
    title.startsWith('# What to build') &&
    wanted === PROMPT_PLACEHOLDER &&
    rest[0] === '# How to work' &&
    headings.length === 1
  )
}

/** `ralph-setup` left a placeholder for the project's name; `ralph-enable` filled it in, so there only the plan is checked. */
function isBashPrompt(text: string): boolean {
  return /working on a \[YOUR PROJECT NAME\] project/.test(squeeze(text))
}

/** Checkboxes in the plan templates of the bash tool's `ralph-setup` and `ralph-enable`. */
const STOCK_CHECKBOXES = new Set([
  CHECKBOX_PLACEHOLDER,
  'Set up basic project structure and build system',
  'Define core data structures and types',
  'Implement basic input/output handling',
  'Create test framework and initial tests',
  'Add error handling and validation',
  'Implement core business logic',
  'Add configuration management',
  'Create user documentation',
  'Performance optimization',
  'Extended feature set',
  'Integration with external services',
  'Advanced error recovery',
  'Review codebase and understand architecture',
  'Identify and document key components',
  'Set up development environment',
  'Implement core features',
  'Add test coverage',
  'Update documentation',
  'Code cleanup and refactoring',
])

/** Checkboxes that the templates have ticked. */
const STOCK_DONE = new Set(['Project initialization', 'Project enabled for Ralph'])

const OPTIONAL = ['Optional', 'Optional (non-blocking)']

/** Every open checkbox is a stock one, and none was ticked since. Optional checkboxes do not count. */
function isStockPlan(text: string): boolean {
  const counted = parseCheckboxes(text, OPTIONAL).items.filter(({ optional }) => !optional)
  const open = counted.filter(({ done }) => !done)
  return (
    open.length > 0 &&
    counted.every((checkbox) => (checkbox.done ? STOCK_DONE : STOCK_CHECKBOXES).has(squeeze(checkbox.text)))
  )
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
