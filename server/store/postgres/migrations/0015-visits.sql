-- Views of open days, as rows that batches append: whose, and when of which path. From them come the pages on which visits
-- began and ended; deleted with the day.
create table visit_views (
  shard int not null,
  -- As in `seen`.
  day int not null,
  human_views int not null,
  ai_views int not null,
  visitors bigint[] not null,
  -- As bits: 28 of the moment, 29 of the path's number, 2 of the kind.
  views bigint[] not null
);
create index visit_views_by_day on visit_views (day);

-- Each row with how many views it and those before it have. `p_closed` has the places of days of which nothing is counted.
create function note_visits(
  p_closed int[], p_days int[], x_days int[], x_shards int[], x_last_views int[], x_human int[], x_ai int[],
  x_visitors bigint[], x_views bigint[]
) returns void language plpgsql as $$
declare
  v_first int := 1;
begin
  for i in 1..cardinality(x_days) loop
    if p_closed is null or x_days[i] <> all (p_closed) then
      insert into visit_views (shard, day, human_views, ai_views, visitors, views)
      values (x_shards[i], p_days[x_days[i]], x_human[i], x_ai[i],
        x_visitors[v_first:x_last_views[i]], x_views[v_first:x_last_views[i]]);
    end if;
    v_first := x_last_views[i] + 1;
  end loop;
end $$;

-- As `append_batch` or `count_tallied_batch`, with which nodes of the release before go on, and keeps the views.
create function count_visited_batch(
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
  p_appends boolean
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

  if p_appends then
    v_closed := append_batch(
      p_shard, null, null, p_slot, p_days, p_projects, p_bins, p_name_changes, p_last_blocks, p_spans, p_starts,
      v_days, v_shards, v_visitors, v_human_sets, v_ai_sets, s_visitors, s_sightings, p_last_names, p_set_names,
      c_days, c_shards, c_whats, c_parents, c_names, c_human, c_ai,
      n_days, n_shards, n_dates, n_whats, n_caps, n_kinds, n_clients, n_views,
      d_shards, d_projects, d_dates, d_reasons, d_families, d_hits,
      t_days, t_shards, t_projects, t_dates, t_tallies, t_subjects, t_names, t_hits, t_amounts
    );
  else
    v_closed := count_tallied_batch(
      p_shard, null, null, p_slot, p_days, p_projects, p_bins, p_name_changes, p_last_blocks, p_spans, p_starts,
      v_days, v_shards, v_visitors, v_human_sets, v_ai_sets, s_visitors, s_sightings, p_last_names, p_set_names,
      c_days, c_shards, c_whats, c_parents, c_names, c_human, c_ai,
      n_days, n_shards, n_dates, n_whats, n_caps, n_kinds, n_clients, n_views,
      d_shards, d_projects, d_dates, d_reasons, d_families, d_hits,
      t_days, t_shards, t_projects, t_dates, t_tallies, t_subjects, t_names, t_hits, t_amounts
    );
  end if;
  if p_id is not null and v_closed is not null then
    update batches set refused = v_closed where shard = p_shard and turn = p_turn and id = p_id;
  end if;

  if x_days <> '{}' then
    perform note_visits(v_closed, p_days, x_days, x_shards, x_last_views, x_human, x_ai, x_visitors, x_views);
  end if;
  return v_closed;
end $$;

-- What the visits of days add, as `server/counting/visit.ts` says: 40 by the page that they began on, 41 ended on, 42 where it
-- was their only one, and 43 all of them, with their views. Of two views at the same moment that of the page whose name comes
-- first was first.
create function visit_sums(p_shards int[], p_project int, p_days int[]) returns table (
  day int, what int, text text, human_visitors int, ai_visitors int, visitors int, human_views int, ai_views int
) language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  with viewed as materialized (
    select v.day, u.visitor, (u.view & 3)::int as kind, u.view >> 31 as moment, ((u.view >> 2) & 536870911)::int as path
    from visit_views v cross join lateral unnest(v.visitors, v.views) as u(visitor, view)
    where v.shard = any (p_shards) and v.day = any (p_days)
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

-- Nodes of the release before end days with it, too.
create or replace function forget_days(p_days int[]) returns void language sql as $$
  delete from visit_views where day = any (p_days);
  delete from new_names where day = any (p_days);
  delete from name_takers where day = any (p_days);
  delete from days where id = any (p_days);
$$;

-- Where the extension Citus is, as for what else batches append.
do $$ begin
  if not exists (select from pg_extension where extname = 'citus') then return; end if;
  set local citus.multi_shard_modify_mode to 'sequential';
  perform create_distributed_table('visit_views', 'shard', colocate_with => 'shards');
  alter function note_visits(int[], int[], int[], int[], int[], int[], int[], bigint[], bigint[]) set plan_cache_mode = force_custom_plan;
  alter function visit_sums(int[], int, int[]) set plan_cache_mode = force_custom_plan;
  alter function forget_days(int[]) set citus.multi_shard_modify_mode = sequential;
  perform create_distributed_function(oid::regprocedure, 'p_shard', colocate_with => 'shards')
  from pg_proc where proname = 'count_visited_batch' and pronamespace = current_schema()::regnamespace;
end $$;
