-- `p_closed` has the places of days of which nothing is counted; place 0: hits that are no views.
create or replace function count_tallies(
  p_slot int, p_shard int, p_closed int[],
  t_days int[], t_shards int[], t_projects int[], t_dates int[], t_tallies int[], t_subjects text[], t_names text[],
  t_hits int[], t_amounts bigint[]
) returns void language plpgsql as $$
begin
  insert into tallies as c (shard, project, tally, day, subject, name, slot, hits, amount)
  select x.shard, x.project, x.tally, x.date, x.subject, x.name, p_slot, sum(x.hits), sum(x.amount)
  from unnest(t_days, t_shards, t_projects, t_dates, t_tallies, t_subjects, t_names, t_hits, t_amounts)
    as x(place, shard, project, date, tally, subject, name, hits, amount)
  where case when x.place = 0 then exists (select from projects p where p.id = x.project)
    else p_closed is null or x.place <> all (p_closed) end
  group by 1, 2, 3, 4, 5, 6
  order by 1, 2, 3, 4, 5, 6
  on conflict (shard, project, tally, day, subject, name, slot) do update set
    hits = c.hits + excluded.hits, amount = c.amount + excluded.amount;
end $$;
