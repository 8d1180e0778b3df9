/** The task graph counted from nothing, in SQL of its own: what is kept and differs from that is named. For any number of tasks. */
import type { Sql } from '../../src/store/db/sql.ts'

/** Sentences about what is kept wrongly, a few of each kind; empty: all is as it should be. */
export async function findMiscounts(sql: Sql): Promise<string[]> {
  const found: string[] = []
  for (const [what, question] of Object.entries(WRONG)) {
    const rows = await sql.all<{ id: string }>(`${question} limit ${NAMED}`)
    if (rows.length > 0) found.push(`${what} of ${rows.map(({ id }) => id).join(', ')}`)
  }
  return found
}

const NAMED = 3

/** Each gives the ids of those for which it does not hold. */
const WRONG: Record<string, string> = {
  'the children are miscounted': `
    select t.id from tasks t left join (
      select parent, count(*) as n, sum(status = 'done') as done, sum(status = 'failed') as failed, sum(status = 'in_progress') as going
      from tasks where archived_at is null group by parent) c on c.parent = t.id
    where t.children <> coalesce(c.n, 0) or t.children_done <> coalesce(c.done, 0)
      or t.children_failed <> coalesce(c.failed, 0) or t.children_going <> coalesce(c.going, 0)`,
  'the status is not that of the children': `
    select id from tasks where children > 0 and status <> case
      when children_done = children then 'done' when children_failed > 0 then 'failed'
      when children_going > 0 then 'in_progress' else 'pending' end`,
  'the blockers are miscounted': `
    select t.id from tasks t left join (
      select e.blocked, count(*) as n from edges e join tasks b on b.id = e.blocker where b.status <> 'done' group by e.blocked) w
      on w.blocked = t.id where t.waits <> coalesce(w.n, 0)`,
  'those above that wait are miscounted': `
    with recursive down (id, above, waits) as (
      select id, 0, waits from tasks where parent is null
      union all select t.id, down.above + (down.waits > 0), t.waits from tasks t join down on t.parent = down.id)
    select t.id from tasks t join down on down.id = t.id where t.above <> down.above`,
  'the rows of what is ready are wrong': `
    with recursive fit (id, priority, n, feature, parent) as (
      select id, priority, n, feature, parent from tasks
      where status = 'pending' and waits = 0 and above = 0 and scheduled = 0 and archived_at is null
        and id not in (select parent from tasks where parent is not null and archived_at is null)),
    up (task, priority, n, at, next) as (
      select id, priority, n, id, parent from fit
      union all select up.task, up.priority, up.n, t.id, t.parent from up join tasks t on t.id = up.next),
    should (scope, priority, n, task) as (
      select 't:' || at, priority, n, task from up
      union all select 'all', priority, n, id from fit
      union all select 'f:' || feature, priority, n, id from fit where feature is not null)
    select task as id from (
      select * from (select scope, priority, n, task from ready except select * from should)
      union all select * from (select * from should except select scope, priority, n, task from ready))`,
  'the tasks are miscounted': `
    select f.id from features f left join (
      select feature, count(*) as n, sum(status = 'done') as done, sum(status = 'failed') as failed, sum(status = 'in_progress') as going
      from tasks where children = 0 and archived_at is null group by feature) c on c.feature = f.id
    where f.tasks <> coalesce(c.n, 0) or f.done <> coalesce(c.done, 0) or f.failed <> coalesce(c.failed, 0) or f.going <> coalesce(c.going, 0)`,
  'who has it is told in two ways': `
    select t.id from tasks t left join claims c on c.task = t.id and c.state = 'held'
    where (t.claimed_by is null) <> (c.task is null) or (t.children = 0 and (t.status = 'in_progress') <> (c.task is not null))
      or t.claimed_by <> c.run || '/' || c.worker or c.attempt <> t.attempt`,
  'the number of the newest claim is wrong': `
    select t.id from tasks t left join (select task, max(attempt) as n, count(*) as all_of_them from claims group by task) c on c.task = t.id
    where t.attempt <> coalesce(c.n, 0) or t.attempt <> coalesce(c.all_of_them, 0)`,
}
