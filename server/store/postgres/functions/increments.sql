-- What such a row adds, many times to the same name.
create or replace function increments(p_views bigint[], p_sightings int[]) returns table (
  name int, human_visitors int, ai_visitors int, visitors int, human_views int, ai_views int
) language sql immutable as $$
  select (v >> 34)::int, 0, 0, 0, ((v >> 17) & 131071)::int, (v & 131071)::int from unnest(p_views) v
  union all
  select (case when s < 0 then ~s else s end) >> 2, (case when s < 0 then ~s else s end) & 1,
    ((case when s < 0 then ~s else s end) >> 1) & 1, case when s < 0 then 0 else 1 end, 0, 0
  from unnest(p_sightings) s
$$;
