create or replace function count_dropped(
  p_slot int, p_shard int, d_shards int[], d_projects int[], d_dates int[], d_reasons text[], d_families text[], d_hits int[]
) returns void language plpgsql as $$
begin
  insert into dropped as c (shard, project, day, reason, family, slot, hits)
  select x.shard, x.project, x.date, x.reason, x.family, p_slot, x.hits
  from unnest(d_shards, d_projects, d_dates, d_reasons, d_families, d_hits) as x(shard, project, date, reason, family, hits)
  where exists (select from projects p where p.id = x.project)
  order by 1, 2, 3, 4, 5
  on conflict (shard, project, day, reason, family, slot) do update set hits = c.hits + excluded.hits;
end $$;
