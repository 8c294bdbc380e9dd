-- Where the extension Citus is, tables of shards are distributed over the servers of its cluster: all of a shard is on one of
-- them, which a batch or a report asks alone. What is not distributed here is on the coordinator, which nodes ask.
--
-- What a statement selects from `shards` by its number runs where that shard is, wherever Citus moves it: so an insert of rows
-- that come as parameters is one of that server alone, on its own tables.

-- For what comes last: all of it on one connection to each server.
set local citus.multi_shard_modify_mode to 'sequential';

create table shards (shard int primary key);
select create_distributed_table('shards', 'shard');
insert into shards select generate_series(0, 63);

select create_distributed_table('counts', 'shard', colocate_with => 'shards');
select create_distributed_table('dropped', 'shard', colocate_with => 'shards');
select create_distributed_table('name_caps', 'shard', colocate_with => 'shards');
select create_distributed_table('tallies', 'shard', colocate_with => 'shards');
select create_distributed_table('seen', 'shard', colocate_with => 'shards');
select create_distributed_table('batches', 'shard', colocate_with => 'shards');
select create_reference_table('names');

-- What batches ask of projects, and of days while they are open: on each server. The tables themselves stay where they are,
-- as others refer to them and their rows are locked one by one; of a table on each server one row is changed at a time.
create table batch_projects (
  id int primary key,
  buckets int not null,
  name_changes int not null
);
create table batch_days (
  id int primary key,
  project int not null
);
select create_reference_table('batch_projects');
select create_reference_table('batch_days');
insert into batch_projects select id, buckets, name_changes from projects;
insert into batch_days select id, project from days where salt is not null;

create function copy_project() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into batch_projects values (new.id, new.buckets, new.name_changes);
  elsif tg_op = 'UPDATE' then
    update batch_projects set buckets = new.buckets, name_changes = new.name_changes where id = new.id;
  else
    delete from batch_projects where id = old.id;
  end if;
  return null;
end $$;
create trigger copy after insert or delete or update of buckets, name_changes on projects
  for each row execute function copy_project();

create function copy_day() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into batch_days values (new.id, new.project);
  else
    delete from batch_days where id = old.id;
  end if;
  return null;
end $$;
create trigger copy_open after insert on days
  for each row when (new.salt is not null) execute function copy_day();
create trigger copy_closed after update of salt on days
  for each row when (old.salt is not null and new.salt is null) execute function copy_day();
create trigger copy_deleted after delete on days
  for each row when (old.salt is not null) execute function copy_day();

