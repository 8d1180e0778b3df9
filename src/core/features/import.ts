/** An import: an agent reads a document and writes prompt, plan and specification, in a folder outside the project. */

/** What `ralph import` asks a run for. */
export interface ImportRequest {
  /** Has the prompt. Each call gets a folder of its own below it: files of a call that failed are not taken for those of the next one. */
  folder: string
}

export interface ImportJob extends ImportRequest {
  is: 'import'
  /** How often it has waited. */
  pauses: number
}

export function importPromptIn({ folder }: ImportRequest): string {
  return `${folder}/prompt.md`
}

/** Where the agent of one call works. */
export function importWorkspace({ folder }: ImportRequest, iteration: number): string {
  return `${folder}/${iteration}`
}
