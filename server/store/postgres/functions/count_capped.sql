create or replace function count_capped(
  p_slot int, p_shard int, n_shards int[], n_projects int[], n_dates int[], n_whats int[], n_caps text[], n_kinds int[],
  n_clients text[], n_views int[]
) returns void language plpgsql as $$
begin
  insert into name_caps as c (shard, project, day, what, cap, kind, client, slot, views)
  select x.shard, x.project, x.date, x.what, x.cap, x.kind, x.client, p_slot, x.views
  from unnest(n_shards, n_projects, n_dates, n_whats, n_caps, n_kinds, n_clients, n_views)
    as x(shard, project, date, what, cap, kind, client, views)
  order by 1, 2, 3, 4, 5, 6, 7
  on conflict (shard, project, day, what, cap, kind, client, slot) do update set views = c.views + excluded.views;
end $$;
