/** A question to the person at the terminal, for code without a terminal: agents and the engine. The screen provides the function. */
import type { PermissionAnswer, PermissionRequest } from '../../core/calls/permission-request.ts'

/** `until` is aborted when the answer is no longer needed: the agent moved on, ended, or was stopped. */
export type AskPerson = (wanted: PermissionRequest, until: AbortSignal) => Promise<PermissionAnswer>
