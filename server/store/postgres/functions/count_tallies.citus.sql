create or replace function count_tallies(
  p_slot int, p_shard int, p_closed int[],
  t_days int[], t_shards int[], t_projects int[], t_dates int[], t_tallies int[], t_subjects text[], t_names text[],
  t_hits int[], t_amounts bigint[]
) returns void language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  v_known int[] := array(select id from batch_projects where id = any (t_projects));
begin
  insert into tallies as c (shard, project, tally, day, subject, name, slot, hits, amount)
  select h.shard, x.project, x.tally, x.date, x.subject, x.name, p_slot, x.hits, x.amount
  from shards h, (
    select project, tally, date, subject, name, sum(hits) as hits, sum(amount) as amount
    from unnest(t_days, t_projects, t_dates, t_tallies, t_subjects, t_names, t_hits, t_amounts)
      as x(place, project, date, tally, subject, name, hits, amount)
    where place > 0 or project = any (v_known)
    group by 1, 2, 3, 4, 5
  ) x
  where h.shard = p_shard
  order by 1, 2, 3, 4, 5, 6
  on conflict (shard, project, tally, day, subject, name, slot) do update set
    hits = c.hits + excluded.hits, amount = c.amount + excluded.amount;
end $$;