-- Locks of a day are those of a shard's server, a number each for day and shard: one transaction may come on several
-- connections, and must not wait for itself.
create function share_days(p_shard int, p_days int[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared((x.day::bigint << 6) | p_shard) from (select unnest(p_days) as day order by 1) x;
end $$;

create function take_days(p_shard int, p_days int[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock((x.day::bigint << 6) | p_shard) from (select unnest(p_days) as day order by 1) x;
end $$;

-- The shard stays on its server until the end of the transaction, as Citus moves none that is written to; it writes nothing.
create function keep_shard(p_shard int) returns void language plpgsql set plan_cache_mode = force_custom_plan as $$
begin
  delete from batches where shard = p_shard and turn = -1;
end $$;

create or replace function hold_days(p_shard int, p_days int[]) returns void language plpgsql
set plan_cache_mode = force_custom_plan as $$
begin
  perform keep_shard(p_shard);
  perform share_days(s.shard, p_days) from shards s where s.shard = p_shard;
end $$;

create or replace function await_batches(p_days int[]) returns void language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  v_closed int[] := array(select id from days where id = any (p_days) and salt is null);
  v_shard int;
begin
  for v_shard in
    select distinct s from days d join projects p on p.id = d.project, unnest(shards_of(p.id, p.buckets)) s
    where d.id = any (p_days) order by 1
  loop
    perform keep_shard(v_shard);
    perform take_days(s.shard, p_days) from shards s where s.shard = v_shard;
    perform 1 from shards s, batch_days d where s.shard = v_shard and d.id = any (v_closed);
    if found then
      raise exception 'A server of shards does not know yet that a day is closed.' using errcode = '40001';
    end if;
  end loop;
end $$;

-- A day that is not there is closed, or this server does not know yet that it is open: the node looks for it again.
create or replace function name_changes_of(p_days int[]) returns int[] language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  v_changes int[];
begin
  select array_agg(p.name_changes order by x.place) into v_changes
  from unnest(p_days) with ordinality as x(day, place)
    left join batch_days d on d.id = x.day
    left join batch_projects p on p.id = d.project;
  if array_position(v_changes, null) is not null then
    raise exception 'A day is not open here.' using errcode = 'HC001';
  end if;
  return v_changes;
end $$;

create or replace function note_seen(
  p_shard int, p_days int[], p_bins int[], p_closed int[],
  v_days int[], v_shards int[], v_visitors bigint[], s_visitors int[], s_sightings int[]
) returns table (shard int, day int, visitor bigint, was int, sightings int[]) language plpgsql
set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
begin
  return query
  insert into seen as s (shard, bin, day, visitor, sightings)
  select h.shard, g.bin, g.day, g.visitor, g.sightings
  from shards h, (
    select p_bins[v_days[x.place]] as bin, p_days[v_days[x.place]] as day, v_visitors[x.place] as visitor,
      array_agg(x.sighting) as sightings
    from unnest(s_visitors, s_sightings) as x(place, sighting)
    group by x.place
  ) g
  where h.shard = p_shard and not coalesce(
    (select k.sightings @> g.sightings from seen k
     where k.shard = p_shard and k.bin = g.bin and k.day = g.day and k.visitor = g.visitor), false)
  order by g.day, g.visitor
  on conflict (shard, bin, day, visitor) do update set
    was = cardinality(s.sightings),
    sightings = s.sightings || array(select x from unnest(excluded.sightings) x where x <> all (s.sightings))
  where not s.sightings @> excluded.sightings
  returning s.shard, s.day, s.visitor, s.was, s.sightings;
end $$;

create or replace function count_views(
  p_slot int, p_shard int, p_closed int[], p_days int[], p_projects int[], p_bins int[],
  p_last_blocks int[], p_spans int[], p_starts int[],
  v_days int[], v_shards int[], v_visitors bigint[], v_human_sets int[], v_ai_sets int[],
  s_visitors int[], s_sightings int[], p_last_names int[], p_set_names int[],
  c_days int[], c_shards int[], c_whats int[], c_parents int[], c_names int[], c_human int[], c_ai int[]
) returns void language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  v record;
begin
  select array_agg(project) as projects, array_agg(span) as spans, array_agg(day) as days, array_agg(what) as whats,
    array_agg(parent) as parents, array_agg(name) as names, array_agg(human_visitors) as human_visitors,
    array_agg(ai_visitors) as ai_visitors, array_agg(visitors) as visitors, array_agg(human_views) as human_views,
    array_agg(ai_views) as ai_views
  into v
  from added_sums(p_shard, p_closed, p_days, p_projects, p_bins, p_last_blocks, p_spans, p_starts,
    v_days, v_shards, v_visitors, v_human_sets, v_ai_sets, s_visitors, s_sightings, p_last_names, p_set_names,
    c_days, c_shards, c_whats, c_parents, c_names, c_human, c_ai);
  insert into counts as c (shard, project, span, day, what, parent, name, slot,
    human_visitors, ai_visitors, visitors, human_views, ai_views)
  select h.shard, x.project, x.span, x.day, x.what, x.parent, x.name, p_slot,
    x.human_visitors, x.ai_visitors, x.visitors, x.human_views, x.ai_views
  from shards h, unnest(v.projects, v.spans, v.days, v.whats, v.parents, v.names,
    v.human_visitors, v.ai_visitors, v.visitors, v.human_views, v.ai_views)
    as x(project, span, day, what, parent, name, human_visitors, ai_visitors, visitors, human_views, ai_views)
  where h.shard = p_shard
  order by 1, 2, 3, 4, 5, 6, 7
  on conflict (shard, project, span, day, what, parent, name, slot) do update set
    human_visitors = c.human_visitors + excluded.human_visitors,
    ai_visitors = c.ai_visitors + excluded.ai_visitors,
    visitors = c.visitors + excluded.visitors,
    human_views = c.human_views + excluded.human_views,
    ai_views = c.ai_views + excluded.ai_views;
end $$;

create or replace function count_capped(
  p_slot int, p_shard int, n_shards int[], n_projects int[], n_dates int[], n_whats int[], n_caps text[], n_kinds int[],
  n_clients text[], n_views int[]
) returns void language plpgsql
set plan_cache_mode = force_custom_plan as $$
begin
  insert into name_caps as c (shard, project, day, what, cap, kind, client, slot, views)
  select h.shard, x.project, x.date, x.what, x.cap, x.kind, x.client, p_slot, x.views
  from shards h, unnest(n_projects, n_dates, n_whats, n_caps, n_kinds, n_clients, n_views)
    as x(project, date, what, cap, kind, client, views)
  where h.shard = p_shard
  order by 1, 2, 3, 4, 5, 6, 7
  on conflict (shard, project, day, what, cap, kind, client, slot) do update set views = c.views + excluded.views;
end $$;

create or replace function count_dropped(
  p_slot int, p_shard int, d_shards int[], d_projects int[], d_dates int[], d_reasons text[], d_families text[], d_hits int[]
) returns void language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  -- Not in the statement itself, which Citus would send to all shards then, as each could do it.
  v_known int[] := array(select id from batch_projects where id = any (d_projects));
begin
  insert into dropped as c (shard, project, day, reason, family, slot, hits)
  select h.shard, x.project, x.date, x.reason, x.family, p_slot, x.hits
  from shards h, unnest(d_projects, d_dates, d_reasons, d_families, d_hits) as x(project, date, reason, family, hits)
  where h.shard = p_shard and x.project = any (v_known)
  order by 1, 2, 3, 4, 5
  on conflict (shard, project, day, reason, family, slot) do update set hits = c.hits + excluded.hits;
end $$;

create or replace function count_tallies(
  p_slot int, p_shard int, p_closed int[],
  t_days int[], t_shards int[], t_projects int[], t_dates int[], t_tallies int[], t_subjects text[], t_names text[],
  t_hits int[], t_amounts bigint[]
) returns void language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  v_known int[] := array(select id from batch_projects where id = any (t_projects));
begin
  insert into tallies as c (shard, project, tally, day, subject, name, slot, hits, amount)
  select h.shard, x.project, x.tally, x.date, x.subject, x.name, p_slot, x.hits, x.amount
  from shards h, (
    select project, tally, date, subject, name, sum(hits) as hits, sum(amount) as amount
    from unnest(t_days, t_projects, t_dates, t_tallies, t_subjects, t_names, t_hits, t_amounts)
      as x(place, project, date, tally, subject, name, hits, amount)
    where place > 0 or project = any (v_known)
    group by 1, 2, 3, 4, 5
  ) x
  where h.shard = p_shard
  order by 1, 2, 3, 4, 5, 6
  on conflict (shard, project, tally, day, subject, name, slot) do update set
    hits = c.hits + excluded.hits, amount = c.amount + excluded.amount;
end $$;

-- Shard by shard, as Citus puts no such search in an index into a statement about several.
create or replace function counted_days(p_shards int[], p_project int, out first int, out last int) language plpgsql
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

create or replace function newest_days() returns table (project int, day int) language plpgsql
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

create or replace function database_size() returns bigint language sql as $$
  select sum(result::bigint)::bigint from run_command_on_all_nodes('select pg_database_size(current_database())')
$$;

-- It runs on the server of its shard, unless it is part of a larger transaction: then its statements go there one by one.
select create_distributed_function(oid::regprocedure, 'p_shard', colocate_with => 'shards')
from pg_proc where proname in ('count_batch', 'count_tallied_batch') and pronamespace = current_schema()::regnamespace;
