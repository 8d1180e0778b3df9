/** The sort keys of a list of tasks. */
export const TASK_SORT_KEYS = ['priority', 'order', 'status', 'created', 'updated', 'title'] as const
export type TaskSortKey = (typeof TASK_SORT_KEYS)[number]
