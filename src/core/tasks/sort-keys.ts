/** By what a list of tasks may be sorted. */
export const TASK_SORTS = ['priority', 'order', 'status', 'created', 'updated', 'title'] as const
export type TaskSort = (typeof TASK_SORTS)[number]
