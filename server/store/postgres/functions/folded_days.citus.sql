-- Shard by shard, as Citus puts no such search in an index into a statement about several.
create or replace function folded_days(p_shards int[], p_project int, out first int, out last int) language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  v_shard int;
  v record;
begin
  foreach v_shard in array p_shards loop
    select
      (select c.day from counts c where c.shard = v_shard and c.project = p_project and c.span = 1 order by c.day limit 1) as first,
      (select c.day from counts c where c.shard = v_shard and c.project = p_project and c.span = 1 order by c.day desc limit 1)
        as last
    into v;
    first := least(first, v.first);
    last := greatest(last, v.last);
  end loop;
end $$;
