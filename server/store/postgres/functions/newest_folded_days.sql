-- The last of these days of each project that has any.
create or replace function newest_folded_days() returns table (project int, day int) language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  select p.id, max(newest.day)
  from projects p, unnest(shards_of(p.id, p.buckets)) s, lateral (
    select c.day from counts c where c.shard = s and c.project = p.id and c.span = 1 order by c.day desc limit 1
  ) newest
  group by p.id;
end $$;
