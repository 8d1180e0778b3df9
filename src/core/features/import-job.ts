/** An import: an agent reads a document and writes prompt, plan and specification, in a folder outside the project. */

/** What `ralph import` requests from a run. */
export interface ImportRequest {
  /** Contains the prompt. Each call gets its own folder below it, so that the files of a failed call are not used by the next. */
  folder: string
}

export interface ImportJob extends ImportRequest {
  is: 'import'
  /** How often it has waited. */
  pauses: number
}

export function importPromptPath({ folder }: ImportRequest): string {
  return `${folder}/prompt.md`
}

/** Where the agent of one call works. */
export function importWorkspacePath({ folder }: ImportRequest, iteration: number): string {
  return `${folder}/${iteration}`
}
