create or replace function count_dropped(
  p_slot int, p_shard int, d_shards int[], d_projects int[], d_dates int[], d_reasons text[], d_families text[], d_hits int[]
) returns void language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  -- Not in the statement itself, which Citus would send to all shards then, as each could do it.
  v_known int[] := array(select id from batch_projects where id = any (d_projects));
begin
  insert into dropped as c (shard, project, day, reason, family, slot, hits)
  select h.shard, x.project, x.date, x.reason, x.family, p_slot, x.hits
  from shards h, unnest(d_projects, d_dates, d_reasons, d_families, d_hits) as x(project, date, reason, family, hits)
  where h.shard = p_shard and x.project = any (v_known)
  order by 1, 2, 3, 4, 5
  on conflict (shard, project, day, reason, family, slot) do update set hits = c.hits + excluded.hits;
end $$;
