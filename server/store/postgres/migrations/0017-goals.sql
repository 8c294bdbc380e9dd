set local citus.multi_shard_modify_mode to 'sequential';

-- Where the views came from, in their order, of projects that have goals: 29 bits of the source's number, 29 of the country's;
-- 0: none. Such a project has events among its views, too: of the kind 0, and with the event in place of the path.
alter table visit_views add column origins bigint[];

-- As `note_visits` with fewer parameters, which nodes of the release before go on with. `x_traced` has the rows with origins.
create function note_visits(
  p_closed int[], p_days int[], x_days int[], x_shards int[], x_last_views int[], x_human int[], x_ai int[],
  x_visitors bigint[], x_views bigint[], x_traced boolean[], x_origins bigint[]
) returns void language plpgsql as $$
declare
  v_first int := 1;
begin
  for i in 1..cardinality(x_days) loop
    if p_closed is null or x_days[i] <> all (p_closed) then
      insert into visit_views (shard, day, human_views, ai_views, visitors, views, origins)
      values (x_shards[i], p_days[x_days[i]], x_human[i], x_ai[i],
        x_visitors[v_first:x_last_views[i]], x_views[v_first:x_last_views[i]],
        case when x_traced[i] then x_origins[v_first:x_last_views[i]] end);
    end if;
    v_first := x_last_views[i] + 1;
  end loop;
end $$;

-- As `count_visited_batch`, which counts batches of projects without goals, and keeps where views came from.
create function count_traced_batch(
  p_shard int, p_turn int, p_id uuid, p_slot int,
  p_days int[], p_projects int[], p_bins int[], p_name_changes int[], p_last_blocks int[], p_spans int[], p_starts int[],
  v_days int[], v_shards int[], v_visitors bigint[], v_human_sets int[], v_ai_sets int[],
  s_visitors int[], s_sightings int[],
  p_last_names int[], p_set_names int[],
  c_days int[], c_shards int[], c_whats int[], c_parents int[], c_names int[], c_human int[], c_ai int[],
  n_days int[], n_shards int[], n_dates int[], n_whats int[], n_caps text[], n_kinds int[], n_clients text[], n_views int[],
  x_days int[], x_shards int[], x_last_views int[], x_human int[], x_ai int[], x_visitors bigint[], x_views bigint[],
  d_shards int[], d_projects int[], d_dates int[], d_reasons text[], d_families text[], d_hits int[],
  t_days int[], t_shards int[], t_projects int[], t_dates int[], t_tallies int[], t_subjects text[], t_names text[],
  t_hits int[], t_amounts bigint[],
  p_appends boolean,
  x_traced boolean[], x_origins bigint[]
) returns int[] language plpgsql
set jit = off set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_closed int[];
begin
  if p_id is not null then
    insert into batches (shard, turn, id) values (p_shard, p_turn, p_id) on conflict do nothing;
    if not found then
      -- Locked, as `count_batch` does.
      select refused into v_closed from batches where shard = p_shard and turn = p_turn and id = p_id for update;
      return v_closed;
    end if;
  end if;

  v_closed := count_visited_batch(
    p_shard, null, null, p_slot, p_days, p_projects, p_bins, p_name_changes, p_last_blocks, p_spans, p_starts,
    v_days, v_shards, v_visitors, v_human_sets, v_ai_sets, s_visitors, s_sightings, p_last_names, p_set_names,
    c_days, c_shards, c_whats, c_parents, c_names, c_human, c_ai,
    n_days, n_shards, n_dates, n_whats, n_caps, n_kinds, n_clients, n_views,
    '{}', '{}', '{}', '{}', '{}', '{}', '{}',
    d_shards, d_projects, d_dates, d_reasons, d_families, d_hits,
    t_days, t_shards, t_projects, t_dates, t_tallies, t_subjects, t_names, t_hits, t_amounts,
    p_appends
  );
  if p_id is not null and v_closed is not null then
    update batches set refused = v_closed where shard = p_shard and turn = p_turn and id = p_id;
  end if;

  if x_days <> '{}' then
    perform note_visits(v_closed, p_days, x_days, x_shards, x_last_views, x_human, x_ai, x_visitors, x_views,
      x_traced, x_origins);
  end if;
  return v_closed;
end $$;

