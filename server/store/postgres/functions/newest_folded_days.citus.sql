create or replace function newest_folded_days() returns table (project int, day int) language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  v_shard int;
begin
  for v_shard in 0..63 loop
    return query
    select p.id, (
      select c.day from counts c where c.shard = v_shard and c.project = p.id and c.span = 1 order by c.day desc limit 1)
    from batch_projects p where (v_shard - p.id) & 63 < p.buckets;
  end loop;
end $$;
