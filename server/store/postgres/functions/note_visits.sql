-- Keeps views, from which come the pages where visits began and ended: each row has its views up to `x_last_views`. `p_closed`
-- has the places of days of which nothing is counted; `x_traced` the rows with origins.
-- `x_values` has what views are combined by, for each row.
create or replace function note_visits(
  p_closed int[], p_days int[], x_days int[], x_shards int[], x_last_views int[], x_human int[], x_ai int[],
  x_visitors bigint[], x_views bigint[], x_traced boolean[], x_origins bigint[], x_values bytea[]
) returns void language plpgsql as $$
declare
  v_first int := 1;
begin
  for i in 1..cardinality(x_days) loop
    if p_closed is null or x_days[i] <> all (p_closed) then
      insert into visit_views (shard, day, human_views, ai_views, visitors, views, origins, view_values)
      values (x_shards[i], p_days[x_days[i]], x_human[i], x_ai[i],
        x_visitors[v_first:x_last_views[i]], x_views[v_first:x_last_views[i]],
        case when x_traced[i] then x_origins[v_first:x_last_views[i]] end, x_values[i]);
    end if;
    v_first := x_last_views[i] + 1;
  end loop;
end $$;