-- Without the events that stand among the views.
create or replace function visit_sums(p_shards int[], p_project int, p_days int[]) returns table (
  day int, what int, text text, human_visitors int, ai_visitors int, visitors int, human_views int, ai_views int
) language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  with viewed as materialized (
    select v.day, u.visitor, (u.view & 3)::int as kind, u.view >> 31 as moment, ((u.view >> 2) & 536870911)::int as path
    from visit_views v cross join lateral unnest(v.visitors, v.views) as u(visitor, view)
    where v.shard = any (p_shards) and v.day = any (p_days) and (u.view & 3) <> 0
  ),
  -- A path that was forgotten has no name, and comes last.
  paths as materialized (
    select n.id, n.text, row_number() over (order by n.text collate "C") as rank
    from names n where n.project = p_project and n.what = 1 and n.parent = 0
  ),
  visits as materialized (
    select v.day, v.visitor, v.kind, count(*) as views,
      min(v.moment << 29 | coalesce(p.rank, 536870911)) & 536870911 as entry,
      max(v.moment << 29 | coalesce(p.rank, 536870911)) & 536870911 as exit,
      count(distinct coalesce(p.rank, 536870911)) = 1 as is_single
    from viewed v left join paths p on p.id = v.path
    group by v.day, v.visitor, v.kind
  ),
  pages as (
    select v.day, v.visitor, x.what, x.page, bool_or(v.kind = 1) as human, bool_or(v.kind = 2) as ai
    from visits v cross join lateral (values (40, v.entry), (41, v.exit), (42, case when v.is_single then v.entry end))
      as x(what, page)
    where x.page is not null
    group by v.day, v.visitor, x.what, x.page
  )
  select g.day, g.what, p.text,
    count(*) filter (where g.human)::int, count(*) filter (where g.ai)::int, count(*)::int,
    count(*) filter (where g.human)::int, count(*) filter (where g.ai)::int
  from pages g join paths p on p.rank = g.page
  group by g.day, g.what, p.text
  union all
  select w.day, 43, '(all)',
    count(*) filter (where w.human > 0)::int, count(*) filter (where w.ai > 0)::int, count(*)::int,
    sum(w.human)::int, sum(w.ai)::int
  from (
    select v.day, v.visitor, coalesce(sum(v.views) filter (where v.kind = 1), 0) as human,
      coalesce(sum(v.views) filter (where v.kind = 2), 0) as ai
    from visits v group by v.day, v.visitor
  ) w
  group by w.day;
end $$;

-- What goals and funnels add, as `server/counting/goal/goal.ts` says, on days of which it is known where all views of people came from: people
-- who reached them (29), with all views that were looked at; under each of them where their visits began, by page (30), source
-- (31) and country (32); and the same of all people (40, 44, 45). `p_reaching` has the numbers of paths and events, each with the
-- place of a goal that it reaches; `f_names` the same with the place of a funnel and the step that it is, of as many as
-- `f_lengths` has for each: people who came to a step (34), at the moment of the one before or later. Of two views at the same moment that whose page, source or country comes first was first.
create function goal_sums(
  p_shards int[], p_project int, p_days int[], p_goals text[], p_reaching int[], p_places int[],
  f_funnels text[], f_lengths int[], f_names int[], f_places int[], f_steps int[]
) returns table (day int, what int, under text, text text, people int, views int) language plpgsql stable as $$
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
    select distinct on (t.day, t.visitor) t.day, t.visitor, p.text as path, s.text as source, c.text as country
    from told t join first using (day, visitor, kind, moment)
      left join names p on p.project = p_project and p.id = t.name
      left join names s on s.project = p_project and s.id = t.source
      left join names c on c.project = p_project and c.id = t.country
    order by t.day, t.visitor, p.text collate "C" nulls last, s.text collate "C" nulls last,
      c.text collate "C" nulls last
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

-- Where the extension Citus is, as for what else batches append.
do $$ begin
  if not exists (select from pg_extension where extname = 'citus') then return; end if;
  alter function note_visits(
    int[], int[], int[], int[], int[], int[], int[], bigint[], bigint[], boolean[], bigint[]
  ) set plan_cache_mode = force_custom_plan;
  alter function visit_sums(int[], int, int[]) set plan_cache_mode = force_custom_plan;
  alter function goal_sums(int[], int, int[], text[], int[], int[], text[], int[], int[], int[], int[]) set plan_cache_mode = force_custom_plan;
  perform create_distributed_function(oid::regprocedure, 'p_shard', colocate_with => 'shards')
  from pg_proc where proname = 'count_traced_batch' and pronamespace = current_schema()::regnamespace;
end $$;
