/** The sort keys of a list of tasks. */
export const TASK_SORTS = ['priority', 'order', 'status', 'created', 'updated', 'title'] as const
export type TaskSort = (typeof TASK_SORTS)[number]
