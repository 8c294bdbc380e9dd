-- What a batch counts besides views of names: views without a name of their own, hits that were not counted, and tallies.
-- `p_closed` has the places of days of which nothing is counted. Its parameters are as for `count_traced_batch`.
create or replace function count_others(
  p_slot int, p_shard int, p_closed int[], p_projects int[],
  n_days int[], n_shards int[], n_dates int[], n_whats int[], n_caps text[], n_kinds int[], n_clients text[], n_views int[],
  d_shards int[], d_projects int[], d_dates int[], d_reasons text[], d_families text[], d_hits int[],
  t_days int[], t_shards int[], t_projects int[], t_dates int[], t_tallies int[], t_subjects text[], t_names text[],
  t_hits int[], t_amounts bigint[]
) returns void language plpgsql as $$
begin
  if n_days <> '{}' then
    perform count_capped(p_slot, p_shard, array_agg(x.shard), array_agg(p_projects[x.place]), array_agg(x.date),
      array_agg(x.what), array_agg(x.cap), array_agg(x.kind), array_agg(x.client), array_agg(x.views))
    from unnest(n_days, n_shards, n_dates, n_whats, n_caps, n_kinds, n_clients, n_views)
      as x(place, shard, date, what, cap, kind, client, views)
    where p_closed is null or x.place <> all (p_closed);
  end if;
  if d_shards <> '{}' then
    perform count_dropped(p_slot, p_shard, d_shards, d_projects, d_dates, d_reasons, d_families, d_hits);
  end if;
  if t_days <> '{}' then
    perform count_tallies(
      p_slot, p_shard, p_closed, t_days, t_shards, t_projects, t_dates, t_tallies, t_subjects, t_names, t_hits, t_amounts
    );
  end if;
end $$;
