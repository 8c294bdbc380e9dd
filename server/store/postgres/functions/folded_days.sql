-- The first and the last day with a count: an end of the index in each shard.
create or replace function folded_days(p_shards int[], p_project int, out first int, out last int) language plpgsql stable as $$
begin
  select min(x.first), max(x.last) into first, last
  from (
    select
      (select c.day from counts c where c.shard = s and c.project = p_project and c.span = 1 order by c.day limit 1) as first,
      (select c.day from counts c where c.shard = s and c.project = p_project and c.span = 1 order by c.day desc limit 1) as last
    from unnest(p_shards) s
  ) x;
end $$;
