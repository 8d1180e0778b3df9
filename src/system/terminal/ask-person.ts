/** A question to the person at the terminal, for those who have no terminal: agents and the engine. The screen hands it in. */
import type { PermissionAnswer, PermissionRequest } from '../../core/calls/permission-request.ts'

/** `until` is aborted when nobody needs the answer any more: the agent left off, ended, or was stopped. */
export type AskPerson = (wanted: PermissionRequest, until: AbortSignal) => Promise<PermissionAnswer>
