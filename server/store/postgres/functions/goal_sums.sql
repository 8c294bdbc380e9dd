-- What goals and funnels add, as `server/counting/goal/goal.ts` says, on days of which it is known where all views of people came from: people
-- who reached them (29), with all views that were looked at; under each of them where their visits began, by page (30), source
-- (31) and country (32); and the same of all people (40, 44, 45). `p_reaching` has the numbers of paths and events, each with the
-- place of a goal that it reaches; `f_names` the same with the place of a funnel and the step that it is, of as many as
-- `f_lengths` has for each: people who came to a step (34), at the moment of the one before or later. Of two views at the same moment that whose page, source or country comes first was first.
-- No nested loops: people are far more than what is assumed of unnested arrays, and one loop of all people by all of them takes
-- seconds. Names are looked up one by one.
create or replace function goal_sums(
  p_shards int[], p_project int, p_days int[], p_goals text[], p_reaching int[], p_places int[],
  f_funnels text[], f_lengths int[], f_names int[], f_places int[], f_steps int[]
) returns table (day int, what int, under text, text text, people int, views int) language plpgsql stable
set jit = off set enable_nestloop = off as $$
#variable_conflict use_column
begin
  return query
  with known as materialized (
    select v.day, sum(v.human_views)::int as views from visit_views v
    where v.shard = any (p_shards) and v.day = any (p_days)
    group by v.day having bool_and(v.origins is not null or v.human_views = 0)
  ),
  told as materialized (
    select v.day, u.visitor, (u.view & 3)::int as kind, u.view >> 31 as moment, ((u.view >> 2) & 536870911)::int as name,
      (u.origin >> 29)::int as source, (u.origin & 536870911)::int as country
    from visit_views v cross join lateral unnest(v.visitors, v.views, v.origins) as u(visitor, view, origin)
    where v.shard = any (p_shards) and v.day in (select k.day from known k) and (u.view & 3) in (0, 1) and v.origins is not null
  ),
  first as (
    select t.day, t.visitor, 1 as kind, min(t.moment) as moment from told t where t.kind = 1 group by t.day, t.visitor
  ),
  began as materialized (
    select distinct on (b.day, b.visitor) b.day, b.visitor, b.path, b.source, b.country
    from (
      select t.day, t.visitor,
        (select p.text from names p where p.project = p_project and p.id = t.name) as path,
        (select s.text from names s where s.project = p_project and s.id = t.source) as source,
        (select c.text from names c where c.project = p_project and c.id = t.country) as country
      from told t join first using (day, visitor, kind, moment)
    ) b
    order by b.day, b.visitor, b.path collate "C" nulls last, b.source collate "C" nulls last,
      b.country collate "C" nulls last
  ),
  reached as materialized (
    select distinct t.day, t.visitor, r.place
    from told t join unnest(p_reaching, p_places) r(name, place) on r.name = t.name
  ),
  -- All people have the place 0.
  beginnings as (
    select b.day, o.place, x.thing, x.text, count(*)::int as people
    from began b join (select day, visitor, 0 as place from began union all select day, visitor, place from reached) o
        on o.day = b.day and o.visitor = b.visitor
      cross join lateral (values (0, b.path), (1, b.source), (2, b.country)) x(thing, text)
    where x.text is not null
    group by b.day, o.place, x.thing, x.text
  ),
  deeds as materialized (
    select t.day, t.visitor, t.moment, f.place, f.step
    from told t join unnest(f_names, f_places, f_steps) f(name, place, step) on f.name = t.name
  ),
  step1 as (
    select d.day, d.visitor, d.place, min(d.moment) as moment from deeds d where d.step = 1 group by 1, 2, 3
  ),
  step2 as (
    select d.day, d.visitor, d.place, min(d.moment) as moment from deeds d join step1 b using (day, visitor, place)
    where d.step = 2 and d.moment >= b.moment group by 1, 2, 3
  ),
  step3 as (
    select d.day, d.visitor, d.place, min(d.moment) as moment from deeds d join step2 b using (day, visitor, place)
    where d.step = 3 and d.moment >= b.moment group by 1, 2, 3
  ),
  step4 as (
    select d.day, d.visitor, d.place, min(d.moment) as moment from deeds d join step3 b using (day, visitor, place)
    where d.step = 4 and d.moment >= b.moment group by 1, 2, 3
  ),
  step5 as (
    select d.day, d.visitor, d.place, min(d.moment) as moment from deeds d join step4 b using (day, visitor, place)
    where d.step = 5 and d.moment >= b.moment group by 1, 2, 3
  ),
  made as (
    select day, place, 1 as step from step1 union all select day, place, 2 from step2
    union all select day, place, 3 from step3 union all select day, place, 4 from step4
    union all select day, place, 5 from step5
  )
  select k.day, 29, null, g.goal, count(r.visitor)::int, k.views
  from known k cross join unnest(p_goals) with ordinality g(goal, place)
    left join reached r on r.day = k.day and r.place = g.place
  group by k.day, k.views, g.goal
  union all
  select b.day, case when b.place = 0 then (array[40, 44, 45])[b.thing + 1] else 30 + b.thing end,
    p_goals[b.place], b.text, b.people, b.people
  from beginnings b
  union all
  select k.day, 34, f.funnel, s.step::text, count(m.step)::int, k.views
  from known k cross join unnest(f_funnels, f_lengths) with ordinality f(funnel, length, place)
    cross join lateral generate_series(1, f.length) s(step)
    left join made m on m.day = k.day and m.place = f.place and m.step = s.step
  group by k.day, k.views, f.funnel, s.step;
end $$;
